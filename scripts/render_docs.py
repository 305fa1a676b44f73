"""Makes the sample documents that cannot be written by hand: `python scripts/render_docs.py`.

sample_docs/policy_handbook.pdf    set from sample_docs/src/policy_handbook.md by `render_handbook.py`
sample_docs/quarterly_report.docx  built from the text in `render_report.py`

The same source gives the same text, outline and pages on every machine; the bytes may differ between versions of the
libraries, so the files are committed and the tests compare what can be read in them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.render_handbook import HANDBOOK_SOURCE, render_handbook  # noqa: E402  # the folder above is not installed
from scripts.render_report import render_report  # noqa: E402

FOLDER: Final = ROOT / "sample_docs"


def main() -> None:
    made = {
        "policy_handbook.pdf": render_handbook(HANDBOOK_SOURCE.read_text(encoding="utf-8")),
        "quarterly_report.docx": render_report(),
    }
    for name, data in made.items():
        (FOLDER / name).write_bytes(data)
        print(f"sample_docs/{name}: {len(data) / 1000:,.0f} kB")


if __name__ == "__main__":
    main()

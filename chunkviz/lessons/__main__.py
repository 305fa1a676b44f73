"""The claims of the demo, worked out on the sample that it tells its story with; and the figures of the decision guide.

python -m chunkviz.lessons            the story
python -m chunkviz.lessons evidence   the figures of ours that the guide quotes
"""

from __future__ import annotations

import argparse
import sys

from chunkviz import isolation, samples
from chunkviz.lessons import figures
from chunkviz.lessons.subject import SAMPLE, asked_of_sample
from chunkviz.lessons.telling import told


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m chunkviz.lessons", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("story", "evidence"), default="story")
    if parser.parse_args().what == "evidence":
        for name, sentence in figures.sentences().items():
            sys.stdout.write(f"{name}: {sentence}\n")
        return
    document = isolation.load(samples.read(SAMPLE), samples.sample(SAMPLE).file)
    for number, (title, claims) in enumerate(told(asked_of_sample(SAMPLE, document)), 1):
        sys.stdout.write(f"\n{number}. {title}\n")
        for claim in claims:
            sys.stdout.write(f"   {claim}\n")


if __name__ == "__main__":
    main()

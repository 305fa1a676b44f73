"""The page that the app is measured beside: what one would write first, with the columns and the slider of the app."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from chunkviz import registry
from chunkviz.params import Int
from chunkviz.ui.state import DEFAULT_COLUMNS

# The slider changes the first column only, as in the app; Streamlit itself sees that the other two stay as they are and
# sends them once. The document is kept between runs and so are its token borders: the page is naive about what it sends
# to the browser, not about how it cuts.
NAIVE_PAGE: Final = """
import json
from html import escape
from pathlib import Path

import streamlit as st

import chunkviz

HERE = Path(__file__).parent
ASKED = json.loads((HERE / "asked.json").read_text())


@st.cache_resource
def document():
    return chunkviz.load(HERE / "text.md")


st.set_page_config(layout="wide")
columns = ASKED["columns"]
columns[0]["params"]["size"] = st.slider("Size", **ASKED["slider"])
for place, column in zip(st.columns(len(columns)), columns):
    chunks = chunkviz.chunk(document(), column["strategy"], **column["params"]).chunks
    spans = "".join(
        f'<span style="background:hsl({c.index * 67 % 360} 70% 88%)">{escape(c.text)}</span>' for c in chunks
    )
    size = column["params"]["size"]
    place.html(f'<div data-size="{size}" style="white-space:pre-wrap;overflow-wrap:anywhere">{spans}</div>')
"""


def write_naive_page(folder: Path, text: bytes) -> Path:
    """The page, its text, and the columns and slider of the app; returns the script."""
    rule = next(p.rule for p in registry.strategy(DEFAULT_COLUMNS[0].strategy).params if p.name == "size")
    if not isinstance(rule, Int):
        raise TypeError("the size of the first column is not a whole number")
    slider = {
        "min_value": rule.low,
        "max_value": rule.soft_high or rule.high,
        "value": DEFAULT_COLUMNS[0].params["size"],
        "step": rule.step,
    }
    columns = [{"strategy": c.strategy, "params": dict(c.params)} for c in DEFAULT_COLUMNS]
    (folder / "text.md").write_bytes(text)
    (folder / "asked.json").write_text(json.dumps({"columns": columns, "slider": slider}))
    script = folder / "naive.py"
    script.write_text(NAIVE_PAGE)
    return script

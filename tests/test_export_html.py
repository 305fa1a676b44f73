"""The page that opens anywhere: what is in its markup, and what is not. That it works is tested in a browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re

import pytest

import chunkviz
from chunkviz import export_html
from chunkviz.segments import document_blob, view_blob

EVIL = "</script><script>window.hacked = 1</script><!-- <img src=x onerror='window.hacked = 2'> ]]> & \u2028 =1+1\n"


def page(name: str = "notes.md", text: str = EVIL * 9) -> tuple[str, list[chunkviz.Chunking]]:
    document = chunkviz.Document.from_text(text, name)
    made = [chunkviz.chunk(document, s, unit="characters", size=40, overlap=9) for s in ("fixed", "recursive")]
    return export_html.to_html(made).decode(), made


def packed(page: str, id: str) -> bytes:
    found = re.search(f'<script type="application/octet-stream" id="{id}">([A-Za-z0-9+/=]*)</script>', page)
    assert found
    return gzip.decompress(base64.b64decode(found[1]))


def test_the_blobs_travel_packed_and_whole() -> None:
    text, made = page()
    assert packed(text, "document") == document_blob(made[0].document)
    assert packed(text, "view") == view_blob(made)
    program = json.loads(packed(text, "program"))
    assert [name for name, _ in program["modules"]] == export_html.modules()
    assert ".scroller" in program["css"]


def test_every_module_comes_after_those_it_imports() -> None:
    order = export_html.modules()
    assert order[-1] == export_html.ENTRY
    for at, name in enumerate(order):
        source = export_html._asset(name)
        imported = re.findall(r'^(?:import|export)\b.*?from\s+["\']\./(.+?)["\'];', source, re.MULTILINE | re.DOTALL)
        assert set(imported) <= set(order[:at]), name


def test_nothing_of_the_document_is_markup() -> None:
    evil_name = "<img src=x onerror=alert(1)>&\u202e.md"
    text, _ = page(evil_name)
    assert "window.hacked" not in text
    assert "<img" not in text
    assert len(re.findall("<script", text)) == 4
    assert len(re.findall("</script", text)) == 4


def test_separators_in_a_recipe_are_escaped() -> None:
    document = chunkviz.Document.from_text("a b c")
    made = chunkviz.chunk(document, "recursive", size=5, overlap=0, separators=("</pre><script>", ""))
    text = export_html.to_html([made], titles=["<b>bold</b>"]).decode()
    assert "&lt;/pre&gt;&lt;script&gt;" in text
    assert "<b>bold" not in text


def test_the_policy_names_the_one_script_and_the_one_style() -> None:
    text, _ = page()
    policy = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none'; ")
    assert "unsafe" not in policy[1]
    for tag, inside in (
        ("script-src", r'<script type="module">(.*?)</script>'),
        ("style-src", r"<style>(.*?)</style>"),
    ):
        found = re.search(inside, text, re.DOTALL)
        assert found
        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        assert f"{tag} 'sha256-{digest}'" in policy[1]


def test_it_names_no_address_outside() -> None:
    text, _ = page()
    program = packed(text, "program").decode()
    assert not re.findall(r"https?://|//[a-z0-9-]+\.[a-z]", re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL))
    assert not re.findall(r"https?://", program)


def test_the_same_chunkings_make_the_same_bytes() -> None:
    assert page()[0] == page()[0]


def test_none_and_too_many_are_refused() -> None:
    with pytest.raises(ValueError, match="1 to 4"):
        export_html.to_html([])
    with pytest.raises(ValueError, match="1 to 4"):
        export_html.to_html(page()[1] * 3)

"""A comparison as one HTML file that opens anywhere: the viewer itself, the document and its columns, and no server.

The file asks nobody for anything, and its own policy (CSP) forbids that it could: scripts run only if they are the one
whose hash is named, or modules which that one made. Whatever comes from a document travels packed (gzip, base64), so
none of its letters stand in the markup; the name and the recipes, which do, are escaped.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from html import escape
from importlib.resources import files
from typing import Final

import chunkviz
from chunkviz.chunking import Chunking
from chunkviz.metrics.base import Finding
from chunkviz.segments import document_blob, view_blob
from chunkviz.view_records import Audit, Live

ENTRY: Final = "viewer.js"
BOOT: Final = "standalone.js"
_IMPORTED = re.compile(r"""\bfrom "\./([\w-]+\.js)";""")

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{name} in chunks</title>
<style>{style}</style>
</head>
<body>
<main>
<h1><bdi>{name}</bdi>, cut into chunks</h1>
<p>Each colour is one chunk: all that a search can find and show at once. Point at a chunk to see why it ends where it
ends. By key: up and down for the next chunk, left and right for the column beside, D for the next difference, Enter for
details.</p>
<p id="said" role="status">Opening the document …</p>
<div id="viewer"></div>
<noscript><p>The columns are drawn by a script inside this file; allow scripts for it to see them.</p></noscript>
<details>
<summary>How each column was made (the recipes)</summary>
{recipes}
</details>
<p>Made with chunkviz {version}. This file holds the whole text of the document, and asks no server for anything.</p>
</main>
<script type="application/octet-stream" id="program">{program}</script>
<script type="application/octet-stream" id="document">{document}</script>
<script type="application/octet-stream" id="view">{view}</script>
<script type="module">{boot}</script>
</body>
</html>
"""


def to_html(
    chunkings: Sequence[Chunking],
    *,
    titles: Sequence[str] | None = None,
    findings: Sequence[Mapping[str, Sequence[Finding]]] | None = None,
    audits: Sequence[Audit] | None = None,
    live: Live | None = None,
) -> bytes:
    """One to four chunkings of one document as a page of its own, UTF-8. The same bytes for the same chunkings.

    The arguments and the errors are those of `segments.view_blob`. With `live`, the first column's threshold can be
    dragged in the file; what is said of that column in the audit is then taken away, since nobody works it out again.
    """
    document = chunkings[0].document if chunkings else None
    view = view_blob(chunkings, titles=titles, findings=findings, audits=audits, live=live)
    if document is None:  # `view_blob` has refused it
        raise ValueError("there is nothing to show")
    boot, style = _asset(BOOT), _asset("standalone.css")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(boot)}' blob:",
            f"style-src '{_hash(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    named = titles or [c.recipe.strategy for c in chunkings]
    recipes = "\n".join(
        f"<h2>{number}: {escape(title)}</h2>\n<pre>{escape(_printable(chunking.recipe.to_json()))}</pre>"
        for number, (title, chunking) in enumerate(zip(named, chunkings, strict=True), 1)
    )
    page = _PAGE.format(
        policy=policy,
        name=escape(_printable(document.name)),
        style=style,
        recipes=recipes,
        version=escape(chunkviz.__version__),
        program=_packed(json.dumps(_program()).encode()),
        document=_packed(document_blob(document)),
        view=_packed(view),
        boot=boot,
    )
    return page.encode()


def modules() -> list[str]:
    """The modules of the viewer, each after those it imports."""
    graph: dict[str, list[str]] = {}
    open_ = [ENTRY]
    while open_:
        name = open_.pop()
        if name not in graph:
            graph[name] = _IMPORTED.findall(_asset(name))
            open_ += graph[name]
    return list(TopologicalSorter(graph).static_order())


def _program() -> dict[str, object]:
    return {"modules": [[name, _asset(name)] for name in modules()], "css": _asset("viewer.css")}


def _asset(name: str) -> str:
    return (files("chunkviz") / "ui" / "component" / name).read_text(encoding="utf-8")


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode("ascii")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _printable(text: str) -> str:
    """Halves of surrogate pairs, which UTF-8 cannot hold, as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

"""The viewer without Streamlit, for work on its looks: serves one document and its columns on this machine.

python scripts/viewer_demo.py README.md --column fixed:size=200,overlap=40 --column recursive:size=200 --theme dark
"""

from __future__ import annotations

import argparse
import http.server
from functools import partial
from pathlib import Path
from typing import Any

import chunkviz
from chunkviz.segments import document_blob, in_words, view_blob

COMPONENT = Path(chunkviz.__file__).parent / "ui" / "component"

THEMES = {
    "light": ("#ffffff", "#f3f4f8", "#1b1f2a", "#d5d9e3", "#2454a6"),
    "dark": ("#12151c", "#1b2029", "#eceff6", "#333b49", "#7fb0ff"),
}

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>viewer</title>
<style>body{{margin:16px;background:{0};color:{2};--st-background-color:{0};--st-secondary-background-color:{1};
--st-text-color:{2};--st-border-color:{3};--st-primary-color:{4};--st-font:sans-serif;--st-code-font:monospace}}</style>
<div id="host"></div>
<script type="module">
import show from "/viewer.js";
const root = document.getElementById("host").attachShadow({{ mode: "open" }});
const style = document.createElement("link");
style.rel = "stylesheet";
style.href = "/viewer.css";
root.append(style);
const get = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
const setStateValue = (name, value) => (window.sent = [...(window.sent ?? []), [name, value]]);
window.mountView = async (name) => show({{ data: await get(name), parentElement: root, setStateValue }});
window.mountDocument = async (name) => show({{ data: await get(name), parentElement: document.body, setStateValue }});
await new Promise((loaded) => (style.onload = loaded));
const mounts = {{ view: () => window.mountView("/view.bin"), document: () => window.mountDocument("/document.bin") }};
for (const name of (new URLSearchParams(location.search).get("order") ?? "view,document").split(",")) await mounts[name]();
</script></html>"""


def page(theme: str) -> bytes:
    """The HTML around the viewer."""
    return PAGE.format(*THEMES[theme]).encode()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves what was made, and the component's files for everything else."""

    def __init__(self, *args: Any, made: dict[str, bytes], **kwargs: Any) -> None:
        self.made = made
        super().__init__(*args, directory=str(COMPONENT), **kwargs)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path not in self.made:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if path == "/" else "application/octet-stream")
        self.send_header("Content-Length", str(len(self.made[path])))
        self.end_headers()
        self.wfile.write(self.made[path])
        return None

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--column", action="append", metavar="STRATEGY:name=value,...")
    parser.add_argument("--unit", default="cl100k_base")
    parser.add_argument("--theme", choices=list(THEMES), default="light")
    parser.add_argument("--port", type=int, default=8765)
    args = parser.parse_args()
    document = chunkviz.load(args.file)
    chunkings = []
    for column in args.column or ["fixed", "recursive"]:
        name, _, given = column.partition(":")
        declared = {p.name: p.rule for p in chunkviz.strategies()[name].params}
        pairs = (pair.partition("=") for pair in given.split(",") if pair)
        params = {key: declared[key].parse(value) for key, _, value in pairs}
        chunkings.append(chunkviz.chunk(document, name, unit=args.unit, **params))
    made = {
        "/": page(args.theme),
        "/document.bin": document_blob(document),
        "/view.bin": view_blob(chunkings, subtitles=[f"{in_words(c.recipe.params)} · {c.unit}" for c in chunkings]),
    }
    print(f"http://127.0.0.1:{args.port}/")
    http.server.ThreadingHTTPServer(("127.0.0.1", args.port), partial(Handler, made=made)).serve_forever()


if __name__ == "__main__":
    main()

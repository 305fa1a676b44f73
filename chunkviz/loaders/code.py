"""Source code: the ending names the language, and the file is one block; finer structure belongs to the strategy."""

from __future__ import annotations

from typing import Final

from chunkviz.document import Block, Document
from chunkviz.loaders.base import Loader
from chunkviz.loaders.text import parse_with
from chunkviz.text.blocks import keeping_indent

_ENDINGS: Final = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts tsx mts cts",
    "java": "java",
    "c": "c h",
    "cpp": "cpp cc cxx hpp hh hxx",
    "csharp": "cs",
    "go": "go",
    "rust": "rs",
    "ruby": "rb",
    "php": "php",
    "bash": "sh bash zsh",
    "powershell": "ps1 psm1",
    "sql": "sql",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "swift": "swift",
    "lua": "lua",
    "perl": "pl pm",
    "haskell": "hs",
    "elixir": "ex exs",
    "r": "r",
    "julia": "jl",
    "dart": "dart",
    "proto": "proto",
    "sol": "sol",
    "cobol": "cob cbl",
    "visualbasic6": "vb bas",
    "css": "css scss less",
    "yaml": "yaml yml",
    "toml": "toml",
    "xml": "xml xsd xsl svg",
    "ini": "ini cfg conf properties",
}
LANGUAGES: Final = {f".{end}": language for language, ends in _ENDINGS.items() for end in ends.split()}
"""Ending to language. Endings are lower case with the dot, languages lower case."""

_OTHER_NAMES: Final = {
    "c++": "cpp",
    "c#": "csharp",
    "golang": "go",
    "node": "javascript",
    "shell": "bash",
    "console": "bash",
    "shell-session": "bash",
    "python3": "python",
    "objective-c": "objc",
    "jsonc": "json",
    "json5": "json",
}


def language_name(word: str) -> str:
    """The language that a fence or a class attribute means: "py", "Python" and "python3" are all "python".

    A word that is not known stays, in lower case.
    """
    word = word.lower()
    return _OTHER_NAMES.get(word) or LANGUAGES.get(f".{word}", word)


def from_text(text: str, name: str, language: str) -> Document:
    """Source code as one code block, first line's indentation included."""
    span = keeping_indent(text, 0, len(text))
    blocks = (Block("code", *span, language=language),) if span.start < span.end else ()
    return Document(text, name, "code", blocks=blocks, language=language)


LOADER = Loader(
    format="code",
    suffixes=tuple(LANGUAGES),
    parse=parse_with(from_text, LANGUAGES),
    from_text=from_text,
    languages=LANGUAGES,
)

"""Separator sets, biggest first: where `recursive` tries to cut before it tries something smaller.

The sets are those of LangChain's `RecursiveCharacterTextSplitter.from_language` (langchain-text-splitters 1.1.3),
pattern for pattern, also where a pattern does something odd: the `$` of its LaTeX set is a regular expression that
matches at the end of a text, and `\\n| ` of its Haskell set means "a line end or a blank". Parity is the point;
`tests/test_parity.py` compares every set with the installed library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from chunkviz.document import Document

PLAIN: Final = ("\n\n", "\n", " ", "")


def _lines(*starts: str, then: Iterable[str] = PLAIN) -> tuple[str, ...]:
    """Patterns for a line that starts with one of these words, then the plain separators."""
    return (*(f"\n{start}" for start in starts), *then)


def _words(words: str) -> tuple[str, ...]:
    return _lines(*(f"{word} " for word in words.split()))


_VB_SCOPE: Final = r"\n(?!End\s)(?:Public|Private|Friend|Global|Static)\s+?"

SETS: Final[dict[str, tuple[str, ...]]] = {
    "text": PLAIN,
    "markdown": ("\n#{1,6} ", "```\n", "\n\\*\\*\\*+\n", "\n---+\n", "\n___+\n", *PLAIN),
    "html": (
        *(f"<{tag}" for tag in "body div p br li h1 h2 h3 h4 h5 h6 span table tr td th ul ol".split()),
        *(f"<{tag}" for tag in "header footer nav head style script meta title".split()),
        "",
    ),
    "latex": (
        *(f"\n\\\\{name}{{" for name in ("chapter", "section", "subsection", "subsubsection")),
        *(f"\n\\\\begin{{{name}}}" for name in ["enumerate", "itemize", "description", "list", "quote", "quotation"]),
        *(f"\n\\\\begin{{{name}}}" for name in ["verse", "verbatim", "align"]),
        "$$",
        "$",
        " ",
        "",
    ),
    "rst": ("\n=+\n", "\n-+\n", "\n\\*+\n", "\n\n.. *\n\n", *PLAIN),
    "python": ("\nclass ", "\ndef ", "\n\tdef ", *PLAIN),
    "js": _words("function const let var class if for while switch case default"),
    "ts": _words("enum interface namespace type class function const let var if for while switch case default"),
    "java": _words("class public protected private static if for while switch case"),
    "c": _words("class void int float double if for while switch case"),
    "cpp": _words("class void int float double if for while switch case"),
    "csharp": _words(
        "interface enum delegate event class abstract public protected private static return if continue for foreach"
        " while switch break case else try throw finally catch"
    ),
    "go": _words("func var const type if for switch case"),
    "rust": _words("fn const let if while for loop match"),
    "ruby": _words("def class if unless while for do begin rescue"),
    "php": _words("function class if foreach while do switch case"),
    "kotlin": _words("class public protected private internal companion fun val var if for while when else"),
    "scala": _words("class object def val var if for while match case"),
    "swift": _words("func class struct enum if for while do switch case"),
    "lua": _words("local function if for while repeat"),
    "haskell": _lines(
        *(f"{w} " for w in ("main ::", "main =", "let", "in", "do", "where", "::", "=", "data", "newtype", "type")),
        *(f"{w} " for w in ("module", "import", "qualified", "import qualified", "class", "instance", "case", "|")),
        "= {",
        ", ",
    ),
    "elixir": _words("def defp defmodule defprotocol defmacro defmacrop if unless case cond with for do"),
    "powershell": _words("function param if foreach for while switch class try catch finally"),
    "r": _lines(
        *("function ", r"setClass\(", r"setMethod\(", r"setGeneric\(", "if ", "else ", "for ", "while ", "repeat "),
        *(r"library\(", r"require\("),
    ),
    "proto": _words("message service enum option import syntax"),
    "sol": _lines(
        *(
            f"{w} "
            for w in [
                "pragma",
                "using",
                "contract",
                "interface",
                "library",
                "constructor",
                "type",
                "function",
                "event",
                "modifier",
            ]
        ),
        *(f"{w} " for w in ["error", "struct", "enum", "if", "for", "while"]),
        "do while ",
        "assembly ",
    ),
    "cobol": _lines(
        *(f"{name} DIVISION." for name in ("IDENTIFICATION", "ENVIRONMENT", "DATA", "PROCEDURE")),
        *(f"{name} SECTION." for name in ("WORKING-STORAGE", "LINKAGE", "FILE", "INPUT-OUTPUT")),
        *(
            f"{w} "
            for w in [
                "OPEN",
                "CLOSE",
                "READ",
                "WRITE",
                "IF",
                "ELSE",
                "MOVE",
                "PERFORM",
                "UNTIL",
                "VARYING",
                "ACCEPT",
                "DISPLAY",
            ]
        ),
        "STOP RUN.",
        then=("\n", " ", ""),
    ),
    "visualbasic6": (
        *(f"{_VB_SCOPE}{kind}\\s+" for kind in ("Sub", "Function", r"Property\s+(?:Get|Let|Set)", "Type", "Enum")),
        *(r"\n(?!End\s)If\s+", r"\nElseIf\s+", r"\nElse\s+", r"\nSelect\s+Case\s+", r"\nCase\s+", r"\nFor\s+"),
        *(r"\nDo\s+", r"\nWhile\s+", r"\nWith\s+", r"\n\n", r"\n", " ", ""),
    ),
}
"""Name to patterns (regular expressions, "" for between any two characters). The names are LangChain's, plus "text"."""

_LANGUAGE_NAMES: Final = {"javascript": "js", "typescript": "ts", "solidity": "sol", "protobuf": "proto"}


def set_for(document: Document) -> tuple[str, str]:
    """The name of the set that fits a document, and a note for the reader: "" where the set was made for it."""
    if document.format in ("markdown", "latex"):
        return document.format, ""
    if document.format == "html" and document.options.get("html_source"):
        return "html", ""
    if document.format == "code":
        name = _LANGUAGE_NAMES.get(document.language, document.language)
        if name in SETS:
            return name, ""
        language = document.language or "this language"
        return "text", f"LangChain has no separators for {language}; those of plain text are used."
    return "text", ""


def compiled(separators: Iterable[str], *, literal: bool) -> tuple[re.Pattern[str] | None, ...]:
    """A pattern for each separator, None for ""; literal texts are escaped."""
    return tuple(re.compile(re.escape(s) if literal else s) if s else None for s in separators)

"""LaTeX: the text is the source; sections, environments and displayed equations are found in it, nothing is expanded.

Comments are understood: a section that is commented out is none, and `\\%` starts no comment. So are environments that
show their content as it is: nothing inside `verbatim` is a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from chunkviz.document import Block, BlockKind, Document
from chunkviz.loaders.base import Loader
from chunkviz.loaders.text import parse_with
from chunkviz.spans import Span, trimmed
from chunkviz.text.blocks import filled

_LEVELS: Final = {
    name: level
    for level, name in enumerate(
        ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"), start=1
    )
}
_VERBATIM: Final = ("verbatim", "Verbatim", "lstlisting", "minted", "alltt", "comment", "filecontents")
_ENVIRONMENTS: Final[dict[str, BlockKind]] = {
    **dict.fromkeys(_VERBATIM, "code"),
    "comment": "paragraph",
    **dict.fromkeys(
        "equation align gather multline eqnarray displaymath flalign alignat math dmath subequations".split(), "equation"
    ),
    **dict.fromkeys("table tabular tabularx tabulary longtable sidewaystable".split(), "table"),
    **dict.fromkeys("itemize enumerate description".split(), "list"),
}

# One alternative per thing that matters; an escape such as \% or \\ is one so that what follows is not misread.
_TOKEN = re.compile(
    r"(?P<comment>%[^\r\n]*)"
    r"|\\(?:"
    rf"(?P<section>{'|'.join(_LEVELS)})(?![A-Za-z@])\*?"
    r"|begin[ \t]*\{(?P<begin>[A-Za-z]+\*?)\}"
    r"|end[ \t]*\{(?P<end>[A-Za-z]+\*?)\}"
    r"|(?P<verb>verb\*?|lstinline)(?![A-Za-z@])(?P<mark>[^\sA-Za-z*{\[])[^\r\n]*?(?P=mark)"
    r"|(?P<open>\[)"
    r"|[A-Za-z@]+"
    r"|.)"
    r"|(?P<dollars>\$\$)",
    re.DOTALL,
)
_ARGUMENT_START = re.compile(r"\s*(?:%[^\r\n]*\s*)*")
_BRACES = re.compile(r"%[^\r\n]*|\\.|[{}\[\]]", re.DOTALL)
_CLOSING_BRACKET = re.compile(r"\\(?:\]|.)|%[^\r\n]*|(?=(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n))", re.DOTALL)
_CLOSING_DOLLARS = re.compile(r"\\.|%[^\r\n]*|\$\$", re.DOTALL)
_LANGUAGE = re.compile(r"\{(?:minted)\}(?:\[[^\]\r\n]*\])?\{([A-Za-z+#-]+)\}|\blanguage\s*=\s*\{?\s*([A-Za-z+#]+)")
# Commands in a title whose argument is no part of it, then every other command; its argument stays.
_UNPRINTED = re.compile(r"\\(?:label|footnote|index|thanks|cite[a-z]*)\*?(?:\[[^\]]*\])*\{[^{}]*\}|(?<!\\)%[^\r\n]*")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+\*?\s*|([&%$#_{}])|[,;:!\\ ])|[{}$~]")


def from_text(text: str, name: str, language: str) -> Document:
    r"""LaTeX: headings from \part (level 1) to \subparagraph (7), code, equations, tables, lists, paragraphs."""
    return Document(text, name, "latex", blocks=filled(text, _blocks(text)))


def _blocks(text: str) -> Iterator[Block]:
    at = 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        block = None
        if token["section"]:
            block = _heading(text, token)
        elif token["begin"]:
            block = _environment(text, token)
        elif token["open"] or token["dollars"]:
            block = _equation(text, token)
        if block:
            yield block
            at = block.end


def _heading(text: str, token: re.Match[str]) -> Block | None:
    r"""`\section*[short]{Title}`; None where no title in braces follows, as in `\let\section=\undefined`."""
    at = _skip(text, token.end())
    if text.startswith("[", at):
        close = _closing(text, at, "[", "]")
        if close < 0:
            return None
        at = _skip(text, close)
    if not text.startswith("{", at):
        return None
    close = _closing(text, at, "{", "}")
    if close < 0:
        return None
    return Block("heading", token.start(), close, level=_LEVELS[token["section"]], title=_title(text[at + 1 : close - 1]))


def _environment(text: str, token: re.Match[str]) -> Block | None:
    """From `\\begin` to the matching `\\end`; None for an environment that holds ordinary text, or is never closed."""
    name = token["begin"]
    kind = _ENVIRONMENTS.get(name.rstrip("*"))
    if kind is None:
        return None
    if name.rstrip("*") in _VERBATIM:
        ending = f"\\end{{{name}}}"
        found = text.find(ending, token.end())
        end = found + len(ending) if found >= 0 else -1
    else:
        end = _matching_end(text, name, token.end())
    if end < 0:
        return None
    if kind != "code":
        return Block(kind, token.start(), end)
    head = text[token.start() : end].split("\n", 1)[0]
    language = _LANGUAGE.search(head)
    return Block(kind, token.start(), end, language=(language[1] or language[2]).lower() if language else "")


def _matching_end(text: str, name: str, at: int) -> int:
    """Where the `\\end{name}` that closes an environment ends; -1 where none does."""
    depth = 1
    while token := _TOKEN.search(text, at):
        at = token.end()
        inner = token["begin"]
        if inner and inner.rstrip("*") in _VERBATIM:
            at = max(at, text.find(f"\\end{{{inner}}}", at))
        elif inner == name:
            depth += 1
        elif token["end"] == name:
            depth -= 1
            if not depth:
                return at
    return -1


def _equation(text: str, token: re.Match[str]) -> Block | None:
    r"""`\[ ... \]` or `$$ ... $$`; None where it is not closed."""
    pattern, closing = (_CLOSING_BRACKET, r"\]") if token["open"] else (_CLOSING_DOLLARS, "$$")
    for found in pattern.finditer(text, token.end()):
        if found[0] == closing:
            return Block("equation", *trimmed(text, Span(token.start(), found.end())))
        if not found[0]:
            return None  # a blank line: TeX allows none in display mathematics, so this bracket never closes
    return None


def _skip(text: str, at: int) -> int:
    match = _ARGUMENT_START.match(text, at)
    return match.end() if match else at


def _closing(text: str, at: int, opening: str, closing: str) -> int:
    """Past the bracket that closes the one at `at`, escapes and comments understood; -1 where none does."""
    depth = 0
    for found in _BRACES.finditer(text, at):
        if found[0] == opening:
            depth += 1
        elif found[0] == closing:
            depth -= 1
            if not depth:
                return found.end()
    return -1


def _title(source: str) -> str:
    words = _UNPRINTED.sub("", source)
    return " ".join(_COMMAND.sub(lambda m: m[1] or (" " if m[0] in ("~", "\\ ", "\\\\") else ""), words).split())


LOADER = Loader(
    format="latex",
    suffixes=(".tex", ".latex", ".ltx"),
    parse=parse_with(from_text),
    from_text=from_text,
)

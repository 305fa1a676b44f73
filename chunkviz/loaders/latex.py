"""LaTeX: the text is the source; sections, environments and displayed equations are found in it, nothing is expanded.

Comments are understood: a section that is commented out is none, and `\\%` starts no comment. So are environments that
show their content as it is: nothing inside `verbatim` is a command.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from chunkviz.document import Block, BlockKind, Document
from chunkviz.loaders.base import Loader
from chunkviz.loaders.code import language_name
from chunkviz.loaders.text import parse_with
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
        "equation align gather multline eqnarray displaymath flalign alignat math dmath subequations".split(),
        "equation",
    ),
    **dict.fromkeys("table tabular tabularx tabulary longtable sidewaystable".split(), "table"),
    **dict.fromkeys("itemize enumerate description".split(), "list"),
}

# One alternative per thing that matters; an escape such as \% or \\ is one so that what follows is not misread.
_TOKEN = re.compile(
    r"%[^\r\n]*"
    r"|(?P<equation>\\\[|\$\$)"
    r"|\\(?:"
    rf"(?P<section>{'|'.join(_LEVELS)})(?![A-Za-z@])\*?"
    r"|begin[ \t]*\{(?P<begin>[A-Za-z]+\*?)\}"
    r"|end[ \t]*\{(?P<end>[A-Za-z]+\*?)\}"
    r"|(?:verb\*?|lstinline)(?![A-Za-z@])(?P<mark>[^\sA-Za-z*{\[])[^\r\n]{0,1000}?(?P=mark)"
    r"|[A-Za-z@]+"
    r"|.)",
    re.DOTALL,
)
_ARGUMENT_START = re.compile(r"\s*(?:%[^\r\n]*\s*)*")
# Another section inside a title means that the title was never closed.
_BRACES = re.compile(
    rf"%[^\r\n]*|\\(?P<next>(?:{'|'.join(_LEVELS)})(?![A-Za-z@]))|\\.|[{{}}\[\]]",
    re.DOTALL,
)
_IN_EQUATION = re.compile(r"\\.|%[^\r\n]*|\$\$|(?=(?>\r\n|\r|\n)[ \t]*[\r\n])", re.DOTALL)
# A title, or what stands between its brackets, is looked for no further than this many characters.
_LONGEST_ARGUMENT: Final = 1000
_LANGUAGE = re.compile(r"(?:\[[^\]\r\n]*\])?\{([A-Za-z0-9+#-]+)\}|\[[^\]]*?\blanguage\s*=\s*\{?\s*([A-Za-z0-9+#]+)")
# Commands in a title whose argument is no part of it, then every other command; its argument stays.
_UNPRINTED = re.compile(r"\\(?:label|footnote|index|thanks|cite[a-z]*)\*?(?:\[[^\]]*\])*\{[^{}]*\}|(?<!\\)%[^\r\n]*")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+\*?\s*|([&%$#_{}])|[,;:!\\ ])|[{}$~]")


def from_text(text: str, name: str, language: str) -> Document:
    r"""LaTeX: headings from \part (level 1) to \subparagraph (7), code, equations, tables, lists, paragraphs."""
    return Document(text, name, "latex", blocks=filled(text, _blocks(text)))


def _blocks(text: str) -> Iterator[Block]:
    """The outermost of everything found, in order: a section inside a table is part of the table."""
    at = 0
    for block in sorted(_found(text), key=lambda b: (b.start, -b.end)):
        if block.start >= at:
            yield block
            at = block.end


def _found(text: str) -> Iterator[Block]:
    """Every heading, environment and equation, nested ones included; one pass, whatever is left open."""
    open_: list[re.Match[str]] = []
    open_names: Counter[str] = Counter()
    never_closed: set[str] = set()
    at = 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        name = token["begin"] or token["end"] or ""
        block = None
        if token["section"]:
            block = _heading(text, token)
        elif token["equation"]:
            block = _equation(text, token)
        elif token["begin"] and name.rstrip("*") in _VERBATIM:
            ending = f"\\end{{{name}}}"
            end = -1 if name in never_closed else text.find(ending, at)
            if end < 0:
                never_closed.add(name)  # nor later: one look to the end of the text is enough
            else:
                block = _verbatim(text, token, end + len(ending))
        elif token["begin"] and name.rstrip("*") in _ENVIRONMENTS:
            open_.append(token)
            open_names[name] += 1
        elif token["end"] and open_names[name]:
            while True:
                start = open_.pop()
                open_names[start["begin"]] -= 1
                if start["begin"] == name:
                    break
            yield Block(_ENVIRONMENTS[name.rstrip("*")], start.start(), at)
        if block:
            yield block
            at = block.end


def _heading(text: str, token: re.Match[str]) -> Block | None:
    r"""`\section*[short]{Title}`; None where no title in braces follows, as in `\let\section=\undefined`."""
    at = _skip(text, token.end())
    if text.startswith("[", at):
        at = _skip(text, _closing(text, at, "[", "]"))
    if not text.startswith("{", at):
        return None
    close = _closing(text, at, "{", "}")
    if close == at:
        return None
    return Block(
        "heading", token.start(), close, level=_LEVELS[token["section"]], title=_title(text[at + 1 : close - 1])
    )


def _verbatim(text: str, token: re.Match[str], end: int) -> Block:
    """Text that is shown as it is, with the language that `minted` and `lstlisting` name; a comment is a paragraph."""
    kind = _ENVIRONMENTS[token["begin"].rstrip("*")]
    found = _LANGUAGE.match(text, token.end(), min(end, token.end() + _LONGEST_ARGUMENT))
    named = kind == "code" and token["begin"] in ("minted", "lstlisting") and found
    return Block(kind, token.start(), end, language=language_name(found[1] or found[2]) if named and found else "")


def _equation(text: str, token: re.Match[str]) -> Block | None:
    r"""`\[ ... \]` or `$$ ... $$`; None where it is not closed before the next blank line, as TeX demands."""
    closing = r"\]" if token["equation"] == r"\[" else "$$"
    for found in _IN_EQUATION.finditer(text, token.end()):
        if found[0] == closing:
            return Block("equation", token.start(), found.end())
        if found[0] in ("", r"\["):
            return None
    return None


def _skip(text: str, at: int) -> int:
    match = _ARGUMENT_START.match(text, at)
    return match.end() if match else at


def _closing(text: str, at: int, opening: str, closing: str) -> int:
    """Past the bracket that closes the one at `at`, escapes and comments understood; `at` where none does."""
    depth = 0
    for found in _BRACES.finditer(text, at, at + _LONGEST_ARGUMENT):
        if found["next"]:
            return at
        if found[0] == opening:
            depth += 1
        elif found[0] == closing:
            depth -= 1
            if not depth:
                return found.end()
    return at


def _title(source: str) -> str:
    words = _UNPRINTED.sub("", source)
    return " ".join(_COMMAND.sub(lambda m: m[1] or (" " if m[0] in ("~", "\\ ", "\\\\") else ""), words).split())


LOADER = Loader(
    format="latex",
    suffixes=(".tex", ".latex", ".ltx"),
    parse=parse_with(from_text),
    from_text=from_text,
)

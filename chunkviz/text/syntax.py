"""Syntax trees of source code: grammars that come as packages, parsed within a budget, positions in code points.

Each grammar is a Python package that carries its parser as a binary; nothing is fetched. A parser counts UTF-8 bytes,
chunkviz counts code points: `SyntaxTree.position` is the only place where one becomes the other.

A parser can get lost in hostile text: 20 kB of `a=>a=>` as C take it half a minute and gigabytes. Three limits, all far
beyond what source that anyone wrote needs: its own steps, so that the same text gives the same chunks on every machine;
behind that the processor's time, since a step can become slower and slower; and before both, chains of assignments,
type arguments or conditions that never end, because the step that gives them up cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from time import thread_time
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import Document
from chunkviz.graphemes import graphemes

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree


class Grammar(NamedTuple):
    """Where a grammar comes from: the distribution to install, the function in it, and how a reader knows the language."""

    distribution: str
    function: str
    title: str


GRAMMARS: Final[dict[str, tuple[Grammar, ...]]] = {
    "python": (Grammar("tree-sitter-python", "language", "Python"),),
    "javascript": (Grammar("tree-sitter-javascript", "language", "JavaScript"),),
    "typescript": (
        Grammar("tree-sitter-typescript", "language_typescript", "TypeScript"),
        Grammar("tree-sitter-typescript", "language_tsx", "TypeScript with JSX"),
    ),
    "java": (Grammar("tree-sitter-java", "language", "Java"),),
    "c": (Grammar("tree-sitter-c", "language", "C"), Grammar("tree-sitter-cpp", "language", "C++")),
    "cpp": (Grammar("tree-sitter-cpp", "language", "C++"),),
    "csharp": (Grammar("tree-sitter-c-sharp", "language", "C#"),),
    "go": (Grammar("tree-sitter-go", "language", "Go"),),
    "rust": (Grammar("tree-sitter-rust", "language", "Rust"),),
    "ruby": (Grammar("tree-sitter-ruby", "language", "Ruby"),),
    "php": (Grammar("tree-sitter-php", "language_php", "PHP"),),
    "bash": (Grammar("tree-sitter-bash", "language", "Bash"),),
    "sql": (Grammar("tree-sitter-sql", "language", "SQL"),),
}
"""Language to grammars. Where there are two, the second is taken if it reads a file that the first cannot: `.h` files
are C or C++, `.ts` and `.tsx` are one language to the loader."""

_PHP_ALONE: Final = Grammar("tree-sitter-php", "language_php_only", "PHP")

# The parser reports every hundred of its steps. Of some 400 source files in nine languages none made it report more than
# 22 times per 1,000 bytes; a list of digits, where every other byte is a token, takes 50, a lost parser 60 and more.
_REPORTS_PER_BYTE: Final = 0.07
_REPORTS_TO_START: Final = 2_000
# Python's standard library takes 0.1 s per megabyte.
_SECONDS_PER_BYTE: Final = 3e-6
_SECONDS_TO_START: Final = 1.0
# Giving up a chain of 1,000 takes half a second, one of ten times as many a hundred times as long.
_LONGEST_CHAIN: Final = 1_000
_NEEDS_SEMICOLONS: Final = frozenset("c cpp java csharp php rust".split())
_READ_AT_ONCE: Final = 1 << 16


class SyntaxTree:
    """The tree of one text.

    root    : the outermost node
    data    : the UTF-8 bytes that the nodes' positions count
    grammar : what parsed it
    """

    def __init__(self, document: Document, data: bytes, tree: Tree, grammar: Grammar) -> None:
        self.data = data
        self.grammar = grammar
        self.root: Node = tree.root_node
        self._begun: NDArray[np.int32] | None = None
        self._graphemes = graphemes(document)
        if len(data) != len(document.text):
            begins = (np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80
            self._begun = np.concatenate(([0], np.cumsum(begins, dtype=np.int32))).astype(np.int32)

    def position(self, byte: int) -> int:
        """The code point at a byte position; the beginning of its grapheme cluster where it is inside one."""
        return self._graphemes.floor(byte if self._begun is None else int(self._begun[byte]))

    def words(self, node: Node) -> str:
        """The source of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    @property
    def has_fault(self) -> bool:
        """Whether there is a place that the grammar could not read."""
        return self.root.has_error

    def first_fault(self) -> int:
        """The line, counted from 1, of the first such place; 0 where there is none, or nothing of the whole was read."""
        node = self.root
        while node.has_error and not node.is_error and not node.is_missing:
            inner = next((c for c in node.children if c.has_error or c.is_error or c.is_missing), None)
            if inner is None:
                break
            node = inner
        return 0 if node.id == self.root.id else node.start_point.row + 1


class NoTree(NamedTuple):
    """Why there is no tree, in words for a reader."""

    reason: str


def syntax_tree(document: Document) -> SyntaxTree | NoTree:
    """The document's syntax tree, worked out once, or the reason why there is none."""
    return document.derive("syntax tree", lambda: _syntax_tree(document))


def _syntax_tree(document: Document) -> SyntaxTree | NoTree:
    if document.format != "code":
        return NoTree("This document is not source code")
    grammars = GRAMMARS.get(document.language)
    if grammars is None:
        return NoTree(f"chunkviz has no grammar for {document.language or 'this language'}")
    if document.language == "php" and "<?" not in document.text:
        grammars = (_PHP_ALONE,)
    data = document.text.encode("utf-8")
    if (
        _longest_chain(data, b";,(){}[]" if document.language in _NEEDS_SEMICOLONS else b";,(){}[]\n\r")
        > _LONGEST_CHAIN
    ):
        return NoTree(f"The grammar for {grammars[0].title} would get lost in this text")
    found: SyntaxTree | None = None
    reason = ""
    for grammar in grammars:
        language = _language(grammar)
        if language is None:
            reason = reason or (
                f"The grammar for {grammar.title} is not installed or does not load (pip install {grammar.distribution})"
            )
            continue
        tree = _parsed(data, language)
        if tree is None:
            reason = reason or f"The grammar for {grammar.title} gets lost in this text"
        elif not tree.root_node.has_error:
            return SyntaxTree(document, data, tree, grammar)
        elif found is None:
            found = SyntaxTree(document, data, tree, grammar)
    return found or NoTree(reason)


def _longest_chain(data: bytes, ends: bytes) -> int:
    """The most `=`, `<` and `?`, those side by side counted once, between two of the bytes that end a chain."""
    found = np.frombuffer(data, dtype=np.uint8)
    links = _among(b"=<?", found)
    links[1:] &= ~links[:-1].copy()
    before = np.searchsorted(np.flatnonzero(links), np.flatnonzero(_among(ends, found)))
    return int(np.diff(before, prepend=0, append=np.count_nonzero(links)).max())


def _among(wanted: bytes, found: NDArray[np.uint8]) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(wanted)] = True
    return table[found]


@cache
def _language(grammar: Grammar) -> Language | None:
    """The grammar, None where it is not installed or was built for another tree-sitter."""
    try:
        from tree_sitter import Language

        pointer: Callable[[], object] = getattr(import_module(grammar.distribution.replace("-", "_")), grammar.function)
        return Language(pointer())
    except (ImportError, AttributeError, ValueError):
        return None


def _parsed(data: bytes, language: Language) -> Tree | None:
    """The tree, None where the parser used up its budget."""
    from tree_sitter import Parser

    # The scanner of the Bash grammar takes memory quadratic in a run of NULs. No source has one; a blank is as long.
    shown = data.replace(b"\0", b" ")
    reports = 0
    until = thread_time() + _SECONDS_TO_START + len(data) * _SECONDS_PER_BYTE

    def lost(offset: int, _has_error: bool) -> bool:
        nonlocal reports
        reports += 1
        return reports > _REPORTS_TO_START + offset * _REPORTS_PER_BYTE or thread_time() > until

    try:
        return Parser(language).parse(lambda at, _point: shown[at : at + _READ_AT_ONCE], progress_callback=lost)
    except ValueError:
        return None

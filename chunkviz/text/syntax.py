"""Syntax trees of source code: grammars that come as packages, positions in code points.

Each grammar is a Python package that carries its parser as a binary; nothing is fetched. A parser counts UTF-8 bytes,
chunkviz counts code points: `SyntaxTree.position` is the only place where one becomes the other. How a parser is held
to time and memory: `syntax_parsing`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import Document
from chunkviz.graphemes import graphemes
from chunkviz.text.syntax_parsing import Grammar, parsed

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

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

_NEEDS_SEMICOLONS: Final = frozenset("c cpp java csharp php rust".split())
# With fewer bytes than this beyond the first of their characters in a thousand, these are looked up one by one.
_FEW: Final = 50


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
        self._text = document.text
        self._graphemes = graphemes(document)
        self._beyond: list[int] = []  # bytes beyond the first of their character, where they are few
        self._begun: NDArray[np.int32] | None = None  # how many characters begin before each byte, where they are many
        if len(data) != len(document.text):
            beyond = (np.frombuffer(data, dtype=np.uint8) & 0xC0) == 0x80
            if (len(data) - len(document.text)) * 1000 < len(data) * _FEW:
                self._beyond = np.flatnonzero(beyond).tolist()
            else:
                self._begun = np.zeros(len(data) + 1, dtype=np.int32)
                np.cumsum(~beyond, dtype=np.int32, out=self._begun[1:])

    def position(self, byte: int) -> int:
        """The code point at a byte position; the beginning of its grapheme cluster where it is inside one."""
        at = byte - bisect_left(self._beyond, byte) if self._begun is None else int(self._begun[byte])
        around = self._text[at - 1 : at + 1]
        # Two ASCII characters have a border between them, unless they are one line end.
        return at if around.isascii() and around != "\r\n" else self._graphemes.floor(at)

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
    ends = b";,(){}[]" if document.language in _NEEDS_SEMICOLONS else b";,(){}[]\n\r"
    found: SyntaxTree | None = None
    reason = ""
    for grammar in grammars:
        tree = parsed(data, grammar, ends)
        if isinstance(tree, str):
            reason = reason or f"The grammar for {grammar.title} {tree}"
        elif not tree.root_node.has_error:
            return SyntaxTree(document, data, tree, grammar)
        elif found is None:
            found = SyntaxTree(document, data, tree, grammar)
    return found or NoTree(reason)

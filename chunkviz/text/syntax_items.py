"""The children of a syntax node as items to pack: which stay together, and what each is called.

Items partition their node: one begins where it begins in the source and ends where the next one begins. A closing
bracket, a comma and a comment on the same line belong to what stands before; an opening bracket to what follows.
An item is *tied* to the one before where a cut between the two should be the last resort:

    a comment or a decorator   and what it describes
    `class Foo:`               and its first member
    the parts of a statement   among each other

Between the members of a body there is no tie, nor before `else` and `except`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from chunkviz.text.syntax import SyntaxTree

if TYPE_CHECKING:
    from tree_sitter import Node

_BODY: Final = re.compile(
    r"module|program|translation_unit|source_file|compilation_unit|block|\w*body|enum_body_declarations"
    r"|body_statement|compound_statement|statement_block|(?:switch|match|unsafe)_block|statement_list|do_group|then|begin"
    r"|\w*declaration_list|\w*variant_list|enumerator_list|preproc_(?:ifdef|if|else|elif)"
)
_DEFINES: Final = re.compile(
    r"(?:\w+_)?(?:class|struct|interface|trait|impl|enum|union|record|namespace|module|mod|function|method|constructor"
    r"|destructor|decorated|template|type|trigger|procedure|view|table)"
    r"(?:_(?:definition|declaration|item|specifier|signature|statement|alias\w*|spec))?"
)
_REFERS: Final = re.compile(
    r"\w*(?:expression|_type|type_identifier)|type|(?:storage|sized|placeholder|explicit|nested|macro|primitive)_\w+"
    r"|(?:arrow|anonymous|generic|window|template)_(?:function|method|class)"
)
_LEAD: Final = re.compile(
    r"decorator|attribute_item|attribute_list|annotation|marker_annotation|modifiers|access_specifier|php_tag"
)
_COMMENT: Final = re.compile(r"\w*comment|marginalia")
_OPENS: Final = ("(", "[", "{")
_CLOSING_WORDS: Final = frozenset("end fi done esac #endif".split())
_NAME_LENGTH: Final = 60
_HEADER_LENGTH: Final = 300
_MOST_STEPS_BACK: Final = 100


class Kind(NamedTuple):
    """What the name of a node's kind says in any of the grammars.

    body    : its children are members or statements of equal rank
    defines : a class, a function or the like
    comment, lead : describes what follows; a lead is a decorator, an attribute and the like
    """

    body: bool
    defines: bool
    comment: bool
    lead: bool


@cache
def kind_of(name: str) -> Kind:
    """The kind of a node by its name; there are a few hundred names in all grammars together."""
    return Kind(
        body=_BODY.fullmatch(name) is not None,
        defines=_DEFINES.fullmatch(name) is not None and _REFERS.fullmatch(name) is None,
        comment=_COMMENT.fullmatch(name) is not None,
        lead=_LEAD.fullmatch(name) is not None,
    )


class Scope(NamedTuple):
    """A definition that an item is inside of: its header in the source's words, and what a reason calls it."""

    header: str
    label: str


class Item(NamedTuple):
    """Part of a node. Positions are code points, never inside a grapheme cluster; the next item begins at `end`.

    tied   : a cut before it is the last resort
    node   : what it can be taken apart into, None for a leaf
    scopes : the definitions around it, outermost first, whose headers stand before it
    opens  : the definition whose first child it is
    """

    start: int
    end: int
    tied: bool
    node: Node | None
    scopes: tuple[Scope, ...]
    opens: Node | None = None


def is_lead(node: Node | None) -> bool:
    """Whether a node describes what follows it: a comment, a decorator, an attribute."""
    return node is not None and (kind_of(node.type).comment or kind_of(node.type).lead)


def is_definition(node: Node | None) -> bool:
    """Whether a node is a class, a function or the like, also with its decorators or `export` around it."""
    return node is not None and _defines(_inner(node))


def _defines(node: Node) -> bool:
    kind = node.type
    if not kind_of(kind).defines or not node.child_count:
        return False
    # `struct s x;` only names the struct, and the root of a Python tree is called a module.
    needed = "body" if kind.endswith("_specifier") else "name" if kind == "module" else ""
    return not needed or node.child_by_field_name(needed) is not None


def items(tree: SyntaxTree, whole: Item) -> list[Item]:
    """The children of `whole.node`, in order; the first begins and the last ends where `whole` does. May be empty."""
    node = whole.node
    if node is None:
        return []
    body = kind_of(node.type).body and not (node.type == "module" and _defines(node))
    scopes = inside = whole.scopes
    starts: list[int] = []
    about: list[tuple[bool, Node, tuple[Scope, ...]]] = []
    opened = -1  # where brackets begin that wait for what they hold
    end = node.start_byte
    previous: Node | None = None
    for child in _children(node):
        first, last, name = child.start_byte, child.end_byte, child.type
        if first >= last:
            continue  # a missing token, the end of an indented block
        if not child.is_named:
            if name.endswith(_OPENS) and not name[0].isalpha():
                opened, end = first if opened < 0 else opened, last
                continue
            if starts and (name in _CLOSING_WORDS or not any(map(str.isalnum, name))):
                end = last
                continue
        lines = _lines_between(tree.data, end, first)
        kind = kind_of(name)
        if kind.comment and not lines and (starts or opened >= 0):
            end = last
            continue
        if kind.body and not body and inside is scopes:
            inside = (*scopes, *_scope(tree, node, child))
        start = tree.position(first if opened < 0 else opened)
        if not starts or start > starts[-1]:
            starts.append(start)
            about.append((_tied(node, previous, child, body, lines), child, inside))
        opened, end, previous = -1, last, child
    if not starts:
        return []
    opens = whole.opens or (node if is_definition(node) else None)
    begins = [whole.start, *starts[1:]]
    stops = [*starts[1:], whole.end]
    found = [Item(start, stop, *more) for start, stop, more in zip(begins, stops, about, strict=True)]
    found[0] = found[0]._replace(tied=whole.tied, opens=opens)
    return found


def _tied(node: Node, previous: Node | None, child: Node, body: bool, lines: int) -> bool:
    """Whether a cut between two neighbouring children is the last resort; `lines` is how many line ends are between."""
    if previous is None:
        return True
    before, kind = kind_of(previous.type), kind_of(child.type)
    if before.comment:
        return lines < 2
    if before.lead or not previous.is_named:
        return True
    if body:
        return not lines and not kind.defines
    if node.is_error:
        return not lines
    clause = child.type.endswith(("_clause", "else"))
    return not (before.body or (clause and previous.type.endswith("_clause")))


def _children(node: Node) -> Iterator[Node]:
    """One by one: a list of the children of a line of a million tokens takes a hundred megabytes."""
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        if cursor.node is not None:
            yield cursor.node
        more = cursor.goto_next_sibling()


def ends(node: Node) -> Iterator[int]:
    """Byte positions at which a node can be said to end: where it does, and before the comments that it ends with.

    Some grammars take what is written under a function, indented like its body, for part of it; Python does not.
    """
    yield node.end_byte
    cursor = node.walk()
    steps = 0
    while steps < _MOST_STEPS_BACK and cursor.goto_last_child():
        comments = False
        while cursor.node is not None and kind_of(cursor.node.type).comment and steps < _MOST_STEPS_BACK:
            steps += (
                1  # one step back costs more, the more siblings there are: a run of a million comments is left as it is
            )
            comments = True
            if not cursor.goto_previous_sibling():
                return
        if comments and cursor.node is not None and not kind_of(cursor.node.type).comment:
            yield cursor.node.end_byte
        steps += 1


def _lines_between(data: bytes, end: int, start: int) -> int:
    """Line ends between two nodes; some grammars count the one after a comment as its last byte."""
    if end and data[end - 1 : end] == b"\n":
        end -= 1
    return max(data.count(b"\n", end, start), data.count(b"\r", end, start))


def _scope(tree: SyntaxTree, node: Node, body: Node) -> tuple[Scope, ...]:
    if not is_definition(node):
        return ()
    header = tree.data[node.start_byte : body.start_byte].decode("utf-8", "replace")
    header = " ".join(header.split()).removesuffix("{").rstrip()
    if len(header) > _HEADER_LENGTH:
        header = header[: _HEADER_LENGTH - 1] + "…"
    return (Scope(header, label(tree, node)),)


# --- what an item is called --------------------------------------------------------------------------------------

_WORDS: Final = (
    ("class", "class"),
    ("interface", "interface"),
    ("struct", "struct"),
    ("enum", "enum"),
    ("union", "union"),
    ("record", "record"),
    ("trait", "trait"),
    ("impl", "impl"),
    ("namespace", "namespace"),
    ("mod", "module"),
    ("method", "method"),
    ("constructor", "constructor"),
    ("destructor", "destructor"),
    ("function", "function"),
    ("trigger", "trigger"),
    ("procedure", "procedure"),
    ("view", "view"),
    ("table", "table"),
    ("type", "type"),
)


_AROUND: Final = frozenset(
    "decorated_definition export_statement template_declaration type_declaration statement declaration".split()
)


def _inner(node: Node) -> Node:
    """The definition inside decorators, `export`, `template` and the like; the node itself where there is none."""
    at = node
    while at.type in _AROUND and at.named_child_count <= 8:
        inner = next((c for c in reversed(at.named_children) if c.type in _AROUND or _defines(c)), None)
        if inner is None:
            return node
        at = inner
    return at


def label(tree: SyntaxTree, node: Node) -> str:
    """What a definition is called ("class Foo", "function bar"); "" for everything else."""
    node = _inner(node)
    if not _defines(node):
        return ""
    word = next((word for part, word in _WORDS if part in node.type), "definition")
    named = node.child_by_field_name("name") or node.child_by_field_name("type") or node
    if node.child_by_field_name("declarator") is not None:
        named = node  # C and its kin: the type is what the function returns
    for _ in range(8):  # and the name is inside pointers, arrays and parameters
        inner = named.child_by_field_name("declarator")
        if inner is None:
            break
        named = inner
    if named is node:
        kinds = ("identifier", "constant", "object_reference", "type_identifier", "word")
        first = next((c for c in node.named_children[:8] if c.type in kinds), None)
        name = tree.words(first) if first is not None else ""
    else:
        name = tree.words(named)
    return f"{word} {' '.join(name.split())[:_NAME_LENGTH]}".strip()


def called(tree: SyntaxTree, together: list[Item]) -> str:
    """How a reason names the place where these items begin: the definition among them, or the line."""
    named = next((i for i in together if i.opens is not None or not is_lead(i.node)), together[0])
    node = named.opens or named.node
    inside = f", inside {named.scopes[-1].label}" if named.scopes else ""
    if node is None:
        return f"what is left of a statement{inside}"
    line = node.start_point.row + 1
    words = label(tree, node)
    return f"{words} (line {line})" if words else f"line {line}{inside}"

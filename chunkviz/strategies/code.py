"""Code: along the syntax tree, so that functions, methods and classes stay whole where they fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from chunkviz.document import Document
from chunkviz.params import UNIT, Flag, Int, Params
from chunkviz.spec import Cut, Services, Strategy
from chunkviz.text.recursive import fitting_splitter
from chunkviz.text.syntax import NoTree, syntax_tree
from chunkviz.text.syntax_cutter import SyntaxCutter


@dataclass(frozen=True)
class CodeParams(Params):
    owner: ClassVar[str] = "code"

    size: Annotated[
        int,
        Int(
            label="Size",
            unit=UNIT,
            low=1,
            high=1_000_000,
            soft_high=2048,
            help="The most that goes into one chunk; a longer class is cut between its methods, a longer function between "
            "its statements. Larger: more of them stay whole.",
        ),
    ] = 512
    merge: Annotated[
        bool,
        Flag(
            label="Join small neighbours",
            help="Puts neighbouring functions and classes into one chunk while they fit. On: fewer, fuller chunks. "
            "Off: each has a chunk of its own.",
        ),
    ] = True
    context: Annotated[
        bool,
        Flag(
            label="Headers as context",
            help="Gives a method the header of its class, and a part of a function the header of both, to be embedded "
            "with it. On: a part says where it belongs, and costs a few more tokens to embed.",
        ),
    ] = True


def cut(document: Document, params: CodeParams, services: Services) -> Cut:
    """Chunks along the syntax tree; those of the separator sets where there is no tree, with a note that says why."""
    splitter, note = fitting_splitter(document, services.measure, params.size, 0)
    tree = syntax_tree(document)
    if isinstance(tree, NoTree):
        reason = f"{tree.reason}; it was cut at separators, like “recursive” without overlap."
        return Cut(splitter.pieces(0, len(document.text)), notes=[reason, note] if note else [reason])
    cutter = SyntaxCutter(
        document.text, tree, services.measure, services.graphemes, splitter, params.size, params.merge
    )
    notes = []
    if tree.has_fault:
        line = tree.first_fault()
        notes.append(
            f"The grammar for {tree.grammar.title} could not read everything{f', first in line {line}' if line else ''}; "
            "cuts near such a place may be less apt."
        )
    return Cut(cutter.pieces(context=params.context), notes=notes)


SPEC = Strategy(
    id="code",
    title="Code",
    one_line="Functions, methods and classes in one piece wherever they fit",
    how="Reads source code with the grammar of its language. Neighbours share a chunk while they fit; a class that is too "
    "long is cut between its methods, a function between its statements. Comments and decorators stay with what they "
    "describe, and a method carries the header of its class as context.",
    good_for="Source code in Python, JavaScript, TypeScript, Java, C, C++, C#, Go, Rust, Ruby, PHP, Bash and SQL.",
    watch_out="Text that is not code, and languages without a grammar, are cut at separators instead. Small functions that "
    "share a chunk have nothing in common but their place.",
    source="Zhang et al., “cAST: Enhancing Code Retrieval-Augmented Generation with Structural Chunking via Abstract Syntax "
    "Tree”, 2025 (arXiv:2506.15655); tree-sitter grammars.",
    version=3,
    params_class=CodeParams,
    cut=cut,
)

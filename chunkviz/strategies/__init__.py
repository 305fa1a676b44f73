"""The built-in strategies, in the order they are shown. A new one is its file and one line here.

Strategies from elsewhere come as entry points in the group `chunkviz.strategies`; see `registry`.
"""

from typing import Final

BUILT_IN: Final = (
    "chunkviz.strategies.fixed",
    "chunkviz.strategies.recursive",
    "chunkviz.strategies.sentence",
    "chunkviz.strategies.structure",
    "chunkviz.strategies.page",
    "chunkviz.strategies.semantic",
    "chunkviz.strategies.semantic_structure",
    "chunkviz.strategies.semantic_optimal",
    "chunkviz.strategies.code",
    "chunkviz.strategies.html",
    "chunkviz.strategies.json_",
    "chunkviz.strategies.latex",
    "chunkviz.strategies.llm",
    "chunkviz.strategies.proposition",
    "chunkviz.strategies.manual",
)
"""Modules that hold a `SPEC`."""

"""What Word's styles make of a paragraph: a heading, a list item, or text. Style ids are localized, these facts are not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
"""The namespace of word processing, as lxml writes it in front of a tag."""

BODY_TEXT: Final = 9
"""The outline level, counted from 0, that stands for “no heading”."""

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_LIST = re.compile(r"list (?:bullet|number)(?: ([2-5]))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    """What a style says, what it inherits included.

    level      : of a heading from 1, 0 for text
    list_level : of a list item from 0, -1 where it is none
    """

    level: int = 0
    list_level: int = -1


def level_of(properties: Any) -> int | None:
    """The level from 1 that paragraph properties set, 0 for text, None where they leave it to the style."""
    outline = properties.find(f"{W}outlineLvl")
    value = outline.get(f"{W}val", "") if outline is not None else ""
    if not re.fullmatch(r"\d", value):
        return None
    return 0 if int(value) == BODY_TEXT else int(value) + 1


def list_level_of(properties: Any) -> int | None:
    """The level from 0 of a list item that paragraph properties set, -1 for none, None where they leave it to the style."""
    numbering = properties.find(f"{W}numPr")
    if numbering is None:
        return None
    list_id, level = numbering.find(f"{W}numId"), numbering.find(f"{W}ilvl")
    if list_id is None:
        return None  # a level alone puts nothing into a list
    if list_id.get(f"{W}val") == "0":
        return -1  # how Word takes a paragraph out of the list that its style is in
    value = level.get(f"{W}val", "") if level is not None else ""
    return int(value) if re.fullmatch(r"[0-8]", value) else 0


def styles_of(tree: Any) -> dict[str, Style]:
    """Every paragraph style by its id, with what it inherits from those it is based on."""
    own: dict[str, tuple[int | None, int | None]] = {}
    parents: dict[str, str] = {}
    for style in tree.iter(f"{W}style"):
        style_id = style.get(f"{W}styleId", "")
        own[style_id] = _own(style)
        parent = style.find(f"{W}basedOn")
        if parent is not None:
            parents[style_id] = parent.get(f"{W}val", "")
    return {style_id: _inherited(style_id, own, parents) for style_id in own}


def _own(style: Any) -> tuple[int | None, int | None]:
    """What a style sets itself: by its built-in name, which is English in every language, or by its properties."""
    named = style.find(f"{W}name")
    name = named.get(f"{W}val", "") if named is not None else ""
    properties = style.find(f"{W}pPr")
    level = level_of(properties) if properties is not None else None
    item = list_level_of(properties) if properties is not None else None
    if match := _HEADING.fullmatch(name):
        level = int(match[1])
    elif name.lower() == "title" and level is None:
        level = 1
    if item is None and (match := _LIST.fullmatch(name)):
        item = int(match[1] or 1) - 1
    return level, item


def _inherited(style_id: str, own: Mapping[str, tuple[int | None, int | None]], parents: Mapping[str, str]) -> Style:
    level: int | None = None
    item: int | None = None
    seen: set[str] = set()
    at = style_id
    while at in own and at not in seen:  # a damaged file may have styles that are based on each other
        seen.add(at)
        level = own[at][0] if level is None else level
        item = own[at][1] if item is None else item
        at = parents.get(at, "")
    return Style(level or 0, -1 if item is None else item)

"""Words as a printed page breaks them: hyphens at line ends, ligatures, characters without a meaning."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

SOFT_HYPHEN: Final = "\u00ad"

_LIGATURES: Final = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
# Arabic letters in the shape they have at one place of a word: a search looks for the letter.
_SHAPE: Final = "\ufb50-\ufdf9\ufe70-\ufefc"
_LIGATURE: Final = re.compile(f"[{''.join(_LIGATURES)}{_SHAPE}]")
# Controls, half characters, the replacement character and the ranges in which each font means what it likes.
_UNREADABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffd\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)
_NO_CHARACTER: Final = re.compile("[\x00\ud800-\udfff]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_COMPOUND: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_HYPHENS: Final = "\u2010-"  # in this order: the plain one ends a character class
_BROKEN: Final = re.compile(rf"(?<!\S)([^\s{_HYPHENS}]*?([^\W\d_]+))[{_HYPHENS}]\Z")
_SCRIPT_WITHOUT_SPACES: Final = re.compile(
    "[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)

# First parts that are followed by a hyphen of their own far more often than by the rest of a broken word.
_FIRST_PARTS: Final = frozenset(
    "all cross ever ex first full half high ill light long low mid much non old one quasi second self semi short so"
    " third three two well wide".split()
)
# “Vor- und Nachteile”, “pre- and post-war”: what follows belongs to the next word.
_AND: Final = frozenset("and or to und oder bis bzw sowie et ou y o e en of och eller".split())


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a document's own lines say about its words, in small letters: those written as one, and with a hyphen."""

    words: frozenset[str]
    compounds: frozenset[str]


def vocabulary(lines: Iterable[str]) -> Vocabulary:
    """Every word and every hyphenated word that stands whole in a line."""
    words: set[str] = set()
    compounds: set[str] = set()
    for line in lines:
        small = line.casefold().replace("\u2010", "-")
        words.update(_WORD.findall(small))
        compounds.update(_COMPOUND.findall(small))
    return Vocabulary(frozenset(words), frozenset(compounds))


def is_broken(text: str) -> bool:
    """Whether `text` ends in a word that a line end may have broken."""
    return text.endswith(SOFT_HYPHEN) or _BROKEN.search(text) is not None


def glue(before: str, after: str, known: Vocabulary, join_hyphens: bool = True) -> tuple[str, str, bool]:
    """How two lines of one paragraph are joined: (what is left of `before`, what comes between, a word was mended).

    A soft hyphen is always taken out. Any other hyphen at a line end is taken out where the next line goes on in small
    letters, unless one of these says that it belongs to the word: the document writes the word with this hyphen
    elsewhere and nowhere as one; what stands before it is hyphenated itself, holds a digit, or a capital after its
    first letter; or it is a part such as “well” or “self”. Before “and” it is a hyphen in waiting and stays.

    >>> glue("a ma-", "neuver", vocabulary([])), glue("a well-", "known fact", vocabulary([]))
    (('a ma', '', True), ('a well-', '', False))
    """
    if before.endswith(SOFT_HYPHEN):
        return before[:-1], "", True
    if _SCRIPT_WITHOUT_SPACES.match(before[-1:]) and _SCRIPT_WITHOUT_SPACES.match(after[:1]):
        return before, "", False
    if not join_hyphens or not before.endswith(tuple(_HYPHENS)) or not after[:1].isalnum() or before[-2:-1].isspace():
        return before, " ", False
    next_word = _WORD.match(after)
    tail = next_word[0].casefold() if next_word else ""
    if tail in _AND:
        return before, " ", False
    broken = _BROKEN.search(before)
    if broken is None or not after[:1].islower():
        # “COVID-19-⏎related”, “Anglo-⏎Saxon”, “2019-⏎2020”: no break has put this hyphen in.
        return before, "" if before[-2:-1].isalnum() else " ", False
    token, head = re.sub(r"^\W+", "", broken[1]), broken[2]
    whole, parted = (head + tail).casefold(), f"{head}-{tail}".casefold()
    own_hyphen = (
        token != head
        or head[1:] != head[1:].lower()
        or (whole not in known.words and (parted in known.compounds or head.casefold() in _FIRST_PARTS))
    )
    return (before, "", False) if own_hyphen else (before[:-1], "", True)


def joined(lines: Sequence[str], known: Vocabulary, join_hyphens: bool, counts: Counter[str]) -> str:
    """The lines of one paragraph as one line, words made whole; counts "hyphens"."""
    parts: list[str] = []
    for line in lines:
        if parts:
            parts[-1], between, mended = glue(parts[-1], line, known, join_hyphens)
            counts["hyphens"] += mended
            parts.append(between)
        parts.append(line)
    return "".join(parts).replace(SOFT_HYPHEN, "")


def cleaned(text: str, counts: Counter[str]) -> str:
    """One line with its ligatures as letters and single spaces; counts "ligatures" and "unreadable".

    Characters that no text can hold (NUL, half characters) become U+FFFD; others without a meaning stay as they are.
    """
    text, ligatures = _LIGATURE.subn(lambda match: _LIGATURES.get(match[0]) or normalize("NFKC", match[0]), text)
    counts["ligatures"] += ligatures
    counts["unreadable"] += len(_UNREADABLE.findall(text))
    return " ".join(_NO_CHARACTER.sub("\ufffd", text).split())

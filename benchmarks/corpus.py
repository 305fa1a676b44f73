"""The text that is cut: one third prose, one third Markdown, one third Python code, as many bytes as asked for.

Nothing is fetched. Words and code come from the sources of Python's own standard library, which is on every machine
that can run this; names, accents and emoji from short lists here. The same Python gives the same text, and a longer
text begins with the shorter one. Other releases of Python carry other sources: compare figures of one run only.
"""

from __future__ import annotations

import json
import os
import re
import sysconfig
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, cycle, islice, pairwise
from pathlib import Path
from random import Random
from typing import Final
from zlib import crc32

# Left out: tests and tables of numbers, which are no code that anyone would index.
_NOT_CODE: Final = frozenset(
    {"site-packages", "dist-packages", "test", "tests", "idle_test", "encodings", "pydoc_data"}
)
_WORD: Final = re.compile(r"[A-Za-z]{2,14}")
_FENCE: Final = "~~~~~~~~"  # longer than any fence inside a docstring

# A real text is not plain ASCII, and chunkviz has a shorter way for one that is: so none of ours may be.
_NAMES: Final = (
    "Dr. Weiß", "Mrs. Núñez", "J. R. Ødegård", "Prof. Čapek", "Zoë", "São Paulo", "Kraków", "Malmö", "東京", "Αθήνα",
    "Київ", "the café", "the naïve plan", "Smith & Co.", "e.g. Basel", "the U.S. office", "版本 2",
)  # fmt: skip
_EMOJI: Final = ("✅", "⚠️", "🚀", "👩‍🔬", "🇨🇭", "👍🏽")
_ASIDES: Final = ("“not yet”", "(see below)", "— or so it seems —", "3.5 %", "12:30", "$1,250.00", "v2.1.0", "§ 4")


def mixed_text(size: int) -> str:
    """Exactly `size` UTF-8 bytes of mixed text, or up to three fewer where the last character would be cut.

    It is valid Markdown: the code stands in fences, so that the same text serves as a plain one and as one with headings.
    Raises `ValueError` where this Python's standard library has too little source for it.
    """
    return "".join(_stretches(size)).encode()[:size].decode("utf-8", "ignore")


def parted(text: str, count: int) -> list[str]:
    """A mixed text in `count` parts of about the same length, each valid Markdown by itself: none begins inside a fence."""
    borders, inside, at = [0], False, 0
    for line in text.splitlines(keepends=True):
        if not inside and line == "\n" and at >= len(borders) * len(text) / count:
            borders.append(at + 1)
        inside ^= line.startswith(_FENCE)
        at += len(line)
    return [text[start:end] for start, end in pairwise([*borders, len(text)])]


def _stretches(size: int) -> Iterator[str]:
    """Stretches of each kind by turns, until they have `size` bytes."""
    makers = {"prose": _prose(), "markdown": _markdown(), "code": _code()}
    written = dict.fromkeys(makers, 0)
    while sum(written.values()) < size:
        kind = min(written, key=written.__getitem__)
        stretch = next(makers[kind], None)
        if stretch is None:
            raise ValueError(
                f"The standard library of this Python holds {written['code']:,} bytes of source that can be used; "
                f"a text of {size:,} bytes needs a third of that in code. Take a smaller size."
            )
        yield stretch
        written[kind] += len(stretch.encode())


def as_page(markdown: str) -> str:
    """The source of a web page with the same words, cut to as many UTF-8 bytes as the Markdown has."""
    # Imported here: only the benchmark of pages needs it, not the text itself.
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(markdown)
    page = f"<!DOCTYPE html>\n<html>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    return page.encode()[: len(markdown.encode())].decode("utf-8", "ignore")


def as_json(markdown: str) -> str:
    """The same words as a JSON list of records, at most as many UTF-8 bytes as the Markdown has."""
    room = len(markdown.encode()) - len("[\n\n]")
    records: list[str] = []
    for number, paragraph in enumerate(markdown.split("\n\n")):
        record = {
            "id": number,
            "kind": "text",
            "tags": [],
            "words": paragraph.count(" ") + 1,
            "lines": paragraph.split("\n"),
        }
        written = json.dumps(record, indent=1, ensure_ascii=False)
        room -= len(written.encode()) + len(",\n")
        if room < 0:
            break
        records.append(written)
    return "[\n" + ",\n".join(records) + "\n]"


def as_latex(markdown: str) -> str:
    """The same words as LaTeX, cut to as many UTF-8 bytes: headings, code in `verbatim`, a formula in every tenth paragraph."""
    parts = [r"\documentclass{article}" + "\n" + r"\begin{document}"]
    for number, (kind, words) in enumerate(_blocks_of(markdown)):
        if kind == "code":
            parts.append(f"\\begin{{verbatim}}\n{words}\n\\end{{verbatim}}")
        elif kind == "heading":
            level = len(words) - len(words.lstrip("#"))
            parts.append(f"\\{'sub' * min(level - 1, 2)}section{{{_escaped(words.lstrip('# '))}}}")
        else:
            formula = "\n\\begin{equation}\n  a_n = b^2 + \\frac{c}{d}\n\\end{equation}" if number % 10 == 0 else ""
            parts.append(_escaped(words) + formula)
    return "\n\n".join(parts).encode()[: len(markdown.encode())].decode("utf-8", "ignore")


def as_python(markdown: str) -> str:
    """Whole modules of the standard library, at most as many UTF-8 bytes as the Markdown has.

    They begin at a module that the Markdown decides, so that two texts of the same length are not the same source.
    """
    parts = ["# Größe, naïve, 東京\n"]  # the modules that come first are plain ASCII
    room = len(markdown.encode()) - len(parts[0].encode())
    tries = 50  # modules that are too long for what room is left
    paths = sorted(_modules(_standard_library()))
    Random(4).shuffle(paths)  # neighbours are written alike: a short text would be of another kind than a long one
    for path in islice(cycle(paths), crc32(markdown.encode()) % len(paths), None):
        with tokenize.open(path) as file:
            module = file.read().rstrip() + "\n\n\n"
        if len(module.encode()) <= room:
            parts.append(module)
            room -= len(module.encode())
        elif not (tries := tries - 1):
            break
    return "".join(parts)


def _blocks_of(markdown: str) -> Iterator[tuple[str, str]]:
    for number, stretch in enumerate(re.split(rf"{_FENCE}(?:python)?\n?", markdown)):
        if number % 2:
            yield "code", stretch
        else:
            yield from (("heading" if b.startswith("#") else "text", b) for b in stretch.split("\n\n") if b.strip())


def _escaped(words: str) -> str:
    return re.sub(
        r"[\\{}$&#^_%~]", lambda sign: rf"\char{ord(sign[0])} " if sign[0] in "\\^~" else "\\" + sign[0], words
    )


@cache
def _vocabulary() -> tuple[list[str], list[int]]:
    """Words of Python's reference manual and how often each occurs, added up: common words are common here, too."""
    manual = (_standard_library() / "pydoc_data" / "topics.py").read_text(encoding="utf-8")
    counted = Counter(_WORD.findall(manual.replace("\\n", " ").lower())).most_common()
    return [word for word, _ in counted], list(accumulate(count for _, count in counted))


def _standard_library() -> Path:
    return Path(sysconfig.get_path("stdlib"))


class _Writer:
    """Sentences and what is made of them, from one stream of random numbers."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._vocabulary, self._totals = _vocabulary()

    def words(self, n: int) -> list[str]:
        return self.random.choices(self._vocabulary, cum_weights=self._totals, k=n)

    def title(self) -> str:
        return " ".join(self.words(self.random.randint(1, 5))).capitalize()

    def sentence(self) -> str:
        random = self.random
        words = self.words(random.randint(4, 26))
        if random.random() < 0.12:
            words.insert(random.randrange(len(words)), random.choice(_NAMES))
        if random.random() < 0.10:
            words.insert(random.randrange(len(words)), random.choice(_ASIDES))
        for at in range(5, len(words) - 2, random.randint(5, 9)):
            words[at] += ","
        if random.random() < 0.02:
            words.append(random.choice(_EMOJI))
        text = " ".join(words)
        return text[0].upper() + text[1:] + random.choices(".?!", (90, 6, 4))[0]

    def paragraph(self, most: int = 8) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(1, most)))


def _modules(root: Path) -> Iterator[Path]:
    for folder, inner, files in os.walk(root):
        inner[:] = [name for name in inner if name not in _NOT_CODE]  # not even looked into: packages can be huge
        yield from (Path(folder) / name for name in files if name.endswith(".py"))


def _prose() -> Iterator[str]:
    """Paragraphs, some of them wrapped by hand."""
    write = _Writer(1)
    while True:
        paragraph = write.paragraph()
        if write.random.random() < 0.25:
            paragraph = re.sub(r"(.{60,75}) ", r"\1\n", paragraph)
        yield paragraph + "\n\n"


def _markdown() -> Iterator[str]:
    """Sections: a heading with paragraphs, lists, tables, quotations and links under it."""
    write = _Writer(2)
    random = write.random
    while True:
        parts = ["#" * random.choices((1, 2, 3, 4), (1, 4, 6, 2))[0] + " " + write.title()]
        for _ in range(random.randint(1, 4)):
            match random.choices(("text", "list", "table", "quote", "link"), (5, 3, 1, 1, 2))[0]:
                case "text":
                    parts.append(write.paragraph(5))
                case "list":
                    mark = random.choice(("-", "*", "1."))
                    parts.append("\n".join(f"{mark} {write.sentence()}" for _ in range(random.randint(2, 7))))
                case "table":
                    rows = [[" ".join(write.words(2)) for _ in range(3)] for _ in range(random.randint(2, 9))]
                    lines = [f"| {' | '.join(row)} |" for row in rows]
                    parts.append("\n".join([lines[0], "| --- | --- | --- |", *lines[1:]]))
                case "quote":
                    parts.append("> " + write.sentence() + "\n> " + write.sentence())
                case _:
                    one, two = write.words(2)
                    parts.append(f"{write.sentence()} See [**{one}**](https://example.org/{one}/{two}) and `{two}()`.")
        yield "\n\n".join(parts) + "\n\n"


def _code() -> Iterator[str]:
    """Stretches of the standard library's modules in fences; each line of it at most once."""
    random = Random(3)
    paths = sorted(_modules(_standard_library()))
    random.shuffle(paths)
    for path in paths:
        with tokenize.open(path) as file:
            lines = file.read().splitlines(keepends=True)
        at = 0
        while at < len(lines):
            stretch = lines[at : at + random.randint(20, 160)]
            at += len(stretch)
            yield f"{_FENCE}python\n{''.join(stretch).rstrip()}\n{_FENCE}\n\n"

"""Who is timed: tiktoken as the measure of all, every strategy of chunkviz, and other libraries where installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import chunkviz
from benchmarks.corpus import as_json, as_latex, as_page, as_python
from benchmarks.timing import Contender, Run
from chunkviz.document import Page
from chunkviz.encodings import reference_encoding
from chunkviz.params import UNIT
from chunkviz.spec import Strategy

ENCODING: Final = "cl100k_base"
OVERLAP: Final = 50
PAGE_CHARACTERS: Final = 3000
REFERENCE: Final = "tiktoken encode_ordinary"
LANGCHAIN: Final = "LangChain recursive"
MARKDOWN: Final = ", Markdown"
OWN: Final = {
    ", HTML": ("mixed.html", as_page, "<h1>A</h1>"),
    ", JSON": ("mixed.json", as_json, "[1]"),
    ", LaTeX": ("mixed.tex", as_latex, r"\section{A}"),
    ", Python": ("mixed.py", as_python, "x = 1\n"),
}
"""Formats that some strategy is made for: a name, how the text becomes one, and a small sample."""


@dataclass(frozen=True)
class Material:
    """One text, as a plain document, as a Markdown document with pages and as the source of each format in `OWN`.

    Each is read once, before any time is taken.
    """

    text: str

    @cached_property
    def plain(self) -> chunkviz.Document:
        return chunkviz.Document.from_text(self.text, name="mixed.txt")

    @cached_property
    def structured(self) -> chunkviz.Document:
        document = chunkviz.Document.from_text(self.text, name="mixed.md")
        starts = range(0, len(self.text), PAGE_CHARACTERS)
        pages = (Page(s, min(s + PAGE_CHARACTERS, len(self.text)), n, str(n)) for n, s in enumerate(starts, 1))
        return replace(document, pages=tuple(pages))

    @cached_property
    def own(self) -> dict[str, chunkviz.Document]:
        return {
            suffix: chunkviz.Document.from_text(made(self.text), name=name) for suffix, (name, made, _) in OWN.items()
        }


def tiktoken_encoding(material: Material) -> Contender:
    """What everyone is compared with: the text encoded once."""
    return _encoding(material.text, REFERENCE)


def _encoding(text: str, name: str) -> Contender:
    encoding = reference_encoding(ENCODING)

    def run() -> int:
        encoding.encode_ordinary(text)
        return 0

    return Contender(name, lambda _size: run)


def first_cuts(material: Material) -> list[Contender]:
    """Every strategy on a document that was never cut before, its token borders included."""

    def prepare(document: chunkviz.Document, strategy: Strategy, size: int) -> Run:
        fresh = replace(document)  # the same text and blocks, and nothing worked out yet
        return lambda: len(chunkviz.chunk(fresh, strategy.id, unit=ENCODING, **_sizes(strategy, size)).chunks)

    def on_own(strategy: Strategy, suffix: str) -> Contender:
        document, name = material.own[suffix], f"chunkviz {strategy.id}{suffix}"
        return Contender(name, lambda size: prepare(document, strategy, size), strategy.id, REFERENCE + suffix)

    found = [replace(who, against=REFERENCE) for who in _ours(material, prepare)]
    for suffix in OWN:
        made_for = [on_own(strategy, suffix) for strategy in _timed() if _made_for(strategy, suffix)]
        # The source holds other words than the text it was made from: tiktoken encodes it as well.
        found += [_encoding(material.own[suffix].text, REFERENCE + suffix), *made_for] if made_for else []
    return found


def other_cuts(material: Material, known: int) -> list[Contender]:
    """Every strategy on a document that was cut once before, at `known` tokens: what a step of the slider costs."""

    def prepare(document: chunkviz.Document, strategy: Strategy, size: int) -> Run:
        cut_before = replace(document)
        chunkviz.chunk(cut_before, strategy.id, unit=ENCODING, **_sizes(strategy, known))
        return lambda: len(chunkviz.chunk(cut_before, strategy.id, unit=ENCODING, **_sizes(strategy, size)).chunks)

    # Like with like: Markdown is cut at Markdown's separators, by LangChain as well.
    ours = _ours(material, prepare)
    return [replace(who, against=LANGCHAIN + MARKDOWN * who.name.endswith(MARKDOWN)) for who in ours]


def langchains(material: Material) -> list[Contender]:
    """What another cut is compared with: LangChain keeps nothing of a text, so that each of its cuts is a first one."""
    return [langchain(material), langchain(material, markdown=True)]


def _ours(material: Material, prepare: Callable[[chunkviz.Document, Strategy, int], Run]) -> list[Contender]:
    """Each strategy on the plain text, unless it would only fall back to another there, and on the Markdown document."""
    sample = chunkviz.Document.from_text("A word. Another one.\n", name="mixed.txt")
    found: list[Contender] = []
    for strategy in _timed():

        def on(document: chunkviz.Document, strategy: Strategy = strategy) -> Callable[[int], Run]:
            return lambda size: prepare(document, strategy, size)

        if not chunkviz.chunk(sample, strategy.id).notes:
            found.append(Contender(f"chunkviz {strategy.id}", on(material.plain), strategy.id))
        found.append(Contender(f"chunkviz {strategy.id}{MARKDOWN}", on(material.structured), strategy.id))
    return found


def _timed() -> list[Strategy]:
    """Every strategy whose time is not that of a model."""
    known = (s for s in chunkviz.strategies().values() if isinstance(s, Strategy))
    return [s for s in known if not (s.tags.needs_embedder or s.tags.needs_model or s.tags.by_hand)]


def _made_for(strategy: Strategy, suffix: str) -> bool:
    """Whether it has nothing to say about a document of this format, but has to say of Markdown that it does its best."""
    name, _, sample = OWN[suffix]
    own, other = (chunkviz.Document.from_text(sample, name=n) for n in (name, "mixed.md"))
    return not chunkviz.chunk(own, strategy.id).notes and bool(chunkviz.chunk(other, strategy.id).notes)


def _sizes(strategy: Strategy, size: int) -> dict[str, Any]:
    """`size`, and `overlap` where it counts the same thing, as far as the strategy has them."""
    in_tokens = {p.name for p in strategy.params if getattr(p.rule, "unit", None) == UNIT}
    return {name: value for name, value in (("size", size), ("overlap", OVERLAP)) if name in in_tokens}


def langchain(material: Material, *, markdown: bool = False, start_index: bool = False) -> Contender:
    """LangChain's recursive splitter with its separators for plain text or for Markdown; tiktoken counts."""
    splitters = import_module("langchain_text_splitters")

    separators = splitters.RecursiveCharacterTextSplitter.get_separators_for_language("markdown") if markdown else None

    def prepare(size: int) -> Run:
        splitter = splitters.RecursiveCharacterTextSplitter(
            separators=separators,
            is_separator_regex=markdown,
            chunk_size=size,
            chunk_overlap=OVERLAP,
            length_function=_tiktoken_length(),
            add_start_index=start_index,
        )
        if start_index:
            return lambda: len(splitter.create_documents([material.text]))
        return lambda: len(splitter.split_text(material.text))

    return Contender(LANGCHAIN + MARKDOWN * markdown + ", start index" * start_index, prepare)


def _tiktoken_length() -> Callable[[str], int]:
    """A function of its own for each run: whoever remembers counts by function starts anew."""
    encode = reference_encoding(ENCODING).encode_ordinary
    return lambda text: len(encode(text))


def _chonkie(material: Material, package: Any) -> list[Contender]:
    encoding = reference_encoding(ENCODING)

    def tokens(size: int) -> Run:
        chunker = package.TokenChunker(tokenizer=encoding, chunk_size=size, chunk_overlap=OVERLAP)
        return lambda: len(chunker.chunk(material.text))

    def recursive(size: int) -> Run:
        chunker = package.RecursiveChunker(tokenizer=encoding, chunk_size=size)
        return lambda: len(chunker.chunk(material.text))

    return [Contender("chonkie token", tokens), Contender("chonkie recursive, no overlap", recursive)]


def _semantic_text_splitter(material: Material, package: Any) -> list[Contender]:
    def prepare(size: int) -> Run:
        # "gpt-4" is its name for cl100k_base.
        splitter = package.TextSplitter.from_tiktoken_model("gpt-4", size, OVERLAP)
        return lambda: len(splitter.chunk_indices(material.text))

    return [Contender("semantic-text-splitter", prepare)]


def _semchunk(material: Material, package: Any) -> list[Contender]:
    def prepare(size: int) -> Run:
        chunker = package.chunkerify(_tiktoken_length(), size)
        return lambda: len(chunker(material.text, overlap=OVERLAP, offsets=True)[0])

    return [Contender("semchunk", prepare)]


_PEERS: Final[dict[str, tuple[str, Callable[[Material, Any], list[Contender]]]]] = {
    "chonkie": ("chonkie", _chonkie),
    "semantic-text-splitter": ("semantic_text_splitter", _semantic_text_splitter),
    "semchunk": ("semchunk", _semchunk),
}
"""Distribution to module and maker. They come with the extra `bench`."""


def installed(distribution: str) -> str | None:
    """The version of an installed distribution, None where it is not."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def missing_peers() -> list[str]:
    """The other libraries that are not installed here."""
    return [name for name in _PEERS if installed(name) is None]


def peers(material: Material) -> list[Contender]:
    """The other libraries that are installed. LangChain always is: chunkviz checks itself against it."""
    found = [*langchains(material), langchain(material, start_index=True)]
    for distribution, (module, make) in _PEERS.items():
        if installed(distribution) is not None:
            found += make(material, import_module(module))
    return [replace(who, against=REFERENCE) for who in found]


def versions() -> dict[str, str]:
    """Distribution to version, for all that are timed here; without those that are not installed."""
    names: Sequence[str] = ("chunkviz", "tiktoken", "quicktok-v1", "numpy", "langchain-text-splitters", *_PEERS)
    return {name: found for name in names if (found := installed(name)) is not None}

"""What is to be evaluated: documents, questions and the grid of recipes, with their controls and their place in the link."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from chunkviz import embed, format, registry, samples
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, LoadError
from chunkviz.evaluation import Depth
from chunkviz.grid import MODES, RERANKERS, SEARCHES, Grid
from chunkviz.metrics.case import Rules
from chunkviz.questions import QuestionSet, resolve
from chunkviz.retrieval import RetrievalOptions, rerank
from chunkviz.ui import cards, documents, endpoints, frame, models, questions
from chunkviz.ui.cache_keys import key_of
from chunkviz.ui.controls import popover, settle, store

PREFIX: Final = "evaluate"
SAMPLE_SET: Final = ("api_manual", "policy_handbook", "call_transcript")
"""What is evaluated where nobody has chosen: a manual, a handbook and a transcript, the samples with most questions."""
SIZES: Final = ("64", "128", "200", "256", "400", "512", "800", "1024")
OVERLAPS: Final = ("0", "16", "32", "64", "128")
DEPTHS: Final = ("1", "3", "5", "10", "20", "min", "tokens:500", "tokens:1000")
AXES: Final[Mapping[str, tuple[str, ...]]] = {
    "strategies": ("recursive", "fixed"),
    "sizes": ("128", "256", "512"),
    "overlaps": ("0", "32"),
    "modes": ("plain",),
    "searches": ("dense",),
    "models": (embed.DEFAULT,),
    "rerankers": ("none",),
    "k": ("5",),
}
"""The default grid."""
LINKED: Final = tuple(axis for axis in AXES if axis != "models")
"""What a link holds of it, under these names. A name of a model may be a folder of the reader's, and stays out."""
CROSS_ENCODER: Final = f"{PREFIX}.cross_encoder"
SEARCHED: Final = "How it is searched, and how far"


@dataclass(frozen=True)
class Plan:
    """What the controls say, complete and legal."""

    documents: Mapping[str, Document]
    asked: QuestionSet
    recipes: Sequence[Mapping[str, Any]]
    depths: Sequence[int | str]
    rules: Rules
    shared: Mapping[str, Any]

    @property
    def key(self) -> str:
        """SHA-256 over all of it; hex."""
        spans = [[q.text, [[g.document, g.start, g.end] for g in q.gold]] for q in self.asked.questions]
        about = [spans, list(self.recipes), list(self.depths), self.rules, dict(self.shared)]
        prints = [f"{name} {d.fingerprint}" for name, d in self.documents.items()]
        return key_of(json.dumps(about, default=list, ensure_ascii=True), *prints)


# --- the link ---------------------------------------------------------------------------------------------------------


def follow_link() -> list[str]:
    """Take over the grid that a link asks for, once; returns what it asks for in vain."""
    if frame.linked(PREFIX) is None:
        return []
    complaints = []
    known = {**_choices(), "docs": [s.id for s in samples.samples()]}
    for axis in (*LINKED, "docs"):
        asked = st.query_params.get_all(axis)
        good = [value for value in asked if _legal(axis, value, known)]
        complaints += [f"The link asks for “{v[:40]}” in {axis}, which is not here." for v in asked if v not in good]
        if good:
            store()[f"{PREFIX}.{axis}"] = good
    store()[f"{PREFIX}.published"] = st.query_params.get("rules") == "published"
    return complaints


def _legal(axis: str, value: str, known: Mapping[str, Sequence[str]]) -> bool:
    if axis in ("sizes", "overlaps"):
        return value.isascii() and value.isdigit() and len(value) <= 6
    if axis == "k":
        try:
            Depth.of(value)
        except ChunkvizError:
            return False
        return True
    # A link must not make the server load a model that nobody here asked for.
    return value in known[axis] and value != "cross_encoder"


def remember(shown: frame.Frame) -> None:
    """Write the link: samples and the grid. A document of the reader's own is never in it, nor is a question."""
    query: dict[str, Any] = {"unit": shown.unit}
    if shown.source.sample:
        query["doc"] = shown.source.id
    known = {s.id for s in samples.samples()}
    query["docs"] = [i for i in store().get(f"{PREFIX}.docs", []) if i in known]
    for axis in LINKED:
        value = list(store().get(f"{PREFIX}.{axis}", AXES[axis]))
        if value != list(AXES[axis]):
            query[axis] = value
    if store().get(f"{PREFIX}.published"):
        query["rules"] = "published"
    now = {name: st.query_params.get_all(name) for name in st.query_params}
    if now != {name: value if isinstance(value, list) else [value] for name, value in query.items()}:
        st.query_params.from_dict(query)


# --- documents and questions ------------------------------------------------------------------------------------------


def choose_documents(shown: frame.Frame) -> dict[str, Document]:
    """The control, and the documents that could be read, by name; what is wrong with others is said."""
    opened: dict[str, documents.Source] = st.session_state.get("sources", {})
    titles = {s.id: s.title for s in samples.samples()}
    options = [*opened, *titles]
    chosen = [i for i in store().get(f"{PREFIX}.docs", SAMPLE_SET) if i in options]
    # Who opens another document in the sidebar wants to see it here: beside the samples, or instead of them.
    if st.session_state.get(f"{PREFIX}.followed") != shown.source.id:
        first = f"{PREFIX}.followed" not in st.session_state
        st.session_state[f"{PREFIX}.followed"] = shown.source.id
        if shown.source.id not in chosen and not (first and f"{PREFIX}.docs" in store()):
            own = [i for i in opened if i in chosen or i == shown.source.id]
            chosen = [*chosen, shown.source.id] if shown.source.sample or any(i in opened for i in chosen) else own
    settle(f"{PREFIX}.docs", chosen)
    picked = st.multiselect(
        "Documents",
        options,
        key=f"{PREFIX}.docs",
        format_func=lambda i: titles[i] if i in titles else opened[i].name if i in opened else i,
        help="All of them are searched together, as in a real collection: a question must find its answer among all. "
        "Open your own in the sidebar.",
    )
    store()[f"{PREFIX}.docs"] = picked
    found: dict[str, Document] = {}
    with st.container():
        for source_id in picked:
            if source_id == shown.source.id:
                source, options_ = shown.source, shown.options
            else:
                source, options_ = opened.get(source_id) or _sample(source_id), {}
            made = documents.load_or_say(source, options_)
            if made is not None and made.name in found:
                cards.notice("warning", f"Two documents are called {made.name}; only the first of them is evaluated.")
            elif made is not None:
                found[made.name] = made
    return found


def _sample(sample_id: str) -> documents.Source:
    return documents.Source(sample_id, samples.sample(sample_id).file, samples.read(sample_id), sample=True)


def choose_questions(found: Mapping[str, Document]) -> QuestionSet:
    """The questions about these documents, a place to bring others, and what is wrong with some of them."""
    rows = [entry.row for document in found.values() for entry in questions.entries(document)]
    asked = resolve(list({id(row): row for row in rows}.values()), found)
    with st.container(horizontal=True, vertical_alignment="center"):
        cards.plain(f"{format.plural(len(asked.questions), 'question')} about {'it' if len(found) == 1 else 'them'}")
        with st.popover("Bring questions", icon=":material/upload_file:"):
            _upload(next(iter(found.values())))
        if asked.problems:
            with st.popover(format.plural(len(asked.problems), "problem"), icon=":material/report:"):
                for problem in asked.problems:
                    cards.notice(
                        "error" if problem.level == "error" else "warning", f"{problem.question}\n{problem.text}"
                    )
    return asked


def _upload(document: Document) -> None:
    cards.plain(
        "A CSV, JSON or JSON Lines file with question, document, and the words that answer it (quote) or their place "
        "(start, end). Questions can also be made by selecting answers on the Ask screen."
    )
    brought = st.file_uploader("Question file", type=["csv", "jsonl", "json"], key=f"{PREFIX}.file")
    if brought is None:
        return
    data = brought.getvalue()
    key = key_of(brought.name, data, document.fingerprint)
    taken: dict[str, str] = st.session_state.setdefault(f"{PREFIX}.taken", {})
    if key not in taken:
        try:
            here, elsewhere = questions.load(document, data, brought.name)
        except LoadError as error:
            cards.notice("error", str(error))
            return
        taken[key] = f"{format.plural(here + elsewhere, 'question')} read from {brought.name}."
        st.rerun()
    cards.notice("info", taken[key])


# --- the grid -----------------------------------------------------------------------------------------------------------


def _choices() -> dict[str, Sequence[str]]:
    known = registry.strategies()
    asks = endpoints.current() is not None
    return {
        "strategies": [i for i, s in known.items() if (asks or not s.tags.needs_model) and not s.tags.by_hand],
        "modes": list(MODES),
        "searches": list(SEARCHES),
        "models": models.allowed(),
        "rerankers": list(RERANKERS),
    }


def _axis(
    axis: str, label: str, options: Sequence[str], help: str, words: Mapping[str, str], free: bool = False
) -> list[str]:
    """One axis of the grid as a control; `free` ones take what is typed, too."""
    key = f"{PREFIX}.{axis}"
    kept = st.session_state.get(key, store().get(key, AXES[axis]))
    value = [v for v in kept if free or v in options]
    settle(key, value)
    chosen: list[str] = st.multiselect(
        label,
        list(dict.fromkeys([*options, *value])),
        key=key,
        format_func=lambda v: words.get(v, v),
        help=help,
        accept_new_options=free,
    )
    store()[key] = chosen
    return chosen


def _numbers(words: Sequence[str], what: str, low: int) -> list[int]:
    """Whole numbers as typed; what is none is said and left out."""
    good = []
    for word in words:
        text = word.strip()
        if text.isascii() and text.isdigit() and low <= int(text) <= 100_000:
            good.append(int(text))
        else:
            cards.notice(
                "warning", f"{what} “{word[:20]}” is left out: it must be a whole number from {low} to 100,000."
            )
    return good


def missing(shared: Mapping[str, Any]) -> str:
    """What the grid needs and this computer has not, and what can be done; "" where it can be run."""
    absent = rerank.absent(shared["cross_encoder"]) if "cross_encoder" in shared else ""
    return (
        f"{absent} Under “{SEARCHED}” you can name another one, or leave it out. Until then nothing can be run."
        if absent
        else ""
    )


def choose_grid(shown: frame.Frame) -> tuple[Grid, list[int | str], Rules, dict[str, Any]]:
    """The controls of the grid: recipes, how far each ranking is read, the rules, and what all recipes share."""
    choices = _choices()
    titles = {i: s.title for i, s in registry.strategies().items()}
    with st.container():
        picked = _axis(
            "strategies",
            "Strategies",
            choices["strategies"],
            "Ways to cut. Those that ask a language model are here once one is set in the sidebar, under “Language model”.",
            titles,
        )
    left, right = st.columns(2, gap="medium")
    with left:
        sizes = _axis(
            "sizes", f"Sizes ({shown.word})", SIZES, "Largest chunk. Type any number and press Enter.", {}, True
        )
    with right:
        overlaps = _axis(
            "overlaps",
            f"Overlaps ({shown.word})",
            OVERLAPS,
            "Text repeated from the chunk before. Type any number.",
            {},
            True,
        )
    shared: dict[str, Any] = {}
    with popover(SEARCHED, key=f"{PREFIX}.searched", icon=":material/tune:"):
        said = {p.name: p.rule.help for p in RetrievalOptions.declared()}
        modes = _axis("modes", "What is embedded and returned", choices["modes"], said["mode"], MODES)
        searches = _axis("searches", "Search", choices["searches"], said["retriever"], SEARCHES)
        named = _axis(
            "models",
            "Embedding models",
            choices["models"],
            "Turn questions and chunks into vectors for the search by meaning; with several, every recipe is run with each. "
            "Others can be named at the foot of this page, under “Other models”. Strategies that compare sentences cut by "
            "the model that comes with chunkviz.",
            {embed.DEFAULT: f"{embed.DEFAULT} (comes with chunkviz)"},
        )
        named_encoder = st.session_state.get(CROSS_ENCODER, RetrievalOptions().cross_encoder)
        words = dict(RERANKERS)
        if rerank.absent(named_encoder):
            words["cross_encoder"] += f" ({models.ABSENT})"
        rerankers = _axis("rerankers", "Reranking", choices["rerankers"], said["reranker"], words)
        if "cross_encoder" in rerankers:
            settle(CROSS_ENCODER, named_encoder)
            shared["cross_encoder"] = st.text_input(
                "Cross-encoder",
                key=CROSS_ENCODER,
                help="Name or folder of a sentence-transformers CrossEncoder.",
            )
        spelled = _axis(
            "k",
            "Passages taken for each question (k)",
            DEPTHS,
            "A number; min: as many as meet the answer; tokens:N: as many as N tokens hold, so that every recipe is read "
            "equally far.",
            {"min": "min: as many as needed"},
            True,
        )
        key = f"{PREFIX}.published"
        settle(key, st.session_state.get(key, store().get(key, False)))
        store()[key] = st.toggle(
            "As published",
            key=key,
            help="With the two quirks of the published code (Chroma 2024): a chunk that only touches an answer meets it, "
            "and positions are found by text. Off: exact positions.",
        )
    with st.container():
        depths: list[int | str] = []
        for word in spelled:
            try:
                depths.append(Depth.of(word).spelled)
            except ChunkvizError as error:
                cards.notice("warning", str(error))
        grid = Grid(
            strategies=picked,
            sizes=_numbers(sizes, "Size", 1),
            overlaps=_numbers(overlaps, "Overlap", 0),
            modes=modes,
            searches=searches,
            rerankers=rerankers,
            models=named,
            unit=shown.unit,
        )
    return grid, list(dict.fromkeys(depths)), "published" if store()[key] else "exact", shared

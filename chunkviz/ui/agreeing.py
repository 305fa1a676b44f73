"""How the columns agree: with each other, and with boundaries that somebody set by hand. The numbers are the package's."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import streamlit as st

from chunkviz import format, reference
from chunkviz.chunking import Chunking
from chunkviz.document import Document
from chunkviz.errors import LoadError
from chunkviz.metrics.agreement import against, agreement, shared_boundaries
from chunkviz.reference import Reference
from chunkviz.ui import cards, manual
from chunkviz.ui.controls import store
from chunkviz.ui.state import Column

NONE: Final = "none"
KEY: Final = "reference"

STYLE: Final = """<style>
.cv-chips{display:flex;flex-wrap:wrap;gap:.3rem .5rem;margin:.1rem 0;font-variant-numeric:tabular-nums}
.cv-chip{padding:.05rem .6rem;border:1px solid color-mix(in srgb,currentColor 24%,transparent);border-radius:1rem;
  font-size:.85rem;cursor:help}
.cv-scores{width:100%;border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
.cv-scores th,.cv-scores td{text-align:end;vertical-align:bottom;padding:.3rem .7rem;
  border-bottom:1px solid color-mix(in srgb,currentColor 16%,transparent)}
.cv-scores td,.cv-scores tbody th{white-space:nowrap}
.cv-scores th:first-child,.cv-scores td:first-child{text-align:start;padding-inline-start:0}
.cv-scores th{font-weight:600;cursor:help}.cv-scores .cv-best{font-weight:700}
.cv-scroll{overflow-x:auto}
</style>"""


def names(titles: Sequence[str]) -> list[str]:
    """Titles of columns, with the number of the column where two are called the same."""
    return [f"{t} (column {i + 1})" if titles.count(t) > 1 else t for i, t in enumerate(titles)]


def summary(made: Sequence[Chunking], titles: Sequence[str]) -> None:
    """One line below the columns: boundaries that all have, that only one has, and how well they agree."""
    if len(made) < 2:
        return
    found = shared_boundaries(made)
    total = len(found.positions)
    if not total:
        st.html(
            f'{STYLE}<div class="cv-chips" role="status" data-testid="agreement">No column cuts this document.</div>'
        )
        return
    called = names(list(titles))
    every = "Both" if len(made) == 2 else f"All {len(made)}"
    chips = [
        (
            f"● {every} columns cut at {len(found.everywhere):,} of {_places(total)}",
            "Places where every column starts a chunk (shared boundaries), of the places where at least one does. White "
            "space does not count. Their chunks have a full dot before the number.",
        )
    ]
    for at, name in enumerate(called):
        chips.append(
            (
                f"○ Only {name}: {len(found.alone(at)):,}",
                "Places where this column starts a chunk and no other does. Their chunks have an empty dot before the number.",
            )
        )
    score = found.score
    chips.append(
        (
            f"Agreement {format.number(score.value, 'share')}",
            "0 %: no two columns share a cut. 100 %: all cut at the same places. Mean over the pairs of columns of the "
            f"exact boundary F1, 2 x shared / (cuts of one + cuts of the other). {score.reason or ''}".strip(),
        )
    )
    shown = "".join(f'<span class="cv-chip" title="{escape(help_)}">{escape(text)}</span>' for text, help_ in chips)
    st.html(f'{STYLE}<div class="cv-chips" role="status" data-testid="agreement">{shown}</div>')


def _places(total: int) -> str:
    return format.plural(total, "place")


def panel(
    document: Document, made: Sequence[Chunking], settings: Sequence[Column], titles: Sequence[str], sample: str
) -> None:
    """Choose boundaries that somebody set by hand, and score every column against them."""
    box = st.expander(
        "Score the columns against boundaries set by hand (reference)",
        key=f"{KEY}.panel",
        icon=":material/rule:",
        on_change="rerun",
    )
    # Only what is unfolded is worked out; and the page has one field for files as long as this one is not asked for.
    if not box.open:
        return
    with box:
        cards.plain(
            "Where should this document be cut? Set the boundaries yourself with “Edit by hand”, or load a file that was "
            "saved here, and see how near each strategy comes."
        )
        loaded = _loaded(document)
        hand = [at for at, column in enumerate(settings) if column.strategy == manual.ID]
        options: dict[str, str] = {NONE: "nothing yet"}
        if sample in reference.sample_ids():
            options["sample"] = "The boundaries that come with this sample"
        if loaded is not None:
            options["file"] = "The file that was loaded"
        options |= {f"column.{at}": f"Column {at + 1}, as edited by hand" for at in hand}
        of = f"{KEY}.of"
        wish = st.session_state.get(of, store().get(of))
        st.session_state[of] = wish if wish in options else NONE
        chosen = st.selectbox("Score against", list(options), format_func=options.__getitem__, key=of)
        store()[of] = chosen
        with st.container():
            wanted = _reference(chosen, document, made, loaded, sample)
            if wanted is not None:
                _table(made, wanted, names(list(titles)))
                _load_into(document, wanted, len(made))


def _loaded(document: Document) -> Reference | None:
    """The file that was loaded last, read; what is wrong with it is said. A new one is chosen at once."""
    upload = st.file_uploader(
        "Load boundaries",
        type=["json"],
        key=f"{KEY}.file",
        max_upload_size=reference.MOST_BYTES // 1_000_000,
        help="A file saved with “Save as reference”. It must belong to this document, or to another version of it.",
    )
    session = st.session_state
    if upload is not None and session.get(f"{KEY}.known") != upload.file_id:
        session[f"{KEY}.known"] = upload.file_id
        # Kept for when the panel is folded up, which makes Streamlit forget the file; it belongs to this document.
        session[f"{KEY}.data"] = (document.fingerprint, upload.getvalue())
        session[f"{KEY}.of"] = "file"
    fingerprint, data = session.get(f"{KEY}.data", ("", b""))
    if not data or (upload is None and fingerprint != document.fingerprint):
        return None
    try:
        found = reference.read(data, document)
    except LoadError as error:
        cards.notice("error", str(error))
        return None
    if found.found_again:
        was = f"The file was made for another version of {document.name}"
        cards.notice("info", f"{was}; its boundaries were found again by their words.")
    return found


def _reference(
    chosen: str, document: Document, made: Sequence[Chunking], loaded: Reference | None, sample: str
) -> Reference | None:
    if chosen == "file":
        return loaded
    if chosen == "sample":
        try:
            return reference.of_sample(sample, document)
        except LoadError as error:
            cards.notice("error", str(error))
    if chosen.startswith("column."):
        return reference.from_positions(
            document, [c.start for c in made[int(chosen.removeprefix("column."))].chunks][1:]
        )
    return None


def _table(made: Sequence[Chunking], wanted: Reference, called: Sequence[str]) -> None:
    metrics = against(wanted)
    results = [[metric.compute(chunking) for metric in metrics] for chunking in made]
    counts = [agreement(chunking, wanted) for chunking in made]
    best = [_best([row[i].value for row in results], metrics[i].better) for i in range(len(metrics))]
    heads = "".join(
        f'<th scope="col" title="{escape(f"{m.help} {_direction(m.better)} How: {m.formula}. Source: {m.source}.")}">'
        f"{escape(m.title)}</th>"
        for m in metrics
    )
    heads += '<th scope="col" title="Boundaries of the reference that this column does not have.">Missing</th>'
    heads += '<th scope="col" title="Cuts of this column where the reference has no boundary.">Extra</th>'
    rows = ""
    for name, row, count in zip(called, results, counts, strict=True):
        cells = "".join(
            f'<td{_class(best[i], r.value)} title="{escape(r.reason or "")}">{escape(format.number(r.value, "share"))}</td>'
            for i, r in enumerate(row)
        )
        cells += f"<td>{len(count.missing):,}</td><td>{len(count.extra):,}</td>"
        rows += f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'
    st.html(
        f'{STYLE}<div class="cv-scroll"><table class="cv-scores" data-testid="scores"><thead><tr><th scope="col">'
        f"Column</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    cards.plain(
        f"{len(wanted.boundaries):,} boundaries in the reference, {counts[0].sentences:,} sentences in the document; a cut "
        f"matches a boundary within {format.plural(counts[0].tolerance, 'sentence')}. Pk and WindowDiff are error rates: "
        "the lower, the better. Hold the pointer over a title for what it means."
    )


def _direction(better: str | None) -> str:
    return {"higher": "Higher is better.", "lower": "Lower is better."}.get(better or "", "")


def _best(values: Sequence[float | int | None], better: str | None) -> float | int | None:
    """The best value of a metric, where columns differ in it."""
    known = [v for v in values if v is not None]
    if len(set(known)) < 2:
        return None
    return max(known) if better == "higher" else min(known)


def _class(best: float | int | None, value: float | int | None) -> str:
    return ' class="cv-best"' if best is not None and value == best else ""


def _load_into(document: Document, wanted: Reference, count: int) -> None:
    """Go on from these boundaries in a column."""
    with st.container(horizontal=True):
        for at in range(count):
            st.button(
                f"Edit these in column {at + 1}",
                key=f"{KEY}.into.{at}",
                icon=":material/edit:",
                type="tertiary",
                help="Shows these boundaries in that column, to go on from there.",
                on_click=manual.start,
                args=(str(at), document, wanted.positions),
            )

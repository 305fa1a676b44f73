"""Question files: CSV, JSON Lines, JSON, and the public `questions_df.csv` of Chroma's chunking evaluation.

    {"question": "How long is the notice?", "document": "handbook.pdf", "quote": "four weeks", "answer": "Four weeks."}
    {"question": "Who signs?", "spans": [{"document": "a.md", "start": 10, "end": 42}, {"document": "b.md", "quote": "…"}]}

As CSV: the columns `question document start end quote answer`, of which `question` and `document` must be there. Rows
one after the other with the same question and answer are one question with several spans.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any, Final

from chunkviz import json_text
from chunkviz.errors import LoadError
from chunkviz.questions import Question, Reference, Row

COLUMNS: Final = ("question", "document", "start", "end", "quote", "answer")
_PUBLIC: Final = {"question", "references", "corpus_id"}
_LONGEST_CELL: Final = 10_000_000

# What a spreadsheet would take for a formula. One apostrophe goes in front on the way out and is taken off on the way in.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def read_file(path: str | Path) -> list[Row]:
    """`read_rows` of a file. Raises `LoadError` where it cannot be opened or read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise LoadError(f"{path} cannot be opened: {error.strerror or error}.") from error
    return read_rows(data, str(path))


def read_rows(data: bytes | str, name: str) -> list[Row]:
    """The rows of a question file; its ending says how it is read: .csv, .jsonl or .json.

    A row that is not as it should be has its `fault`. Raises `LoadError` where the file as a whole cannot be read.
    """
    shown = PurePath(name).name
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError(f"{shown} is not text in UTF-8 (byte {error.start:,}). Save it as UTF-8.") from None
    readers: dict[str, Callable[[str, str], list[Row]]] = {".csv": _csv, ".jsonl": _jsonl, ".json": _json}
    reader = readers.get(PurePath(name).suffix.lower())
    if reader is None:
        raise LoadError(f"{shown} is no question file that can be read. Known endings: {', '.join(readers)}.")
    rows = reader(text, shown)
    if not rows:
        raise LoadError(f"{shown} holds no question.")
    return rows


def to_jsonl(questions: Iterable[Question]) -> str:
    """One object a line; `read_rows` gives the same questions back."""
    lines = []
    for q in questions:
        row: dict[str, Any] = {"question": q.text}
        if len(q.gold) == 1:
            row |= {"document": q.gold[0].document, "start": q.gold[0].start, "end": q.gold[0].end}
        else:
            row["spans"] = [{"document": g.document, "start": g.start, "end": g.end} for g in q.gold]
        if q.answer:
            row["answer"] = q.answer
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines)


def to_csv(questions: Iterable[Question]) -> str:
    """A row for each gold span, for spreadsheets. Text that looks like a formula gets an apostrophe in front.

    Two equal questions one after the other come back as one with the spans of both.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for q in questions:
        for g in q.gold:
            writer.writerow([_out(q.text), _out(g.document), g.start, g.end, "", _out(q.answer)])
    return out.getvalue()


def _out(text: str) -> str:
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def _in(text: str) -> str:
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_FORMULA) else text


def _csv(text: str, shown: str) -> list[Row]:
    # The limit is one for the process; it is raised and left, since another thread may be reading too.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    try:
        # Spreadsheets of some countries part columns by semicolons.
        head = text.split("\n", 1)[0]
        delimiter = ";" if head.count(";") > head.count(",") else ","
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        names = set(reader.fieldnames or ())
        if names >= _PUBLIC:
            return [_published(number, cells) for number, cells in enumerate(reader, 1)]
        if not names >= {"question", "document"}:
            raise LoadError(
                f"{shown} needs the columns question and document, and start and end, or quote. "
                f"It has: {', '.join(sorted(names)) or 'none'}."
            )
        return _joined(_plain(number, cells) for number, cells in enumerate(reader, 1))
    except csv.Error as error:
        raise LoadError(f"{shown} is no CSV: {error}.") from None


def _plain(number: int, cells: Mapping[str, Any]) -> Row:
    value = {name: _in(cells.get(name) or "") for name in COLUMNS}
    # Cells beyond the header come under None, missing ones as None.
    if None in cells or any(cells.get(name) is None for name in cells if name):
        return Row(number, value["question"], fault="The row has not as many cells as the header.")
    offsets: list[int | None] = []
    for name in ("start", "end"):
        word = value[name].strip()
        if word and not (word.isascii() and word.isdigit()):
            return Row(number, value["question"], fault=f"`{name}` must be a whole number of at least 0. Got {word!r}.")
        offsets.append(int(word) if word else None)
    reference = Reference(value["document"].strip(), offsets[0], offsets[1], value["quote"])
    return Row(number, value["question"], (reference,), value["answer"])


def _joined(rows: Iterable[Row]) -> list[Row]:
    """Neighbours with the same question and answer are one question with several spans."""
    found: list[Row] = []
    for row in rows:
        last = found[-1] if found else None
        if last and not row.fault and not last.fault and (row.text, row.answer) == (last.text, last.answer):
            found[-1] = Row(last.number, last.text, last.references + row.references, last.answer)
        else:
            found.append(row)
    return found


def _published(number: int, cells: Mapping[str, Any]) -> Row:
    """A row of `questions_df.csv`: the references are a JSON list of {"content", "start_index", "end_index"}."""
    question, document = cells["question"] or "", cells["corpus_id"] or ""
    try:
        listed = json_text.read(cells["references"] or "")
        references = tuple(
            Reference(document, _whole(r["start_index"]), _whole(r["end_index"]), str(r["content"])) for r in listed
        )
    except (ValueError, TypeError, KeyError):
        return Row(number, question, fault="`references` must be a JSON list with content, start_index and end_index.")
    return Row(number, question, references)


def _jsonl(text: str, shown: str) -> list[Row]:
    # Not splitlines(): a question may hold U+2028, which JSON leaves as it is.
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                rows.append(_object(number, json_text.read(line)))
            except ValueError as error:
                rows.append(Row(number, fault=f"The line is not JSON: {error}."))
    return rows


def _json(text: str, shown: str) -> list[Row]:
    try:
        data = json_text.read(text)
    except ValueError as error:
        raise LoadError(f"{shown} is not JSON: {error}.") from None
    if not isinstance(data, list):
        raise LoadError(f"{shown} must be a JSON list of questions.")
    return [_object(number, item) for number, item in enumerate(data, 1)]


def _object(number: int, item: Any) -> Row:
    if not isinstance(item, dict) or not isinstance(item.get("question"), str):
        return Row(number, fault='A question is a JSON object with at least {"question": "…", "document": "…"}.')
    question, answer = item["question"], item.get("answer")
    spans = item.get("spans", [item])
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        return Row(number, question, fault="`spans` must be a list of objects with document, start and end, or quote.")
    if not isinstance(answer, str | None):
        return Row(number, question, fault="`answer` must be text.")
    references = []
    for span in spans:
        document, quote = span.get("document", item.get("document", "")), span.get("quote")
        if not isinstance(document, str) or not isinstance(quote, str | None):
            return Row(number, question, fault="`document` and `quote` must be text.")
        try:
            start, end = (None if span.get(name) is None else _whole(span[name]) for name in ("start", "end"))
        except TypeError:
            return Row(number, question, fault="`start` and `end` must be whole numbers.")
        references.append(Reference(document, start, end, quote or ""))
    return Row(number, question, tuple(references), answer or "")


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(value)
    return value

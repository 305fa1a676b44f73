"""What leaves chunkviz: chunks as JSON Lines, CSV, JSON or Parquet, and code that makes the same chunks again.

JSON Lines is the format to process further: one chunk a line, nothing changed. Parquet is the same for data frames and
query engines, with types. CSV is for spreadsheets, which run a cell that looks like a formula; there such a cell gets an
apostrophe in front.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from chunkviz import registry
from chunkviz.chunking import Chunking
from chunkviz.errors import ParameterError
from chunkviz.loaders.options import LoadOptions
from chunkviz.recipe import Recipe
from chunkviz.units import unit

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]

COLUMNS: Final = ("index", "start", "end", "tokens", "text", "reason", "heading_path", "pages", "context", "flags")
"""The keys of a row, in order. Several documents have "document" before them, rewritten chunks "rewrite" after."""

ROWS_AT_ONCE: Final = 2_000
"""Rows of one row group of a Parquet file: what is in memory twice while it is written."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
# JSON allows these in a text; but some readers take the first three for ends of lines, and none can be written as
# UTF-8 if it is half of a surrogate pair.
_ESCAPED = re.compile("[\x85\u2028\u2029\ud800-\udfff]")
_HALVES = re.compile("[\ud800-\udfff]")


def rows(chunking: Chunking, document: str | None = None) -> Iterator[dict[str, Any]]:
    """One row per chunk, with the keys of `COLUMNS`; `document` goes first, where rows of several are mixed."""
    first = {} if document is None else {"document": document}
    return ({**first, **chunk.to_dict()} for chunk in chunking.chunks)


def jsonl(rows_: Iterable[Row]) -> str:
    """Rows as JSON Lines: each ends in a line feed, and no other line end of any kind is in it."""
    return "".join(_json(row) + "\n" for row in rows_)


def csv_text(rows_: Iterable[Row]) -> str:
    """Rows as CSV (RFC 4180, with a header); lists and flags as JSON.

    A cell that begins with = + - @ tab or a carriage return gets an apostrophe in front, so that no spreadsheet runs it.
    """
    found = list(rows_)
    before = ("document",) if found and "document" in found[0] else ()
    after = ("rewrite",) if any("rewrite" in row for row in found) else ()
    columns = (*before, *COLUMNS, *after)
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name, "")) for name in columns] for row in found)
    return out.getvalue()


def to_jsonl(chunking: Chunking) -> str:
    """The chunks as JSON Lines, one object a line with the keys of `COLUMNS` in this order; "" for no chunks."""
    return jsonl(rows(chunking))


def to_csv(chunking: Chunking) -> str:
    """The chunks as CSV with a header; see `csv_text` for what happens to cells that look like formulas."""
    return csv_text(rows(chunking))


def to_json(chunking: Chunking) -> str:
    """Everything about a chunking as one JSON object.

    document : name, format, length in code points, and the SHA-256 by which a reader knows the offsets fit
    recipe   : what makes it again
    chunks   : as in `to_jsonl`
    dropped  : spans left out on purpose, each with its reason
    notes    : fallbacks that were taken, in words
    """
    document = chunking.document
    whole = {
        "document": {
            "name": document.name,
            "format": document.format,
            "characters": len(document.text),
            "fingerprint": document.fingerprint,
        },
        "recipe": chunking.recipe.to_dict(),
        "chunks": list(rows(chunking)),
        "dropped": [{"start": d.start, "end": d.end, "reason": d.reason} for d in chunking.dropped],
        "notes": list(chunking.notes),
    }
    return _json(whole, indent=2) + "\n"


def to_parquet(chunking: Chunking, document: str | None = None) -> bytes:
    """The chunks as a Parquet file: the columns of `COLUMNS` with "document" before and "rewrite" after them.

    document : what the column of that name says; default: the document's name
    `heading_path` is a list of texts, `pages` a list of whole numbers, `flags` a map of texts, `rewrite` null where
    there is none. Half of a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD, one for one. The file's own
    metadata has, under the key "chunkviz", the recipe and the document's fingerprint as JSON.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    about = {"recipe": chunking.recipe.to_dict(), "fingerprint": chunking.document.fingerprint}
    schema = _schema().with_metadata({"chunkviz": _json(about)})
    name = chunking.document.name if document is None else document
    found = (_stored(row) for row in rows(chunking, name))
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        while batch := list(islice(found, ROWS_AT_ONCE)):
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
    return out.getvalue()


def _schema() -> pa.Schema:
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    types = {
        "document": text,
        "index": number,
        "start": number,
        "end": number,
        "tokens": number,
        "heading_path": pa.list_(text),
        "pages": pa.list_(number),
        "flags": pa.map_(text, text),
    }
    return pa.schema([(name, types.get(name, text)) for name in ("document", *COLUMNS, "rewrite")])


def _stored(row: Row) -> dict[str, Any]:
    """A row as Arrow takes it: maps as pairs, every text one that UTF-8 can hold."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return _HALVES.sub("\ufffd", value)
        if isinstance(value, Mapping):
            return [(clean(key), clean(text)) for key, text in value.items()]
        return [clean(item) for item in value] if isinstance(value, list) else value

    return {name: clean(value) for name, value in row.items()}


def command(name: str, recipe_file: str = "recipe.json", out: str = "chunks.jsonl") -> list[str]:
    """The words after `python -m chunkviz` that write the chunks of the file `name`, cut by a recipe, as JSON Lines."""
    # A file may be called as an option is.
    file = f"./{name}" if name.startswith("-") else name
    return ["chunk", file, "--recipe", recipe_file, "--format", "jsonl", "--out", out]


def snippet(recipe: Recipe, name: str) -> str:
    """Python code that loads the file `name` and leaves the chunks of `recipe` in `chunking`.

    Every value is checked against its declaration and written as a Python literal: no name and no separator, whoever
    wrote it, becomes code. Raises `ParameterError` for a recipe that could not run here, `StrategyError` for a
    strategy that is not installed.
    """
    strategy = registry.strategy(recipe.strategy)
    if recipe.version != strategy.version:
        raise ParameterError(
            f"This recipe was made with version {recipe.version} of `{strategy.id}`; version {strategy.version} is "
            "installed and may cut elsewhere. Make the recipe again."
        )
    counted = unit(recipe.unit)
    params = strategy.params_class.make(recipe.params, counted.word).values()
    options = LoadOptions.make(recipe.loader).changed()
    loaded = ", ".join([repr(name), *(f"{key}={value!r}" for key, value in options.items())])
    arguments = [
        "doc",
        repr(strategy.id),
        f"unit={counted.id!r}",
        *(f"{key}={value!r}" for key, value in params.items()),
    ]
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"import chunkviz\n\ndoc = chunkviz.load({loaded})\nchunking = chunkviz.chunk(\n{lines})\n"


def _json(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    return f"'{text}" if text.startswith(_FORMULA) else text

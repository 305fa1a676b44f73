"""From files to documents. One file per format; `MODULES` is the list, and adding a format is a file and a line here.

load("handbook.pdf") takes a path, load(data, name="notes.md") bytes, and from_text("# Title", name="notes.md") text at
hand, which stays as it is.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import NoneType
from typing import Any, Final

from chunkviz.document import Document, Format, Note
from chunkviz.errors import LoadError
from chunkviz.given import expect
from chunkviz.loaders.base import Loader
from chunkviz.loaders.encoding import without_surrogates
from chunkviz.loaders.options import LoadOptions
from chunkviz.settings import settings

# Names, not modules: a format nobody opens is not imported, and the order is that of the help text.
MODULES: Final = ("pdf", "docx", "markdown", "html", "text", "json_", "latex", "code")

PDF_MARK: Final = b"%PDF-"
WORD_PART: Final = b"word/document.xml"

_ZIP: Final = b"PK\x03\x04"
_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_BYTES: Final = 22 + 0xFFFF  # the record that ends an archive, with the longest comment

# What a file is that no loader reads: its first bytes, and what to do. The order matters: the first that fits is named.
_FOREIGN: Final = (
    (b"\xd0\xcf\x11\xe0", "an old Office file, or one locked with a password. Save it as .docx without a password"),
    (b"{\\rtf", "an RTF file. Save it as .docx"),
    (_ZIP, "an archive and not a Word file. Open the documents inside it one by one"),
    (_ZIP_END, "an empty archive. Choose a document"),
    (b"\x1f\x8b", "a compressed file. Unpack it first"),
    (b"7z\xbc\xaf", "a compressed file. Unpack it first"),
    (b"Rar!", "a compressed file. Unpack it first"),
    (b"\x89PNG", "a picture, which holds no text. Run text recognition on it first"),
    (b"\xff\xd8\xff", "a picture, which holds no text. Run text recognition on it first"),
    (b"GIF8", "a picture, which holds no text. Run text recognition on it first"),
)

_WORDS: Final[Mapping[Format, str]] = {"pdf": "PDF", "docx": "Word document"}

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@cache
def loaders() -> tuple[Loader, ...]:
    """Every loader, in the order of `MODULES`."""
    return tuple(_loader(module) for module in MODULES)


def _loader(module: str) -> Loader:
    found: Loader = import_module(f"chunkviz.loaders.{module}").LOADER
    return found


@cache
def _by_suffix() -> Mapping[str, Loader]:
    return {suffix: loader for loader in loaders() for suffix in loader.suffixes}


@cache
def _by_format() -> Mapping[Format, Loader]:
    return {loader.format: loader for loader in loaders()}


def suffixes() -> tuple[str, ...]:
    """Every ending that has a format, lower case with the dot, in the order of `MODULES`."""
    return tuple(_by_suffix())


def format_of(name: str) -> tuple[Format, str]:
    """The format that a file name stands for and, for source code, its language. Plain text where the ending is unknown.

    >>> format_of("notes.md"), format_of("src/App.TSX"), format_of("LICENSE")
    (('markdown', ''), ('code', 'typescript'), ('text', ''))
    """
    suffix = _suffix(display_name(name))
    loader = _by_suffix().get(suffix)
    return (loader.format, loader.languages.get(suffix, "")) if loader else ("text", "")


def display_name(name: str) -> str:
    """A file name to show: without directories and without characters that would break a line or turn it around.

    >>> display_name("../../x.txt"), display_name("C:\\\\docs\\\\x.txt"), display_name("..")
    ('x.txt', 'x.txt', 'document')
    """
    last = _UNPRINTABLE.sub("\ufffd", re.split(r"[/\\]", name)[-1]).strip()
    return last[-200:] if last not in ("", ".", "..") else "document"


def load(
    source: str | os.PathLike[str] | bytes,
    name: str | None = None,
    *,
    password: str | None = None,
    **options: Any,
) -> Document:
    """Read a document.

    source   : a path, or the bytes of a file
    name     : what it is called on screen; its ending decides the format. The file's own name where not given
    password : of a locked PDF; it is used and not kept
    options  : see `LoadOptions`; those that differ from their defaults are in `Document.options`

    Raises `LoadError` with what is wrong and what to do, also where neither a path nor bytes are given, and
    `ParameterError` for an option that does not exist.
    """
    wanted = "`load` needs a path, or the bytes of a file (`file.read()`) with `name=` to call it by."
    expect(source, (str, os.PathLike, bytes), wanted, LoadError)
    expect(name, (str, NoneType), 'The `name` of a file must be text, such as "notes.md".', LoadError)
    expect(password, (str, NoneType), "The `password` of a file must be text.", LoadError)
    chosen = LoadOptions.make(options)
    if isinstance(source, bytes):
        data, shown = source, display_name(name or "document")
    else:
        data, shown = _read(source, name)
    _check_size(len(data), shown)
    loader, notes = _loader_for(data, shown)
    document = loader.parse(data, shown, chosen, password)
    return replace(document, name=shown, notes=(*notes, *document.notes), options=chosen.changed())


def from_text(text: str, name: str = "document.txt", format: str | None = None) -> Document:
    """A document from text at hand, with the structure that is found in it.

    The text stays as it is, line ends and markup included; only lone surrogates, which no output could write, are
    replaced by U+FFFD one for one, with a note.

    name   : its ending decides the format where `format` is not given
    Raises `LoadError` for what is no text, and for a format that is unknown or that exists as files only.
    """
    wanted = (
        "`from_text` needs text as `str`; for the bytes of a file, `chunkviz.load(data, name=...)` finds the encoding."
    )
    expect(text, str, wanted, LoadError)
    expect(name, str, 'The `name` of a document must be text, such as "notes.md".', LoadError)
    shown = display_name(name)
    own, language = format_of(shown)
    if format is None and _by_format()[own].from_text is None:
        own = "text"  # text somebody took out of a PDF or a Word file is text, whatever it is called
    wanted = own if format is None else format
    known = [f for f, loader in _by_format().items() if loader.from_text]
    read = next((_by_format()[f].from_text for f in known if f == wanted), None)
    if read is None:
        raise LoadError(f"Text cannot be read as {wanted!r}. The formats are {', '.join(known)}.")
    text, notes = without_surrogates(text)
    document = read(text, shown, language if wanted == own else "")
    return replace(document, notes=(*notes, *document.notes)) if notes else document


def _suffix(name: str) -> str:
    return PurePosixPath(name.lower()).suffix


def _read(source: str | os.PathLike[str], name: str | None) -> tuple[bytes, str]:
    """The bytes of a file and its name; no more of them than may be opened, and from nothing that is no file."""
    place = os.fsdecode(source)
    shown = display_name(name or place)
    try:
        path = Path(place)
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise LoadError(f"{shown} is a folder. Choose a file in it.")
        if not stat.S_ISREG(status.st_mode):
            raise LoadError(f"{shown} is a device or a pipe. Choose a file.")
        _check_size(status.st_size, shown)
        return path.read_bytes(), shown
    except FileNotFoundError as error:
        raise LoadError(f"{shown} does not exist. Check the path.") from error
    except PermissionError as error:
        raise LoadError(f"{shown} may not be read by this user. Change its permissions or copy it.") from error
    except (OSError, ValueError) as error:  # a path too long, with a NUL in it, on a disk that fails
        raise LoadError(f"{shown} cannot be opened. Check the path and the disk.") from error


def _check_size(size: int, shown: str) -> None:
    limit = settings().max_file_mb
    if size > limit * 1_000_000:
        raise LoadError(
            f"{shown} has {size / 1e6:,.1f} MB; at most {limit} MB are opened. Split it, or set CHUNKVIZ_MAX_FILE_MB."
        )


def _loader_for(data: bytes, shown: str) -> tuple[Loader, tuple[Note, ...]]:
    """The loader that fits the name and, where the content is certain to be something else, the content."""
    suffix = _suffix(shown)
    named = _by_suffix().get(suffix)
    format_ = named.format if named else None
    head = data[:1024]
    # The mark may come late in a file called .pdf, but a text that only mentions it is a text.
    if PDF_MARK in head if format_ == "pdf" else head.lstrip().startswith(PDF_MARK):
        actual: Format | None = "pdf"
    elif data.startswith(_ZIP) and WORD_PART in data:
        actual = "docx"
    else:
        actual = None
    if actual:
        note = Note("format", f"{shown} holds a {_WORDS[actual]} and was read as one.", 0, "warning")
        return _by_format()[actual], () if actual == format_ else (note,)
    if format_ in ("pdf", "docx") and not data:
        raise LoadError(f"{shown} is empty. Save or download it again.")
    if data.startswith(_ZIP) and _ZIP_END not in data[-_ZIP_END_BYTES:]:
        raise LoadError(f"{shown} is damaged: its end is missing. Save or download it again.")
    for mark, what in _FOREIGN:
        if data.startswith(mark):
            raise LoadError(f"{shown} is {what}.")
    if format_ == "pdf":
        raise LoadError(f"{shown} is called a PDF, but holds none. Rename it to what it is, or download it again.")
    if format_ == "docx":
        raise LoadError(f"{shown} is called a Word file, but holds none. Rename it to what it is, or save it again.")
    if named:
        return named, ()
    if re.match(rb"(?:\xef\xbb\xbf)?\s*(?:<!doctype\s+html|<html)\b", head, re.IGNORECASE):
        return _by_format()["html"], (Note("format", f"{shown} has no known ending; its content is HTML."),)
    return _by_format()["text"], (Note("format", f"{shown} has no known ending: read as plain text."),)

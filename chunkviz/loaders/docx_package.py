"""The archive that a Word file is: its parts are unpacked under a limit, before any XML is parsed."""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from typing import Final

from chunkviz.errors import LoadError
from chunkviz.settings import settings

OFFICE_CONTAINER: Final = b"\xd0\xcf\x11\xe0"
"""First bytes of an old .doc and of every encrypted Office file."""

_WANTED: Final = re.compile(r"word/(?:document|styles|footnotes|endnotes|comments|header\d*|footer\d*)\.xml")
_PIECE = 1 << 16


def parts_of(data: bytes, name: str) -> dict[str, bytes]:
    """The XML parts that hold text, by their names in the archive; "word/document.xml" is always there.

    Pictures and the rest are never unpacked. Raises `LoadError` for what is no Word file, is locked, declares a
    document type (the door for entities) or unpacks to more than `max_inflated_mb`.
    """
    if data.startswith(OFFICE_CONTAINER):
        raise LoadError(f"{name} is locked with a password, or an old .doc file. Save it as .docx without a password.")
    room = settings().max_inflated_mb * 1_000_000
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            wanted = [info for info in archive.infolist() if _WANTED.fullmatch(info.filename)]
            # Counted before any of it is kept: a bomb must meet this limit, not that on memory.
            for info in wanted:
                room -= _size(archive, info, room, name)
            found = {info.filename: archive.read(info) for info in wanted}
    # A password in the archive is a RuntimeError, an unknown compression a NotImplementedError.
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError) as error:
        raise LoadError(f"{name} is damaged and cannot be unpacked as a Word file ({error}). Save it again.") from error
    if "word/document.xml" not in found:
        raise LoadError(f"{name} is an archive without a Word document in it. Save it as .docx from Word.")
    for content in found.values():
        _refuse_document_type(content, name)
    return found


def _size(archive: zipfile.ZipFile, info: zipfile.ZipInfo, room: int, name: str) -> int:
    """How many bytes one part unpacks to; counted as they come, since the size that an archive declares may be a lie."""
    size = 0
    with archive.open(info) as stream:
        while piece := stream.read(_PIECE):
            size += len(piece)
            if size > room:
                limit = settings().max_inflated_mb
                raise LoadError(
                    f"{name} unpacks to more than {limit} MB, which no ordinary document does; it was not opened "
                    "(CHUNKVIZ_MAX_INFLATED_MB)."
                )
    return size


def _refuse_document_type(content: bytes, name: str) -> None:
    # In UTF-16 and UTF-32 every other byte or more is a NUL: without them the mark reads the same in each encoding.
    plain = content.replace(b"\0", b"") if b"\0" in content else content
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise LoadError(f"{name} declares a document type, which no Word file does; it was not opened.")

"""What a reader of a document can choose about how it is read. The same declaration as for strategies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from chunkviz.params import Choice, Flag, Params

ENCODINGS: Final[Mapping[str, str]] = {
    "auto": "Find out",
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-32": "UTF-32",
    "cp1252": "Western European (Windows-1252)",
    "latin-1": "Western European (ISO 8859-1)",
    "mac-roman": "Western European (old Macintosh)",
    "cp850": "Western European (DOS 850)",
    "cp1250": "Central European (Windows-1250)",
    "iso8859-2": "Central European (ISO 8859-2)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8-r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "cp1255": "Hebrew (Windows-1255)",
    "cp1256": "Arabic (Windows-1256)",
    "cp1257": "Baltic (Windows-1257)",
    "shift_jis": "Japanese (Shift JIS)",
    "euc_jp": "Japanese (EUC-JP)",
    "gb18030": "Chinese, simplified (GB 18030)",
    "big5": "Chinese, traditional (Big5)",
    "euc_kr": "Korean (EUC-KR)",
}
"""Python's name of each encoding that can be chosen, and the words shown for it."""


@dataclass(frozen=True)
class LoadOptions(Params):
    """How files are read; an option that means nothing for a format changes nothing there."""

    owner: ClassVar[str] = "load"

    encoding: Annotated[
        str,
        Choice(
            label="Encoding",
            options=ENCODINGS,
            help="Which characters the bytes of a text file stand for. Choose one where letters look wrong, "
            "such as é shown as Ã©; it has no effect on PDF and Word files.",
        ),
    ] = "auto"
    keep_boilerplate: Annotated[
        bool,
        Flag(
            label="Keep navigation, headers and footers",
            help="For web pages. On: menus, page headers, footers and side columns become chunks too and can be "
            "found instead of the content. Off: they are left out and counted.",
        ),
    ] = False
    html_source: Annotated[
        bool,
        Flag(
            label="Show the markup itself",
            help="For web pages. On: the text is the source with all its tags, so chunks hold more markup and fewer "
            "words. Off: the words as a browser shows them.",
        ),
    ] = False
    join_hyphens: Annotated[
        bool,
        Flag(
            label="Join words split at line ends",
            help="For PDF. On: a word broken by a hyphen at the end of a line is made whole, so a search finds it. "
            "Off: the hyphen and the break stay.",
        ),
    ] = True

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults: what a recipe has to say."""
        return {p.name: getattr(self, p.name) for p in self.declared() if getattr(self, p.name) != p.default}

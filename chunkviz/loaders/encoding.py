"""From bytes to text: what the encoding is, how sure that is, and what had to be replaced. Line ends stay as they are.

In this order: what the reader chose; a byte order mark; what the file itself declares (HTML); UTF-8; UTF-16 without a
mark; a guess. The guess is named in a warning, because a wrong one looks plausible: `déjà` and `déjŕ` are the same
bytes in two encodings.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from chunkviz.document import Note
from chunkviz.errors import LoadError

REPLACEMENT: Final = "\ufffd"

# UTF-32 before UTF-16: the little-endian mark of one begins with that of the other.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Encodings that everybody reads as a larger one which holds them.
_WIDER: Final = {"shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030"}

_SURROGATE = re.compile("[\ud800-\udfff]")
# Control characters that no text file has a use for; tab, line ends, form feed, backspace and escape are not among them.
_CONTROL = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without lone surrogates and NULs, Python's name of the encoding it was in, and what to tell the reader."""

    text: str
    encoding: str
    notes: tuple[Note, ...] = ()


def decode(data: bytes, name: str, encoding: str = "auto", declared: str | None = None) -> Decoded:
    """The text in `data`.

    name     : of the file, for the message
    encoding : one of `options.ENCODINGS`; other than "auto" it is obeyed, and bytes that are not valid in it are replaced
    declared : the encoding the file names itself, taken where it fits and names an encoding of text
    Raises `LoadError` for data that is no text.
    """
    if encoding != "auto":
        return _chosen(data, encoding)
    for mark, codec in _MARKS:
        if data.startswith(mark):
            text, notes = _forced(data[len(mark) :], codec)
            label = codec.removesuffix("-le").removesuffix("-be").upper()
            found = Note("encoding", f"Read as {label}; the byte order mark at the start is not part of the text.")
            return _clean(text, codec, found, *notes)
    stated = _text_codec(declared)
    if stated and b"\0" not in data:
        try:
            text = data.decode(stated)
        except UnicodeDecodeError:
            pass  # a page that declares what it is not: find out instead; the note says what came out
        else:
            return _clean(text, stated, Note("encoding", f"Read as {stated}, as the file declares."))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _not_utf8(data, name)
    return _utf16_unmarked(data) or _checked(Decoded(text, "utf-8"), name)


def without_surrogates(text: str) -> tuple[str, tuple[Note, ...]]:
    """`text` with each lone surrogate replaced by U+FFFD, one for one, so that no offset moves."""
    text, count = _SURROGATE.subn(REPLACEMENT, text)
    if not count:
        return text, ()
    what = f"{_times(count, 'half character was', 'half characters were')} replaced by {REPLACEMENT} (lone surrogates)."
    return text, (Note("encoding", what, count, "warning"),)


def _times(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _invalid(count: int, codec: str) -> Note:
    what = f"{_times(count, 'place is', 'places are')} not valid {codec} and shown as {REPLACEMENT}."
    return Note("encoding", what, count, "warning")


def _chosen(data: bytes, encoding: str) -> Decoded:
    for mark, codec in _MARKS:
        if data.startswith(mark) and codec.startswith(encoding):
            text, notes = _forced(data[len(mark) :], codec)
            return _clean(text, codec, Note("encoding", f"Read as {encoding}, as chosen."), *notes)
    # Without a mark Python would take the byte order of this computer; the files that exist are little-endian.
    codec = f"{encoding}-le" if encoding in ("utf-16", "utf-32") else _WIDER.get(encoding, encoding)
    text, notes = _forced(data, codec)
    return _clean(text, codec, Note("encoding", f"Read as {encoding}, as chosen."), *notes)


def _forced(data: bytes, codec: str) -> tuple[str, tuple[Note, ...]]:
    """Decode at any price; how much of the text is a replacement goes into a note."""
    try:
        return data.decode(codec), ()
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        return text, (_invalid(text.count(REPLACEMENT), codec),)


def _clean(text: str, codec: str, *notes: Note) -> Decoded:
    text, lone = without_surrogates(text)
    notes += lone
    count = text.count("\0")
    if count:
        text = text.replace("\0", REPLACEMENT)
        what = f"{_times(count, 'NUL character was', 'NUL characters were')} replaced by {REPLACEMENT}."
        notes += (Note("encoding", what, count, "warning"),)
    return Decoded(text, codec, notes)


def _checked(found: Decoded, name: str) -> Decoded:
    """`found`, unless its characters are those of a program or a picture and not of a text."""
    controls = sum(1 for _ in _CONTROL.finditer(found.text))
    if controls > 8 and controls * 50 > len(found.text):
        raise _binary(name)
    return _clean(found.text, found.encoding, *found.notes)


def _binary(name: str) -> LoadError:
    return LoadError(
        f"{name} holds binary data, not text. Save it as text, PDF, Word (.docx), HTML or Markdown and open that."
    )


def _not_utf8(data: bytes, name: str) -> Decoded:
    wide = _utf16_unmarked(data)
    if wide:
        return wide
    if b"\0" in data:
        raise _binary(name)
    # A UTF-8 file that is cut short, or damaged in a few places, is still a UTF-8 file: a guess would spoil all of it.
    text = data.decode("utf-8", "replace")
    broken = text.count(REPLACEMENT)
    intact = sum(1 for c in re.finditer(r"[^\x00-\x7f]", text) if c[0] != REPLACEMENT)
    if intact >= 10 * broken:
        return _checked(Decoded(text, "utf-8", (_invalid(broken, "UTF-8"),)), name)
    codec = guess(data)
    text, notes = _forced(data, codec)
    what = f"Read as {codec}, a guess: if letters look wrong, choose the encoding."
    return _checked(Decoded(text, codec, (Note("encoding", what, 0, "warning"), *notes)), name)


def _utf16_unmarked(data: bytes) -> Decoded | None:
    """UTF-16 betrays itself by NULs that are all at odd, or all at even positions: the halves of ASCII characters."""
    if len(data) % 2 or b"\0" not in data:
        return None
    even, odd = data[::2].count(0), data[1::2].count(0)
    if min(even, odd) * 20 > max(even, odd):
        return None
    codec = "utf-16-le" if odd > even else "utf-16-be"
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    sample = text[:20_000]
    if sum(c.isprintable() or c.isspace() for c in sample) < 0.95 * len(sample):
        return None
    return _clean(text, codec, Note("encoding", "Read as UTF-16; it has no byte order mark.", 0, "warning"))


@cache
def _text_codec(declared: str | None) -> str | None:
    """Python's name of a declared encoding, if it is one in which a page can declare anything."""
    if not declared:
        return None
    try:
        codec = codecs.lookup(declared.strip()).name
    except (LookupError, ValueError):
        return None
    # Web pages that say Latin-1 or ASCII mean Windows-1252; one that says UTF-16 in ASCII letters is not UTF-16.
    codec = {"iso8859-1": "cp1252", "ascii": "cp1252"}.get(codec, _WIDER.get(codec, codec))
    allowed = ("cp", "iso8859", "koi8", "mac-", "big5", "euc_", "gb18030", "iso2022_jp", "johab")
    return codec if codec.startswith(allowed) else None


# ---- the guess -----------------------------------------------------------------------------------------------------


class _Language(NamedTuple):
    letters: frozenset[str]
    codecs: tuple[str, ...]


_WEST: Final = ("cp1252", "mac-roman", "cp850")
_CENTRE: Final = ("cp1250", "iso8859-2")
_CYRILLIC: Final = ("cp1251", "koi8-r")

# The letters outside ASCII that each language writes, and the one-byte encodings its files are found in.
_LANGUAGES: Final = tuple(
    _Language(frozenset(letters + letters.upper()), codecs_)
    for letters, codecs_ in (
        ("àâæçèéêëîïôœùûüÿ", _WEST),  # French
        ("äöüßé", _WEST),  # German
        ("áéíñóúü", _WEST),  # Spanish
        ("àáâãçéêíóôõúü", _WEST),  # Portuguese
        ("àèéìíîòóùú", _WEST),  # Italian
        ("æøåéèóòâô", _WEST),  # Danish, Norwegian
        ("åäöéüà", _WEST),  # Swedish, Finnish
        ("áâèéêëêïíóôöúûü", _WEST),  # Dutch
        ("áæéíðóöþúý", _WEST),  # Icelandic
        ("àçèéíïòóúü", _WEST),  # Catalan
        ("ąćęłńóśźż", _CENTRE),  # Polish
        ("áčďéěíňóřšťúůýž", _CENTRE),  # Czech
        ("áäčďéíĺľňóôŕšťúýž", _CENTRE),  # Slovak
        ("áéíóöőúüű", _CENTRE),  # Hungarian
        ("ăâîşţ", _CENTRE),  # Romanian
        ("čćđšž", _CENTRE),  # Croatian, Slovenian
        ("абвгдежзийклмнопрстуфхцчшщъыьэюяё", _CYRILLIC),  # Russian, Bulgarian
        ("абвгдежзийклмнопрстуфхцчшщьюяєіїґ", ("cp1251",)),  # Ukrainian
        ("абвгдежзийклмнопрстуфхцчшыьэюяёіў", ("cp1251",)),  # Belarusian
        ("абвгдежзиклмнопрстуфхцчшђјљњћџ", ("cp1251",)),  # Serbian
        ("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ", ("cp1253",)),  # Greek
        ("âçğıîöşûüİ", ("cp1254",)),  # Turkish
        ("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي", ("cp1256",)),  # Arabic
        ("ąčęėįšųūž", ("cp1257",)),  # Lithuanian
        ("āčēģīķļņšūž", ("cp1257",)),  # Latvian
    )
)
# The encodings alphabets are tried for. cp1252 first, because é alone is the same byte in five of them.
_ONE_BYTE: Final = tuple(dict.fromkeys(codec for language in _LANGUAGES for codec in language.codecs))

_NEAR_HIGH = re.compile(rb"[^\s\x80-\xff]{0,20}[\x80-\xff][^\s]{0,40}")
# Marks of well-read prose: they speak for no encoding and against none.
_MARKS_OF_PROSE: Final = frozenset("“”„‘’‚‹›«»…–—•·§°©®™€№£¥¿¡ªº²³¹µ×±؟،؛\xa0\xad")
# What no language writes: two scripts in one word, a capital after a small letter, a sign between two letters. Signs
# of Windows-1252 such as ¹, ³, ¿ and º are letters in Polish, Romanian and Baltic files.
_CLASH = re.compile(
    r"[A-Za-z](?=[\u0370-\u06ff])|[\u0370-\u06ff](?=[A-Za-z])"
    r"|[a-zß-öø-ÿά-ώа-џ](?=[À-ÖØ-ÞΆ-ΫЀ-Я])"
    r"|(?<=[^\W\d_])(?:[¡¢£¥ª²³¹º¿°ˆ‰†‡](?=[^\W\d_])|[‚„])"
)
_ENOUGH: Final = 0.97

# Two-byte encodings whose own script proves them: how much of the text outside ASCII must be in it, 0 to 1. Japanese
# mixes its kana with Chinese characters; Korean is nearly all Hangul.
_SCRIPTS: Final = (
    ("cp932", re.compile("[\u3041-\u30fc]"), 0.2),
    ("euc_jp", re.compile("[\u3041-\u30fc]"), 0.2),
    ("cp949", re.compile("[\uac00-\ud7a3]"), 0.85),
)
_CHINESE: Final = ("gb18030", "big5", "big5hkscs")


def guess(data: bytes) -> str:
    """Python's name of the encoding that `data`, which is not UTF-8, is most likely in.

    Detectors by byte statistics read plain French as Central European. So the one-byte encodings are told apart by
    alphabets: under the right encoding, nearly all letters outside ASCII belong to *one* language that is written in
    it. Japanese and Korean are known by their scripts. Where neither explains the text, charset-normalizer decides;
    where several alphabets do, it chooses among them, except that Windows-1252 needs no second opinion.
    """
    sample = b"\n".join(m[0] for _, m in zip(range(4000), _NEAR_HIGH.finditer(data), strict=False))
    scores = {codec: _alphabet_score(sample, codec) for codec in _ONE_BYTE}
    enough = max(_ENOUGH, max(scores.values()) - 0.002)
    likely = [codec for codec in _ONE_BYTE if scores[codec] >= enough]
    if likely and (likely[0] == "cp1252" or len(likely) == 1):
        return likely[0]
    if not likely:
        for codec, script, share in _SCRIPTS:
            if _script_share(data, codec, script) >= share:
                return codec

    from charset_normalizer import from_bytes  # here, because few files need it and it takes its time

    match = from_bytes(data[:200_000]).best()
    other = codecs.lookup(match.encoding).name if match else "latin-1"
    if likely:
        return other if other in likely else likely[0]
    # Left are texts in several languages: a French one that names Ågren, a list of names. Of the detector's answers
    # only Chinese is better evidence than bytes that are valid Windows-1252.
    return "cp1252" if scores["cp1252"] >= 0 and other not in _CHINESE else other


def _alphabet_score(sample: bytes, codec: str) -> float:
    """The share of the characters outside ASCII that one language explains, 0 to 1; -1 where bytes are not valid."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError:
        return -1.0
    counts = Counter(c for c in text if c > "\x7f" and c not in _MARKS_OF_PROSE)
    clashes = sum(1 for _ in _CLASH.finditer(text))
    total = counts.total() + clashes
    if not total:
        return 1.0 if codec == "cp1252" else 0.0  # nothing but quotation marks and dashes: those of Windows
    return max(sum(counts[c] for c in lang.letters) for lang in _LANGUAGES if codec in lang.codecs) / total


def _script_share(data: bytes, codec: str, script: re.Pattern[str]) -> float:
    """The share of the characters outside ASCII that belong to `script`, 0 to 1; 0 where the bytes are not valid."""
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    foreign = sum(1 for c in text if c > "\x7f")
    return len(script.findall(text)) / foreign if foreign else 0.0

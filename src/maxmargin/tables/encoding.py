"""Bytes of any usual encoding as UTF-8 with plain line ends."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from maxmargin.tables.error import InputError

_MARKS = (  # UTF-32's little-endian mark begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")
_LOOKED_AT = 1 << 16


def as_utf8(content: bytes, path: Path, encoding: str | None) -> tuple[bytes, list[str]]:
    """Decode a file's content and encode it as UTF-8, lines ending in a line feed.

    Parameters
    ----------
    content : bytes
    path : Path
        For errors.
    encoding : str or None
        None: by the byte-order mark, else UTF-8 where it is that, else Windows' Latin alphabet.

    Returns
    -------
    text : bytes
    notes : list of str

    Raises
    ------
    InputError
        If it is no text.
    """
    text, notes = _recode(content, path, encoding)
    if b"\0" in text or _CONTROL.search(text[:_LOOKED_AT]):
        raise InputError(
            f"{str(path)!r} is neither text nor Parquet: save the table as .csv, or name the text's"
            " encoding."
        )
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text.rstrip(b"\x1a"), notes  # the mark of the end in files of DOS


def _recode(content: bytes, path: Path, encoding: str | None) -> tuple[bytes, list[str]]:
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    name = encoding or marked or "utf-8"
    if marked == "utf-8-sig" and codecs.lookup(name).name == "utf-8":
        name = marked
    try:
        text = content.decode(name)
    except UnicodeError:
        if encoding or marked:
            raise InputError(
                f"{str(path)!r} is not a text in {name}: name another encoding."
            ) from None
        return _western(content)
    if name in ("utf-8", "utf-8-sig"):
        return content.removeprefix(codecs.BOM_UTF8), []
    return text.encode(), []


def _western(content: bytes) -> tuple[bytes, list[str]]:
    """Take bytes for Windows' Latin alphabet, which has a letter for nearly all of them."""
    try:
        text, name = content.decode("cp1252"), "Windows-1252 (Latin-1)"
    except UnicodeDecodeError:
        text, name = content.decode("latin-1"), "Latin-1"
    return text.encode(), [f"The file is not in UTF-8: it is read as {name}."]

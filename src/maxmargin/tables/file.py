"""A file's bytes: whether it can be read at all, unpacked, and its digest."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from maxmargin.inputs.opening import open_ordinary
from maxmargin.tables.error import InputError
from maxmargin.tables.hint import neighbours
from maxmargin.tables.memory import check_memory

_PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"BZh": bz2.open,
}
_ENDINGS = (".gz", ".xz", ".bz2")
_FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet: unpack it, or save the sheet as .csv",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: save the sheet as .csv",
    b"\x28\xb5\x2f\xfd": "packed by Zstandard: unpack it first",
    b"7z\xbc\xaf": "a 7z archive: unpack it first",
    b"ARROW1": "an Arrow file: save it as .parquet",
    b"\x89HDF": "an HDF5 file: save its table as .parquet",
    b"SQLite format 3": "a database: export its table as .csv",
    b"%PDF": "a PDF: save its table as .csv",
    b"<!DOCTYPE": "a web page: download the table itself",
    b"<!doctype": "a web page: download the table itself",
    b"<html": "a web page: download the table itself",
    b'[{"': "in JSON: save the table as .csv",
    b'{"': "in JSON: save the table as .csv",
}
_PIECE = 1 << 20
_COPIES = 3  # of a file's text that are in memory at one time, at least


def ending(path: Path) -> str:
    """Give a name's ending, without that of a packer.

    >>> ending(Path("Letters.CSV.gz"))
    '.csv'
    """
    name = path.name.lower()
    for packer in _ENDINGS:
        name = name.removesuffix(packer)
    return Path(name).suffix


def check_readable(path: Path) -> bytes:
    """Refuse what is no file or holds nothing; return how it begins."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder: name a file in it.")
    try:
        with open_ordinary(path) as file:
            start = file.read(16)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no file {str(path)!r}{neighbours(path)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"Cannot read {str(path)!r}: {reason.lower()}.") from None
    if not start:
        raise InputError(f"{str(path)!r} is empty.")
    return start


def unpack(path: Path, start: bytes, free: int | None) -> bytes:
    """Read all of a file, packed or not, unless it does not fit into memory.

    Parameters
    ----------
    path : Path
    start : bytes
        How it begins.
    free : int or None
        Bytes of memory that may be taken.

    Returns
    -------
    bytes
    """
    openers = [opener for magic, opener in _PACKED.items() if start.startswith(magic)]
    content = _inflate(path, openers[0], free) if openers else _read(path, free)
    for magic, what in _FOREIGN.items():
        if content.startswith(magic):
            raise InputError(f"{str(path)!r} is {what}.")
    if not content.strip():
        raise InputError(f"{str(path)!r} is empty.")
    return content


def _read(path: Path, free: int | None) -> bytes:
    try:
        with open_ordinary(path) as file:
            check_memory(path, _COPIES * os.fstat(file.fileno()).st_size, free)
            return _drain(file, path, free)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"Cannot read {str(path)!r}: {reason}.") from None


def _drain(file: Any, path: Path, free: int | None) -> bytes:
    """Read to the end, wherever that is, as far as memory goes."""
    pieces, size = [], 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        check_memory(path, _COPIES * size, free)
    return b"".join(pieces)


def _inflate(path: Path, opener: Callable[[BinaryIO], Any], free: int | None) -> bytes:
    try:
        with open_ordinary(path) as packed, opener(packed) as file:
            return _drain(file, path, free)
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        raise InputError(f"{str(path)!r} is damaged: it cannot be unpacked to its end.") from None


def digest(path: Path) -> str:
    """Compute the SHA-256 of a file's bytes.

    >>> from maxmargin.datasets import heart_path
    >>> len(digest(heart_path()))
    64
    """
    with open_ordinary(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""The bytes of a model file: a head of fixed size, a description in JSON, arrays one by one.

    0    8 bytes   89 4D 58 4D 0D 0A 1A 0A: no text, and broken by whatever treats it as text
    8    uint32    version of the format
    12   uint32    0
    16   uint64    bytes of the description, with the spaces that fill it up to a multiple of 64
    24   uint64    bytes of the whole file
    32   32 bytes  SHA-256 of the first 32 bytes and of all from byte 64 on
    64   ...       the description: JSON in ASCII
    ...            the arrays, each at a multiple of 64, filled up with zeros to the next

All numbers of the head are little-endian. Nothing is compressed: a file needs as much memory as it
is long, and its length is known before a byte of it is read.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from maxmargin.storage.strict_json import MOST_BYTES, read_json, write_json

VERSION = 1
MAGIC = b"\x89MXM\r\n\x1a\n"

_HEAD = struct.Struct("<8sIIQQ32s")
_UNIT = 64
_CHUNK = 1 << 22
_MOST_DIMENSIONS = 32
_KINDS = re.compile(
    r"\|b1|\|[iu]1|[<>][iu][248]|[<>]f(2|4|8|12|16)|[<>]c(8|16|24|32)|[<>]U[1-9]\d{0,8}"
    r"|\|S[1-9]\d{0,8}|[<>][mM]8(\[\d{0,9}[A-Za-z]{1,2}\])?"
)


class ModelFileError(ValueError):
    """A file that is no model, is damaged, or holds what no model is made of."""


@dataclass(frozen=True)
class _Head:
    version: int
    reserved: int
    described: int
    length: int
    digest: bytes

    def packed(self, digest: bytes) -> bytes:
        return _HEAD.pack(MAGIC, self.version, self.reserved, self.described, self.length, digest)


def write_layout(file: BinaryIO, description: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """Write a description and arrays.

    Parameters
    ----------
    file : binary file
        Which can go back to its beginning.
    description : dict
        Values of JSON; what the arrays are is added as "arrays".
    arrays : list of ndarray
    """
    entries = [{"dtype": a.dtype.str, "shape": list(a.shape)} for a in arrays]
    text = write_json({**description, "arrays": entries})
    text += b" " * _missing(len(text))
    data = sum(a.nbytes + _missing(a.nbytes) for a in arrays)
    head = _Head(VERSION, 0, len(text), _HEAD.size + len(text) + data, b"")
    digest = hashlib.sha256(head.packed(b"")[:32])
    file.write(head.packed(b""))
    for piece in _pieces(text, arrays):
        digest.update(piece)
        file.write(piece)
    file.seek(0)
    file.write(head.packed(digest.digest()))


def _missing(size: int) -> int:
    return -size % _UNIT


def _pieces(text: bytes, arrays: list[NDArray[Any]]) -> Iterator[Any]:
    yield text
    for array in arrays:
        yield _bytes_of(np.asarray(array, order="C"))
        yield bytes(_missing(array.nbytes))


def _bytes_of(array: NDArray[Any]) -> Any:
    """Look at the memory of an array, whatever its type."""
    return array.reshape(-1).view(np.uint8).data if array.size else b""


def read_layout(file: BinaryIO, max_bytes: int) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Read what ``write_layout`` wrote.

    Parameters
    ----------
    file : binary file
        An ordinary one.
    max_bytes : int
        The longest file that is read.

    Returns
    -------
    description : dict
    arrays : list of ndarray

    Raises
    ------
    ModelFileError
        With the rest of a sentence that begins with the name of the file.
    """
    head = _read_head(file, max_bytes)
    _check_digest(file, head)
    file.seek(_HEAD.size)
    try:
        description = read_json(file.read(head.described))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"has a description that cannot be read: {error}") from None
    if not isinstance(description, dict) or not isinstance(description.get("arrays"), list):
        raise ModelFileError("has a description that is none of a model.")
    kinds = [_kind(entry) for entry in description["arrays"]]
    sizes = [kind.itemsize * math.prod(shape) for kind, shape in kinds]
    if sum(n + _missing(n) for n in sizes) != head.length - _HEAD.size - head.described:
        raise ModelFileError("is damaged: its arrays are not as long as it says.")
    return description, [_read_array(file, *kind) for kind in kinds]


def _read_head(file: BinaryIO, max_bytes: int) -> _Head:
    start, size = file.read(_HEAD.size), os.fstat(file.fileno()).st_size
    if len(start) < _HEAD.size or not start.startswith(MAGIC):
        raise ModelFileError("is no model of maxmargin.")
    head = _Head(*_HEAD.unpack(start)[1:])
    if head.version > VERSION:
        raise ModelFileError(
            f"is of version {head.version} of the format, and this maxmargin knows those up to "
            f"{VERSION}; update maxmargin."
        )
    if size != head.length:
        raise ModelFileError(f"is damaged: it has {size:,} bytes of {head.length:,}.")
    if size > max_bytes:
        raise ModelFileError(
            f"needs {size:,} bytes of memory, more than max_bytes={max_bytes:,}; allow more if "
            "you know where it comes from."
        )
    if head.described > min(MOST_BYTES, size - _HEAD.size):
        raise ModelFileError(f"is damaged: its description cannot have {head.described:,} bytes.")
    return head


def _check_digest(file: BinaryIO, head: _Head) -> None:
    """Read all of it once: accidental damage changes the digest."""
    digest = hashlib.sha256(head.packed(b"")[:32])
    for piece in iter(lambda: file.read(_CHUNK), b""):
        digest.update(piece)
    if digest.digest() != head.digest or head.version != VERSION or head.reserved != 0:
        raise ModelFileError("is damaged: its contents do not fit to their digest.")


def _kind(entry: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Read the type and the shape of an array, which have to be there in full."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape"}:
        raise ModelFileError("has an array without a type or a shape.")
    name, shape = entry["dtype"], entry["shape"]
    if not isinstance(name, str) or not _KINDS.fullmatch(name):
        raise ModelFileError(f"has an array of the type {str(name)[:40]!r}, which none may have.")
    whole = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    if not whole or len(shape) > _MOST_DIMENSIONS:
        raise ModelFileError(f"has an array of the shape {str(shape)[:40]}, which none may have.")
    try:
        return np.dtype(name), tuple(shape)
    except TypeError:
        raise ModelFileError(f"has an array of type {name}, which is unknown here.") from None


def _read_array(file: BinaryIO, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        array = np.empty(shape, dtype)
    except (ValueError, MemoryError) as error:
        raise ModelFileError(f"has an array of shape {shape}: {error}.") from None
    if array.size and file.readinto(_bytes_of(array)) != array.nbytes:  # type: ignore[attr-defined]
        raise ModelFileError("was changed while it was read.")
    file.seek(_missing(array.nbytes), os.SEEK_CUR)
    _refuse_impossible(array)
    return array


def _refuse_impossible(array: NDArray[Any]) -> None:
    """Refuse bytes that no value of the type has; NumPy does not look."""
    kind = array.dtype.kind
    if kind == "b" and (array.view(np.uint8) > 1).any():
        raise ModelFileError("has a truth value that is neither false nor true.")
    if kind == "U" and array.size:
        letters = array.reshape(-1).view(array.dtype.byteorder.replace("|", "=") + "u4")
        if letters.max() > 0x10FFFF:
            raise ModelFileError("has a text with letters that do not exist.")

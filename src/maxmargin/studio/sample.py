"""A sample of a table that is too large for the page.

Of a text its first line is kept, and whole lines from many places that are spread evenly over the
file, so that a file in the order of its classes gives all of them. Of a Parquet file every k-th
row is kept. The same file always gives the same rows.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from maxmargin.studio.error import SceneError

LARGEST_TABLE: Final = 512 << 20
"""Bytes of a file that is read whole."""
SAMPLE: Final = 32 << 20
"""Bytes of a sample of a text."""
PLACES: Final = 1_000
LONGEST_LINE: Final = 1 << 16
SAMPLE_ROWS: Final = 100_000
"""Rows of a sample of a Parquet file."""
_SEPARATORS: Final = ",;\t|"
_PACKED: Final = (".gz", ".xz", ".bz2")


def is_large(path: Path) -> bool:
    """Whether a file has more bytes than the page reads."""
    return path.stat().st_size > LARGEST_TABLE


def refuse_large(path: Path) -> None:
    """Raise where a file has more bytes than the page reads."""
    if is_large(path):
        size = path.stat().st_size / 2**30
        raise SceneError(
            f"The file has {size:.1f} GB, and the page reads {LARGEST_TABLE >> 20} MB at most. "
            "Take a sample of its rows, or give the file to the command `maxmargin fit`."
        )


def draw_sample(path: Path, out: Path, most: int = SAMPLE) -> None:
    """Write a sample of a table.

    Parameters
    ----------
    path : Path
        A text with a line a row, or a Parquet file.
    out : Path
    most : int
        Bytes of a text.
    """
    if path.suffix.lower() in _PACKED:
        raise SceneError("Unpack the file first: no sample is drawn from a packed one.")
    if path.suffix.lower() == ".parquet":
        _sample_parquet(path, out)
        return
    with path.open("rb") as file, out.open("wb") as kept:
        kept.writelines(_lines(file, path.stat().st_size, most))


def _sample_parquet(path: Path, out: Path) -> None:
    import polars as pl  # noqa: PLC0415

    try:
        rows = pl.scan_parquet(path)
        count = int(rows.select(pl.len()).collect().item())
        rows.gather_every(max(1, count // SAMPLE_ROWS)).sink_parquet(out)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise SceneError(f"No sample can be drawn: {error}") from None


def _lines(file: BinaryIO, size: int, most: int) -> Iterator[bytes]:
    """Yield the first line, and whole lines with as many fields from all over the file."""
    head = _line(file)
    if not head.endswith(b"\n"):
        raise SceneError("No sample can be drawn: the file has no lines of a usual length.")
    separator = max(_SEPARATORS, key=lambda sign: head.count(sign.encode()))
    wanted = _fields(head, separator)
    yield head
    step = max(1, (size - len(head)) // PLACES)
    for place in range(len(head), size, step):
        file.seek(place - 1)
        _line(file)  # the rest of a line that began before
        end = min(place + most // PLACES, place + step, size)
        while file.tell() < end:
            line = _line(file)
            if line.endswith(b"\n") and _fields(line, separator) == wanted:
                yield line


def _line(file: BinaryIO) -> bytes:
    """Read a line, or the first part of one that is too long for a table."""
    return file.readline(LONGEST_LINE)


def _fields(line: bytes, separator: str) -> int:
    """Count the fields of a line, those in quotes as one."""
    text = line.decode("utf-8", "replace")
    return len(next(csv.reader([text], delimiter=separator), []))

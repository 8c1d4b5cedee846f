"""Files in Parquet, by Polars."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.inputs.exhaustion import lacks_memory
from maxmargin.tables.error import InputError
from maxmargin.tables.memory import check_memory
from maxmargin.tables.panic import quiet_panics

MOST_VALUES = 40_000_000  # that models learn from: 320 MB, of which fits make several copies
_BLOCK = 250_000  # rows that are read at a time
_BYTES_A_VALUE = 24  # a view of a word, and the number that is made of it


@dataclass(frozen=True)
class Sampled:
    """A sample of a file's rows: their places, from 0, and how many rows the file has."""

    places: NDArray[np.intp]
    rows: int


def is_parquet(content: bytes) -> bool:
    """Whether a file begins as Parquet does.

    >>> is_parquet(b"PAR1..."), is_parquet(b"a,b")
    (True, False)
    """
    return content.startswith(b"PAR1")


def read_parquet(
    source: Path | bytes, path: Path, free: int | None, most: int | None = None
) -> tuple[pl.DataFrame, Sampled | None]:
    """Read a Parquet file, or a sample of its rows.

    Parameters
    ----------
    source : Path or bytes
        The file, or its content.
    path : Path
        For errors.
    free : int or None
        Bytes of memory that may be taken.
    most : int or None
        Values that are read; of a larger table a sample of rows. None for all.

    Returns
    -------
    frame : DataFrame
    sampled : Sampled or None
        None where all rows are read.
    """
    given = BytesIO(source) if isinstance(source, bytes) else source
    try:
        with quiet_panics():
            lazy = pl.scan_parquet(given, glob=False)
            width = len(lazy.collect_schema())
            rows: int = lazy.select(pl.len()).collect().item()
            wanted = rows if most is None else min(rows, most // max(width, 1))
            packed = len(source) if isinstance(source, bytes) else 0
            check_memory(path, packed + _BYTES_A_VALUE * width * wanted, free)
            if wanted == rows:
                return lazy.collect(), None
            return _read_some(lazy, rows, wanted)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        if lacks_memory(error):
            raise MemoryError from error
        reason = (str(error).strip().splitlines() or [""])[0].rstrip(".")
        raise InputError(f"{str(path)!r} is damaged Parquet: {reason}.") from None


def _read_some(lazy: pl.LazyFrame, rows: int, wanted: int) -> tuple[pl.DataFrame, Sampled]:
    """Read block by block, and keep of each the rows of the sample."""
    places = np.sort(np.random.default_rng(0).choice(rows, wanted, replace=False))
    blocks = []
    for first in range(0, rows, _BLOCK):
        begin, end = np.searchsorted(places, [first, first + _BLOCK])
        blocks.append(lazy.slice(first, _BLOCK).collect()[places[begin:end] - first])
    return pl.concat(blocks), Sampled(places, rows)

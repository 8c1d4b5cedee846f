"""Files in Parquet, by Polars."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import polars as pl

from maxmargin.inputs.exhaustion import lacks_memory
from maxmargin.tables.error import InputError
from maxmargin.tables.memory import check_memory
from maxmargin.tables.panic import quiet_panics

_BYTES_A_VALUE = 24  # a view of a word, and the number that is made of it


def is_parquet(content: bytes) -> bool:
    """Whether a file begins as Parquet does.

    >>> is_parquet(b"PAR1..."), is_parquet(b"a,b")
    (True, False)
    """
    return content.startswith(b"PAR1")


def read_parquet(content: bytes, path: Path, free: int | None) -> pl.DataFrame:
    """Read a Parquet file.

    Parameters
    ----------
    content : bytes
    path : Path
        For errors.
    free : int or None
        Bytes of memory that may be taken.

    Returns
    -------
    DataFrame
    """
    try:
        with quiet_panics():
            lazy = pl.scan_parquet(BytesIO(content))
            n_values = len(lazy.collect_schema()) * lazy.select(pl.len()).collect().item()
            check_memory(path, len(content) + _BYTES_A_VALUE * n_values, free)
            return pl.read_parquet(BytesIO(content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        if lacks_memory(error):
            raise MemoryError from error
        reason = (str(error).strip().splitlines() or [""])[0].rstrip(".")
        raise InputError(f"{str(path)!r} is damaged Parquet: {reason}.") from None

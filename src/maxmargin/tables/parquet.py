"""Files in Parquet, by Polars."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import polars as pl

from maxmargin.tables.error import InputError
from maxmargin.tables.memory import check_memory

_BYTES_A_VALUE = 24  # a view of a word, and the number that is made of it
_STDERR = 2


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
        with _quiet():
            lazy = pl.scan_parquet(BytesIO(content))
            n_values = len(lazy.collect_schema()) * lazy.select(pl.len()).collect().item()
            check_memory(path, len(content) + _BYTES_A_VALUE * n_values, free)
            return pl.read_parquet(BytesIO(content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = (str(error).strip().splitlines() or [""])[0].rstrip(".")
        raise InputError(f"{str(path)!r} is damaged Parquet: {reason}.") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep a damaged file from printing Rust's trace before Python hears of it."""
    try:
        kept = os.dup(_STDERR)
    except OSError:  # nowhere to print to
        yield
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, _STDERR)
    try:
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
        os.close(nothing)

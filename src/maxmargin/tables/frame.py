"""A file as a table in memory, whatever it is written in."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from maxmargin.tables.arff import is_arff, read_arff
from maxmargin.tables.delimited import Words, read_delimited
from maxmargin.tables.encoding import as_utf8
from maxmargin.tables.error import InputError
from maxmargin.tables.file import check_readable, ending, unpack
from maxmargin.tables.header import doubt_header
from maxmargin.tables.memory import free_memory
from maxmargin.tables.parquet import is_parquet, read_parquet
from maxmargin.tables.reading import Reading
from maxmargin.tables.settle import Settled, settle
from maxmargin.tables.spelling import as_written
from maxmargin.tables.svmlight import ENDINGS, is_svmlight, read_svmlight


def read_frame(
    path: Path | str, reading: Reading | None = None, *, memory: int | None = None
) -> pl.DataFrame:
    """Read a file as it is: numbers, booleans and words, gaps as nulls; dates stay words.

    Its kind is told by its content: Parquet, ARFF, rows of LIBSVM, or text whose separator,
    quotes, encoding and decimal sign are found out; packed by gzip, xz or bzip2 or not.

    Parameters
    ----------
    path : Path or str
        The file.
    reading : Reading, optional
        What is known of it.
    memory : int, optional
        Bytes that may be taken; as many as are free unless given.

    Returns
    -------
    DataFrame
        At least one row.

    Raises
    ------
    InputError
        With one sentence, whatever is wrong with the file.

    Examples
    --------
    >>> from maxmargin.datasets import heart_path
    >>> read_frame(heart_path()).shape
    (303, 14)
    """
    return read_file(Path(path), reading or Reading(), memory).frame


def read_file(
    path: Path,
    reading: Reading,
    memory: int | None = None,
    *,
    keep: str | None = None,
    most: int | None = None,
) -> Settled:
    """Read a file as ``read_frame`` does, and say what was found out on the way.

    Parameters
    ----------
    path : Path
    reading : Reading
    memory : int, optional
    keep : str, optional
        A column whose spelling is kept beside its values.
    most : int, optional
        Values that are read of Parquet; of a larger file a sample of rows.

    Returns
    -------
    Settled
        The table, notes, and warnings by columns.
    """
    start = check_readable(path)
    free = free_memory() if memory is None else memory
    if is_parquet(start):
        words = _read_rows(path, path, free, most)
    else:
        words = _read_words(path, unpack(path, start, free), reading, free, most)
    if words.frame.height == 0:
        raise InputError(f"{str(path)!r} holds no rows.")
    settled = settle(words.frame, reading, words.decimal)
    doubts = doubt_header(settled.frame) if words.named and reading.header else ()
    written = None if keep is None else as_written(words.frame, keep)
    notes = words.notes + settled.notes + doubts
    return Settled(settled.frame, notes, settled.warnings, written, words.sampled)


def _read_rows(source: Path | bytes, path: Path, free: int | None, most: int | None) -> Words:
    frame, sampled = read_parquet(source, path, free, most)
    if sampled is None:
        return Words(frame)
    note = (
        f"{str(path)!r} has {sampled.rows} rows: models learn from and are tested on a random"
        f" sample of {frame.height} of them, as more than {most} values would take too much memory."
    )
    return Words(frame, (note,), sampled=sampled)


def _read_words(
    path: Path, content: bytes, reading: Reading, free: int | None, most: int | None
) -> Words:
    if is_parquet(content):
        return _read_rows(content, path, free, most)
    if ending(path) == ".parquet":
        raise InputError(f"{str(path)!r} is no Parquet file, as its name says: write it again.")
    text, notes = as_utf8(content, path, reading.encoding)
    if is_arff(text):
        return Words(read_arff(text, path, free), tuple(notes))
    if ending(path) in ENDINGS or (reading.separator is None and is_svmlight(text)):
        return Words(read_svmlight(text, path, free), tuple(notes))
    words = read_delimited(text, path, reading, free)
    return Words(words.frame, (*notes, *words.notes), words.decimal, named=True)

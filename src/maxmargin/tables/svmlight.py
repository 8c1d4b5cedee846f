"""Files of LIBSVM and SVMlight: a label, and the features that are not zero."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import polars as pl

from maxmargin.tables.error import InputError
from maxmargin.tables.memory import check_memory
from maxmargin.tables.value import whole_numbers

LABEL, QUERY = "label", "qid"
ENDINGS = (".svm", ".libsvm", ".svmlight")
_BYTES_A_VALUE = 32  # written out, and the copies that are made on the way to a model
_ROW = re.compile(rb"[+-]?[\d.eE+-]+(?:[ \t]+qid:\d+)?(?:[ \t]+\d+:[\d.eE+-]+)+[ \t]*(?:#.*)?")


def is_svmlight(text: bytes) -> bool:
    r"""Whether the first lines look like a label with numbered features.

    >>> is_svmlight(b"+1 1:0.5 7:2\n"), is_svmlight(b"a b\n1 2\n")
    (True, False)
    """
    lines = [line for line in text[:4096].split(b"\n") if line.strip() and line[:1] != b"#"]
    full = lines[:-1] or lines  # the last one may be cut
    return bool(full) and all(_ROW.fullmatch(line.strip()) for line in full[:5])


def read_svmlight(text: bytes, path: Path, free: int | None) -> pl.DataFrame:
    r"""Read sparse rows as a table: "label", then "1", "2", and so on, zeros written out.

    Columns are numbered from "0" where the file does so; those of queries are in "qid".

    Parameters
    ----------
    text : bytes
    path : Path
        For errors.
    free : int or None
        Bytes of memory that may be taken.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> read_svmlight(b"1 2:0.5\n-1 1:3\n", Path("a.svm"), None).rows()
    [(1, 0.0, 0.5), (-1, 3.0, 0.0)]
    """
    from sklearn.datasets import load_svmlight_file  # noqa: PLC0415  (slow, and for these alone)

    try:
        X, label, query = load_svmlight_file(BytesIO(text), zero_based=True, query_id=True)
    except (ValueError, OverflowError) as error:
        raise InputError(f"Cannot read {str(path)!r} as rows of LIBSVM: {error}.") from None
    check_memory(path, _BYTES_A_VALUE * X.shape[0] * X.shape[1], free)
    X = X.tocsc()
    first = int(X.shape[1] > 0 and X.indptr[1] == 0)
    columns = [whole_numbers(pl.Series(LABEL, label))]
    if len(query):  # none for a comment that speaks of qid:
        if len(query) != X.shape[0]:
            raise InputError(
                f"{str(path)!r} has qid: in {len(query)} of {X.shape[0]} rows: give it in all or in"
                " none."
            )
        columns.append(pl.Series(QUERY, query))
    dense = (X[:, [j]].toarray().ravel() for j in range(first, X.shape[1]))
    columns += [pl.Series(str(j), column) for j, column in enumerate(dense, first)]
    return pl.DataFrame(columns)


def is_sparse_frame(columns: list[str]) -> bool:
    """Whether columns are those of ``read_svmlight``, so that further ones are zero.

    >>> is_sparse_frame(["label", "1", "2"]), is_sparse_frame(["1", "2"])
    (True, False)
    """
    numbers = [name for name in columns if name not in (LABEL, QUERY)]
    if LABEL not in columns or not numbers or not numbers[0].isdecimal():
        return False
    first = int(numbers[0])
    return first < 2 and numbers == [str(j) for j in range(first, first + len(numbers))]

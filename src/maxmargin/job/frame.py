"""Tables in memory, of whichever library, as the polars DataFrame that the job works on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from maxmargin.tables import InputError

_KINDS = "a DataFrame of polars or pandas, an Arrow table, a dict of columns or the path of a file"


def as_frame(data: Any) -> pl.DataFrame:
    """Return a table in memory as a polars DataFrame; rows and columns keep their order.

    Parameters
    ----------
    data : DataFrame of polars or pandas, Arrow table, or mapping of str to sequence
        An index of pandas is left out; it is no column.

    Returns
    -------
    DataFrame
        Missing values are null.

    Raises
    ------
    InputError
        If it is no table, or two columns have the same name.

    Examples
    --------
    >>> as_frame({"a": [1, None], "y": ["no", "yes"]}).rows()
    [(1, 'no'), (None, 'yes')]
    >>> as_frame([1, 2])
    Traceback (most recent call last):
    ...
    maxmargin.tables.error.InputError: Expected a DataFrame of polars or pandas, an Arrow table, a
    dict of columns or the path of a file, and not a list.
    """
    try:
        return _read(data)
    except InputError:
        raise
    except Exception as error:  # each library has its own ones
        reason = str(error).partition("\n")[0].rstrip(".")
        raise InputError(f"The {type(data).__name__} is no table: {reason}.") from None


def _read(data: Any) -> pl.DataFrame:
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, pl.DataFrame):
        return data
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "iloc"):
        return _of_pandas(data)
    if hasattr(data, "__arrow_c_stream__") or isinstance(data, Mapping):
        return pl.DataFrame(data)
    raise InputError(f"Expected {_KINDS}, and not a {type(data).__name__}.")


def _of_pandas(frame: Any) -> pl.DataFrame:
    if frame.ndim != 2:
        raise InputError(f"Expected {_KINDS}, and not a {type(frame).__name__} of pandas.")
    names = [str(name) for name in frame.columns]
    twice = [name for name in names if names.count(name) > 1] if len({*names}) < len(names) else []
    if twice:
        raise InputError(f"Two columns are named {twice[0]!r}: rename one of them.")
    columns = [_series(name, frame.iloc[:, place]) for place, name in enumerate(names)]
    return pl.DataFrame(columns)


def _series(name: str, column: Any) -> pl.Series:
    """Convert a column without Arrow, which pandas does not need."""
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        return pl.Series(name, column.to_numpy(), nan_to_null=True)
    pairs = zip(column.tolist(), column.isna(), strict=True)
    return pl.Series(name, [None if gone else value for value, gone in pairs], strict=False)

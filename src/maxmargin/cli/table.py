"""Reading a table file and making rows of features and classes out of it."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.cli.complaint import InputError
from maxmargin.report import Column, DataSummary

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
MOST_CLASSES = 20  # more different numbers than this are a quantity, not classes


@dataclass(frozen=True)
class Table:
    """Complete rows, ready to split: features, classes, and what was done to get them."""

    features: pl.DataFrame
    target: NDArray[Any]
    summary: DataSummary

    @property
    def numbers(self) -> list[str]:
        """Names of the numeric features."""
        return [name for name, dtype in self.features.schema.items() if dtype.is_numeric()]

    @property
    def categories(self) -> list[str]:
        """Names of the categorical features."""
        return [name for name in self.features.columns if name not in set(self.numbers)]


def load_table(path: Path, target: str) -> Table:
    """Read a file and prepare it for classifying one of its columns.

    Parameters
    ----------
    path : Path
        A csv, tsv (both may be gzipped) or parquet file.
    target : str
        Name of the column to predict.

    Returns
    -------
    Table
        Complete rows only.

    Raises
    ------
    InputError
        With one sentence, whatever is wrong with the file or the column.
    """
    frame = read_frame(path)
    _check_target_name(frame, target)
    columns, kept = _choose_columns(frame, target)
    rows = _complete_rows(frame.select([*kept, target]), path)
    _check_finite(rows.select(kept))
    summary = DataSummary(
        source=path.name,
        digest=_digest(path),
        n_rows=frame.height,
        n_incomplete=frame.height - rows.height,
        target=target,
        columns=tuple(columns),
        notes=_notes(frame.select([*kept, target])),
    )
    return Table(rows.select(kept), _classes(rows[target]), summary)


def read_frame(path: Path) -> pl.DataFrame:
    """Read a table file by its ending.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    DataFrame
        At least one row and two columns, missing values as nulls.
    """
    reader = _reader(path)
    _check_readable(path)
    try:
        frame = reader(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(_explain(path, error)) from error
    if frame.height == 0:
        raise InputError(f"{str(path)!r} holds no rows.")
    if frame.width < 2:
        raise InputError(
            f"{str(path)!r} has a single column, {frame.columns[0]!r}, and needs a target and at"
            " least one feature: check its separator."
        )
    return frame.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))


def _reader(path: Path) -> Callable[[Path], pl.DataFrame]:
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".csv": lambda file: _read_text(file, ","),
        ".tsv": lambda file: _read_text(file, "\t"),
        ".parquet": lambda file: pl.read_parquet(file, glob=False),
    }
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in readers or path.name.lower().endswith(".parquet.gz"):
        raise InputError(
            f"{str(path)!r} is of no known kind: its name must end in .csv, .tsv (both also with"
            " .gz) or .parquet."
        )
    return readers[ending]


def _read_text(path: Path, separator: str) -> pl.DataFrame:
    def read(separator: str) -> pl.DataFrame:
        return pl.read_csv(
            path, separator=separator, null_values=MISSING, infer_schema_length=None, glob=False
        )

    frame = read(separator)
    if frame.width == 1 and ";" in frame.columns[0]:  # where the comma is the decimal sign
        frame = read(";")
    if any("\0" in name or "\ufffd" in name for name in frame.columns):
        raise InputError(f"{str(path)!r} is not a text file in UTF-8: save it as one.")
    return frame


def _check_readable(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder: name a file in it.")
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        raise InputError(f"There is no file {str(path)!r}.") from None
    except OSError as error:
        raise InputError(f"Cannot read {str(path)!r}: {(error.strerror or '').lower()}.") from None
    if empty:
        raise InputError(f"{str(path)!r} is empty.")


def _explain(path: Path, error: BaseException) -> str:
    reason = (str(error).strip().splitlines() or [""])[0]
    if "utf-8" in reason.lower() or "utf8" in reason.lower():
        return f"{str(path)!r} is not a text file in UTF-8: save it as one."
    if "more fields" in reason or "fewer fields" in reason:
        return f"{str(path)!r} has rows of different lengths: check its separator and its quotes."
    if isinstance(error, pl.exceptions.NoDataError):
        return f"{str(path)!r} is empty."
    return f"Cannot read {str(path)!r} as a table: {reason.rstrip('.')}."


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_target_name(frame: pl.DataFrame, target: str) -> None:
    if target in frame.columns:
        return
    lower = {name.lower(): name for name in frame.columns}
    close = difflib.get_close_matches(target.lower(), lower, n=3)
    if close:
        hint = "did you mean " + " or ".join(repr(lower[name]) for name in close) + "?"
    else:
        some = ", ".join(repr(name) for name in frame.columns[:10])
        hint = f"it has {some}" + (" and more." if frame.width > 10 else ".")
    raise InputError(f"The table has no column {target!r}: {hint}")


def _choose_columns(frame: pl.DataFrame, target: str) -> tuple[list[Column], list[str]]:
    columns = [_describe(frame[name], name) for name in frame.columns if name != target]
    kept = [column.name for column in columns if not column.treatment.startswith("dropped")]
    if not kept:
        raise InputError(f"No column beside {target!r} can serve as a feature.")
    return columns, kept


def _describe(values: pl.Series, name: str) -> Column:
    """Say what a column holds and what will be done with it."""
    if values.null_count() == len(values):
        return Column(name, "nothing", "dropped: every value is missing")
    if _is_key(values, name):
        return Column(name, "row number", "dropped: it only numbers the rows")
    dtype = values.dtype
    if dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean):
        return _describe_words(values, name)
    if dtype.is_temporal():
        return Column(name, "date or time", "dropped: give an age, a month or the like as a number")
    if not dtype.is_numeric():
        return Column(name, str(dtype).lower(), "dropped: neither number nor category")
    return Column(name, "number", "standardised")


def _describe_words(values: pl.Series, name: str) -> Column:
    distinct = values.drop_nulls().n_unique()
    if distinct > max(20, len(values) // 2):
        return Column(name, f"text, {distinct} values", "dropped: nearly every row differs")
    return Column(name, f"category, {distinct} values", "one column for each value")


def _is_key(values: pl.Series, name: str) -> bool:
    """Tell whether a column numbers the rows: it has no name, or counts up from 0 or 1."""
    if not values.dtype.is_integer() or values.null_count():
        return not name.strip()
    start = values[0]
    counts = start in (0, 1) and len(values) > 2
    return not name.strip() or bool(
        counts and (values.to_numpy() == np.arange(start, start + len(values))).all()
    )


def _emptiest(frame: pl.DataFrame) -> tuple[str, int]:
    gaps = {name: frame[name].null_count() for name in frame.columns}
    worst = max(gaps, key=gaps.__getitem__)
    return worst, gaps[worst]


def _notes(frame: pl.DataFrame) -> tuple[str, ...]:
    """Name the column that costs most rows: leaving it out may be the better bargain."""
    name, gaps = _emptiest(frame)
    if gaps == 0:
        return ()
    return (f"Column {name!r} has the most missing values: {gaps} of {frame.height}.",)


def _complete_rows(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    rows = frame.drop_nulls()
    if rows.height == 0:
        name, gaps = _emptiest(frame)
        raise InputError(
            f"Every row of {str(path)!r} misses a value; column {name!r} has the most missing"
            f" values, {gaps} of {frame.height}: remove or fill it."
        )
    return rows.with_columns(pl.col(pl.Boolean, pl.Categorical, pl.Enum).cast(pl.String))


def _check_finite(features: pl.DataFrame) -> None:
    for name, dtype in features.schema.items():
        if dtype.is_float() and features[name].is_infinite().any():
            raise InputError(f"Column {name!r} holds infinite values: remove or replace them.")


def _classes(target: pl.Series) -> NDArray[Any]:
    """Return the labels: integers where they are whole numbers, texts otherwise."""
    counts = target.n_unique()
    if counts < 2:
        raise InputError(
            f"Column {target.name!r} holds one class only, {str(target[0])!r}: there is nothing to"
            " tell apart."
        )
    if target.dtype.is_numeric() and counts > MOST_CLASSES:
        raise InputError(
            f"Column {target.name!r} holds {counts} different numbers, which is a quantity to"
            " estimate and not a class: choose another target or cut it into classes."
        )
    if target.dtype.is_float() and (target == target.round()).all():
        target = target.cast(pl.Int64)
    labels = target if target.dtype.is_integer() else target.cast(pl.String)
    _check_class_sizes(labels)
    return labels.to_numpy() if labels.dtype.is_integer() else np.array(labels.to_list(), dtype=str)


def _check_class_sizes(labels: pl.Series) -> None:
    sizes = labels.value_counts().sort("count", labels.name)
    smallest = sizes.row(0)
    if smallest[1] < 2:
        raise InputError(
            f"Class {str(smallest[0])!r} of column {labels.name!r} has a single row, and needs one"
            " to learn from and one to test on: remove it or join it to another."
        )

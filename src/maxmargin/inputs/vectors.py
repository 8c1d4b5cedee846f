"""Rows of numbers for an estimator: checked as scikit-learn does, with columns of similar scale."""

from __future__ import annotations

import sys
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from maxmargin.inputs.container import column_names
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import says_first
from maxmargin.ops.threads import Workers

_RULES: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "ensure_all_finite": False,  # refuse_nonfinite says where, in one sentence
}

Vector = NDArray[np.float64]

# As polars names its kinds of columns.
_TIMES = ("Date", "Time", "Duration")
# Rows are far from the origin if this share of their mean squared length is their mean's.
_OFFSET = 0.9
# Rows that show whether rows are far, and whether columns differ in scale; more change little.
_SAMPLE_ROWS = 1024
# Values that a thread adds at a time.
_MANY = 2**20
# Columns below this share of squared distances hardly count: a factor of 14 between two columns.
_SHARE_OF_DISTANCES = 0.005
# With fewer rows quartiles say little.
_FEWEST_ROWS = 10
# Standard deviations between the quartiles of a normal column.
_OF_NORMAL = 1.349


class NonFiniteError(ValueError):
    """A number that is none, and where it is."""

    def __init__(self, found: str, row: int, column: Any, named: bool = False) -> None:
        super().__init__(
            f"Input X contains {found} (row {row}, column {column!r}); impute or drop such values "
            "first."
        )
        self.found, self.row, self.column, self.named = found, row, column, named

    def __reduce__(self) -> tuple[Any, ...]:
        return NonFiniteError, (self.found, self.row, self.column, self.named)


def refuse_nonfinite(matrix: Any, names: Any = None) -> None:
    """Raise ValueError with the place of the first NaN or infinity, if there is one.

    With names, columns are told by them.
    """
    if (place := find_nonfinite(matrix)) is not None:
        found, row, column = place
        named = names is not None
        raise NonFiniteError(found, row, names[column] if named else column, named)


def _sum(values: Any) -> float:
    """Add all values, in one pass without a temporary; many of them on all threads."""
    if values.size <= _MANY or not values.flags.c_contiguous:
        with np.errstate(over="ignore", invalid="ignore"):
            return float(values.sum())
    flat = values.reshape(-1)
    sums = np.empty(-(-flat.size // _MANY))

    def add(part: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            sums[part] = flat[part * _MANY : (part + 1) * _MANY].sum()

    with Workers() as workers:
        workers.each(add, range(len(sums)))
    return float(sums.sum()) if np.isfinite(sums).all() else np.nan


def find_nonfinite(matrix: Any) -> tuple[str, int, int] | None:
    """Find the first NaN or infinity: its name, row and column."""
    values = matrix.data if sparse.issparse(matrix) else matrix
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(values.sum()) if values.size <= _MANY else _sum(values)
    if isfinite(total):  # an overflow only leads to the slower test
        return None
    if np.isfinite(values).all():
        return None
    coordinates = matrix.tocoo() if sparse.issparse(matrix) else None
    bad = np.argwhere(~np.isfinite(values))[0]
    row, column = bad if coordinates is None else (coordinates.row[bad[0]], coordinates.col[bad[0]])
    return "NaN" if np.isnan(values[tuple(bad)]) else "infinity", int(row), int(column)


def check_vectors(estimator: Any, X: Any, **rules: Any) -> Any:
    """Return X as a float32 or float64 array or CSR matrix; with y, a pair of both."""
    taken = take_plain(estimator, _from_list(X) if type(X) is list else X, rules)
    if taken is not None:
        return taken
    kinds = _kinds(X)
    _refuse_dates(X, kinds)
    try:
        checked = validate_data(estimator, X, **_RULES | {"dtype": _precision(kinds)} | rules)
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        raise ValueError(
            f"{error}; X holds texts where numbers belong. Encode them, or give texts to a kernel "
            "of strings, as in SVC(kernel=Spectrum(3))."
        ) from None
    refuse_nonfinite(checked[0] if isinstance(checked, tuple) else checked, column_names(X))
    return checked


def is_plain_line(y: Any) -> bool:
    """Whether y is an array of numbers, one a row, as ``column_or_1d`` would make it."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuf"


def take_plain(estimator: Any, X: Any, rules: dict[str, Any]) -> Any:
    """Return X, with y a pair of both, if these are finite plain arrays; otherwise None.

    Of those scikit-learn would only say that it is so, which takes longer than a small fit. What
    may be wrong with them, or needs a warning, is left to scikit-learn.
    """
    if not (type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32)):
        return None
    if not (X.flags.c_contiguous and X.size > 0 and rules.keys() <= {"y", "reset"}):
        return None
    known = vars(estimator)
    reset = rules.get("reset", True)
    if "feature_names_in_" in known or not (reset or known.get("n_features_in_") == X.shape[1]):
        return None
    if "y" in rules:
        y = rules["y"]
        if not (
            is_plain_line(y) and len(y) == len(X) and (y.dtype.kind != "f" or np.isfinite(y).all())
        ):
            return None
    if find_nonfinite(X) is not None:
        return None
    if reset:
        estimator.n_features_in_ = X.shape[1]
    return (X, rules["y"]) if "y" in rules else X


def _from_list(X: list[Any]) -> Any:
    """Make an array of rows of numbers; of anything else nothing, for scikit-learn to look at."""
    try:
        rows = np.asarray(X)
    except ValueError:
        return None
    return rows.astype(np.float64) if rows.dtype.kind in "iu" else rows


def _precision(kinds: list[Any]) -> Any:
    """Keep single precision where scikit-learn does not see it.

    It takes polars' tables, pandas' own numbers and the other byte order for some other dtype, and
    makes float64 of it.
    """
    return np.float32 if all(_is_single(kind) for kind in kinds) else _RULES["dtype"]


def _is_single(kind: Any) -> bool:
    if isinstance(kind, np.dtype):
        return kind.newbyteorder("=") == np.float32
    return str(kind) == "Float32"


def refuse_dates(X: Any) -> None:
    """Raise if a column holds dates or times, which NumPy might take for nanoseconds."""
    _refuse_dates(X, _kinds(X))


def _refuse_dates(X: Any, kinds: list[Any]) -> None:
    for place, kind in enumerate(kinds):
        if getattr(kind, "kind", None) in ("m", "M") or str(kind).startswith(_TIMES):
            names = column_names(X)
            where = "X" if names is None else f"Column {names[place]!r} of X"
            raise ValueError(
                f"{where} holds dates or times ({kind}); make numbers of it, such as the year or "
                "the days since a day."
            )


def _kinds(X: Any) -> list[Any]:
    """List the dtypes of a table's columns, or of an array."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return list(X.dtypes)
    return [getattr(X, "dtype", None)]


def far_mean(X: NDArray[Any]) -> NDArray[Any] | None:
    """Return the mean of dense rows if it is most of them: they lie far from the origin.

    Some thousand rows tell whether that is so.
    """
    sample = X[:: max(1, len(X) // _SAMPLE_ROWS)].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # whoever uses such numbers says so
        mean = sample.mean(axis=0)
        # No dot products: BLAS would wake its threads, which wait for more by spinning.
        of_mean, of_rows = float(np.square(mean).sum()), float(np.einsum("ij,ij->", sample, sample))
    if not _OFFSET * of_rows / len(sample) < of_mean < np.inf:
        return None
    shift: NDArray[Any] = mean.astype(X.dtype)
    return shift


class UnscaledColumnsWarning(UserWarning):
    """Columns of different scales where a kernel adds them up.

    Examples
    --------
    >>> import warnings
    >>> from maxmargin import UnscaledColumnsWarning
    >>> warnings.simplefilter("ignore", UnscaledColumnsWarning)  # the units are meant
    """


def warn_of_scales(owner: str, X: Any, given: Any) -> None:
    """Warn, once a fit, if few columns make all of the distances between rows.

    A column's part in squared distances is its variance. The columns are unscaled if the smaller
    half of them has next to no part in the distances, and if this is not due to a few extreme
    values: the spread of a large column is the smaller of its standard deviation and what its
    quartiles say. Sparse columns and those with a heavy tail have a small spread in this sense, so
    pixels, indicators, counts of words and a single long tail are no reason to warn.

    Parameters
    ----------
    owner : str
        The estimator, as its user calls it.
    X : ndarray or CSR matrix
        Checked rows.
    given : array-like or DataFrame
        What X was made of, whose names of columns are used.
    """
    if sparse.issparse(X) or len(X) < _FEWEST_ROWS or X.shape[1] < 2:
        return
    extremes = _extremes(X[:: max(1, len(X) // _SAMPLE_ROWS)])
    if extremes is None or not says_first("scales") or _fits_a_fold():
        return
    names = column_names(given)
    large, small = (f"column {j}" if names is None else repr(names[j]) for j in extremes)
    warn_user(
        "The columns of X differ in scale by orders of magnitude: the largest, such as "
        f"{large}, decide distances between rows, and half of the columns, such as {small}, hardly "
        f"count. Scale them: make_pipeline(StandardScaler(), {owner}(...)).",
        UnscaledColumnsWarning,
    )


def _extremes(rows: NDArray[Any]) -> tuple[int, int] | None:
    """Find the columns of the largest and the smallest spread, if the smaller half has no part."""
    with np.errstate(over="ignore", invalid="ignore"):
        off = rows - rows.mean(axis=0, dtype=np.float64)
        variance: Vector = np.einsum("ij,ij->j", off, off) / len(rows)
    order = np.argsort(variance)
    order = order[variance[order] > 0]  # constant columns have no part in any distance
    half = (len(order) + 1) // 2
    if len(order) < 2 or not np.isfinite(variance[order[-1]]):
        return None
    small, large = float(variance[order[:half]].sum()), order[half:]
    if small >= _SHARE_OF_DISTANCES * float(variance[large].sum()):
        return None
    low, high = np.percentile(rows[:, large], [25.0, 75.0], axis=0)
    within = np.minimum(np.square((high - low) / _OF_NORMAL), variance[large])
    if small >= _SHARE_OF_DISTANCES * float(within.sum()):
        return None
    return int(large[within.argmax()]), int(order[0])


def _fits_a_fold() -> bool:
    """Whether a search of scikit-learn fits a part of the rows, before it fits all of them.

    Or a worker of a pool does, where nobody would see to whom it is said.
    """
    frame, pooled = sys._getframe(), False
    while frame.f_back is not None:
        frame = frame.f_back
        module = str(frame.f_globals.get("__name__", ""))
        pooled = pooled or module.startswith("joblib")
        if pooled and module.startswith("sklearn.model_selection._search"):
            return True
        if module.startswith("joblib.externals"):
            return True
    return False

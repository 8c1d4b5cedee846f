"""Rows of numbers for an estimator: checked as scikit-learn does, and said where they fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from maxmargin.inputs.container import column_names
from maxmargin.inputs.finite import refuse_nonfinite

_RULES: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "ensure_all_finite": False,  # refuse_nonfinite says where, in one sentence
}


_TIMES = ("Date", "Time", "Duration")  # as polars names its kinds of columns
_OFFSET = 0.9  # of the mean squared length of the rows is the mean's own: then they are far
_SAMPLE = 1024  # rows that tell whether it is


def check_vectors(estimator: Any, X: Any, **rules: Any) -> Any:
    """Give X as a float32 or float64 array or CSR matrix; with y, a pair of both."""
    refuse_dates(X)
    try:
        checked = validate_data(estimator, X, **_RULES | {"dtype": _precision(X)} | rules)
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        raise ValueError(
            f"{error}; X holds texts where numbers belong. Encode them, or give texts to a kernel "
            "of strings, as in SVC(kernel=Spectrum(3))."
        ) from None
    refuse_nonfinite(checked[0] if isinstance(checked, tuple) else checked, column_names(X))
    return checked


def _precision(X: Any) -> Any:
    """Keep single precision where scikit-learn does not see it.

    It takes polars' tables, pandas' own numbers and the other byte order for some other dtype, and
    makes float64 of it.
    """
    return np.float32 if all(_is_single(kind) for _, kind in _kinds(X)) else _RULES["dtype"]


def _is_single(kind: Any) -> bool:
    if isinstance(kind, np.dtype):
        return kind.newbyteorder("=") == np.float32
    return str(kind) == "Float32"


def refuse_dates(X: Any) -> None:
    """Say where dates or times are: NumPy would not, or would take them for nanoseconds."""
    for where, kind in _kinds(X):
        if getattr(kind, "kind", None) in ("m", "M") or str(kind).startswith(_TIMES):
            raise ValueError(
                f"{where} holds dates or times ({kind}); make numbers of it, such as the year or "
                "the days since a day."
            )


def _kinds(X: Any) -> list[tuple[str, Any]]:
    """List the dtypes of a table's columns, or of an array, with words for where they are."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        pairs = zip(X.columns, X.dtypes, strict=True)
        return [(f"Column {name!r} of X", kind) for name, kind in pairs]
    return [("X", getattr(X, "dtype", None))]


def far_mean(X: NDArray[Any]) -> NDArray[Any] | None:
    """Give the mean of dense rows if it is most of them: they lie far from the origin.

    Some thousand rows tell whether that is so.
    """
    sample = X[:: max(1, len(X) // _SAMPLE)].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # whoever uses such numbers says so
        mean = sample.mean(axis=0)
        of_mean, of_rows = float(np.square(mean).sum()), float(np.square(sample).sum())
    if not _OFFSET * of_rows / len(sample) < of_mean < np.inf:
        return None
    shift: NDArray[Any] = mean.astype(X.dtype)
    return shift

"""Rows of numbers for an estimator: checked as scikit-learn does, and said where they fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from maxmargin.inputs.container import column_names, is_plain_line
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
    plain = _from_list(X) if type(X) is list else X
    if is_plain(estimator, plain, rules):
        refuse_nonfinite(plain)
        return take_plain(estimator, plain, rules)
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


def is_plain(estimator: Any, X: Any, rules: dict[str, Any]) -> bool:
    """Whether X, and y where it is given, are arrays as the loops want them.

    Of those scikit-learn would only say that it is so, which takes longer than a small fit. What
    may be wrong with them, or have to be said, is left to it.
    """
    if not (type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32)):
        return False
    if not (X.flags.c_contiguous and X.size > 0 and rules.keys() <= {"y", "reset"}):
        return False
    if hasattr(estimator, "feature_names_in_"):
        return False
    if "y" in rules and not _fits(X, rules["y"]):
        return False
    return bool(
        rules.get("reset", True) or getattr(estimator, "n_features_in_", None) == X.shape[1]
    )


def _fits(X: NDArray[Any], y: Any) -> bool:
    """Whether y is an array of as many finite numbers."""
    if not is_plain_line(y) or len(y) != len(X):
        return False
    return y.dtype.kind != "f" or bool(np.isfinite(y).all())


def take_plain(estimator: Any, X: NDArray[Any], rules: dict[str, Any]) -> Any:
    """Take them as they are, and note how many columns there are."""
    if rules.get("reset", True):
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
    """Say where dates or times are: NumPy would not, or would take them for nanoseconds."""
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
    """Give the mean of dense rows if it is most of them: they lie far from the origin.

    Some thousand rows tell whether that is so.
    """
    sample = X[:: max(1, len(X) // _SAMPLE)].astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # whoever uses such numbers says so
        mean = sample.mean(axis=0)
        # No dot products: BLAS would wake its threads, which wait for more by spinning.
        of_mean, of_rows = float(np.square(mean).sum()), float(np.einsum("ij,ij->", sample, sample))
    if not _OFFSET * of_rows / len(sample) < of_mean < np.inf:
        return None
    shift: NDArray[Any] = mean.astype(X.dtype)
    return shift

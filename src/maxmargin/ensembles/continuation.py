"""Warm starts: they continue with the data and the problem of the previous fit, or raise.

Rounds made on other data, or for another loss, are no beginning of the fit that is asked for; they
are refused rather than mixed. What may change is what later rounds are made of: their number and
limits, the learning rate, the step, the parameters of the weak learner.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import joblib
import numpy as np
from scipy import sparse

_ROWS = 256  # of a table, spread evenly over it; of a single column all are looked at


def fingerprint(*parts: Any) -> str:
    """Return a fingerprint of data: of shapes, whole columns and some rows."""
    digest = hashlib.sha256()
    for part in parts:
        some = np.zeros(0) if part is None else _sketch(part)
        digest.update(f"{np.shape(part)} {some.dtype.kind}".encode())
        digest.update(joblib.hash(some).encode() if some.dtype == object else some.tobytes())
    return digest.hexdigest()


def _sketch(part: Any) -> Any:
    if part.ndim == 1:
        return part
    rows = np.linspace(0, part.shape[0] - 1, min(part.shape[0], _ROWS)).astype(np.intp)
    some = part[rows]
    some = some.toarray() if sparse.issparse(some) else np.asarray(some)
    return some.astype(np.float64) if some.dtype.kind in "fiub" else some


def refuse_other_problem(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise for changed parameters that the existing rounds depend on."""
    for name, value in now.items():
        if not _same(value, before[name]):
            raise ValueError(
                f"warm_start=True goes on with {name}={before[name]!r} of the fit before. Got "
                f"{value!r}; set warm_start=False to begin anew."
            )


def _same(one: Any, other: Any) -> bool:
    return one is other or np.array_equal(np.asarray(one, object), np.asarray(other, object))


def refuse_other_data(before: str, now: str) -> None:
    """Raise for data that differ from those of the previous fit."""
    if before != now:
        raise ValueError(
            "warm_start=True goes on with the data of the fit before, and X, y, the weights or the "
            "validation rows are others now; set warm_start=False to begin anew."
        )

"""What a converted model says of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.export.tensor import Tensor


@dataclass(frozen=True)
class Additive:
    """What a sum is made of."""

    parts: Tensor
    """(rows, parts)."""
    names: tuple[str, ...]
    constant: float


@dataclass(frozen=True)
class Classes:
    """What a classifier says."""

    number: Tensor
    """The place of the predicted class, of shape (rows,)."""
    labels: NDArray[Any]
    decision: Tensor | None = None
    """(rows, 1) of two classes, else (rows, values)."""
    probability: Tensor | None = None
    """(rows, classes)."""
    additive: Additive | None = None
    shown: bool = field(default=True)
    """Whether the decision values are those of ``decision_function``."""


@dataclass(frozen=True)
class Quantity:
    """What a regressor says."""

    value: Tensor
    """(rows, 1)."""
    additive: Additive | None = None


Result = Classes | Quantity


def by_sign(decision: Tensor, labels: Any, **more: Any) -> Classes:
    """Return the classes of decision values: by the sign, or by the largest.

    Parameters
    ----------
    decision : Tensor
        (rows, 1) of two classes, else (rows, classes).
    labels : array-like
    **more
        Parts of ``Classes``.

    Returns
    -------
    Classes
    """
    labels = np.asarray(labels)
    two = len(labels) == 2
    number = (decision > 0.0).as_kind("place").shaped(-1) if two else decision.argmax()
    return Classes(number, labels, decision, **more)

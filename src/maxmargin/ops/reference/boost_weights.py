"""The obvious versions of ``ops.cpu.boost_weights``."""

from __future__ import annotations

from typing import Any

import numpy as np


def weigh_both(weight: Any, predicted: Any, label: Any) -> tuple[float, float]:
    """Return the weight of the rows told wrong, and of all rows."""
    return float(weight[predicted != label].sum()), float(weight.sum())


def weigh_wrong(weight: Any, predicted: Any, label: Any) -> tuple[float, float]:
    """Return the weight of the rows told wrong, and the sum of its squares."""
    return weigh_all(weight[predicted != label])


def weigh_all(weight: Any) -> tuple[float, float]:
    """Return the weight of all rows, and the sum of its squares."""
    return float(weight.sum()), float((weight * weight).sum())


def reweigh(
    weight: Any, predicted: Any, label: Any, right: float, wrong: float, floor: float
) -> None:
    """Multiply the weights of rows predicted right or wrong; none falls below the floor."""
    weight *= np.where(predicted != label, wrong, right)
    np.maximum(weight, floor, out=weight)


def add_sign(decision: Any, predicted: Any, label: Any, alpha: float, weight: Any) -> float:
    """Add alpha or -alpha to the decisions of two classes; returns the weight of the wrong ones."""
    decision += np.where(predicted == 1, alpha, -alpha)
    return float(weight[(decision > 0) != (label == 1)].sum())


def add_vote(votes: Any, predicted: Any, label: Any, alpha: float, weight: Any) -> float:
    """Add alpha to the votes for the classes predicted; returns the weight of rows now wrong."""
    votes[np.arange(len(predicted)), predicted] += alpha
    return float(weight[votes.argmax(axis=1) != label].sum())

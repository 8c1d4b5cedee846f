"""What a round of boosting does to the training rows, once its weak learner has spoken.

Rows have class numbers ``label`` and are ``predicted`` by the weak learner, both int32. A round
reads the weights twice: once for the learner's error, once to multiply them by one of two factors,
so that no exponential is taken of a row. The ensemble's votes are kept running, which makes its
training error a pass over the rows rather than a prediction.

Fast-math: ``reassoc`` and ``nsz``, so that sums of weights are taken several at a time; the votes
are added in the order of rounds and without it, as ``predict`` adds them.
"""

from __future__ import annotations

from typing import Any

from maxmargin.ops.loop import njit
from maxmargin.ops.round_state import CHUNK

_SUMS = {"reassoc", "nsz"}


@njit(cache=True, nogil=True, fastmath=_SUMS)
def weigh_both(weight: Any, predicted: Any, label: Any) -> tuple[float, float]:
    """Return the weight of the rows told wrong, and of all rows."""
    wrong, total = 0.0, 0.0
    for i in range(len(weight)):
        wrong += weight[i] * (predicted[i] != label[i])
        total += weight[i]
    return wrong, total


@njit(cache=True, nogil=True)
def weigh_wrong(weight: Any, predicted: Any, label: Any) -> tuple[float, float]:
    """Return the weight of the rows told wrong, and the sum of its squares.

    They are summed as in compiled rounds (``boost_rounds.py``): chunk by chunk.
    """
    total = squares = 0.0
    for begin in range(0, len(weight), CHUNK):
        some = some_squares = 0.0
        for i in range(begin, min(begin + CHUNK, len(weight))):
            w = weight[i] * (predicted[i] != label[i])
            some += w
            some_squares += w * w
        total += some
        squares += some_squares
    return total, squares


@njit(cache=True, nogil=True)
def weigh_all(weight: Any) -> tuple[float, float]:
    """Return the weight of all rows, and the sum of its squares; summed in the same way."""
    total = squares = 0.0
    for begin in range(0, len(weight), CHUNK):
        some = some_squares = 0.0
        for i in range(begin, min(begin + CHUNK, len(weight))):
            some += weight[i]
            some_squares += weight[i] * weight[i]
        total += some
        squares += some_squares
    return total, squares


@njit(cache=True, nogil=True)
def reweigh(
    weight: Any, predicted: Any, label: Any, right: float, wrong: float, floor: float
) -> None:
    """Multiply the weights of rows predicted right or wrong; none falls below the floor."""
    for i in range(len(weight)):
        product = weight[i] * (wrong if predicted[i] != label[i] else right)
        weight[i] = product if product > floor else floor


@njit(cache=True, nogil=True, fastmath=_SUMS)
def add_sign(decision: Any, predicted: Any, label: Any, alpha: float, weight: Any) -> float:
    """Add alpha or -alpha to the decisions of two classes; returns the weight of those now wrong.

    A decision above 0 means class 1.
    """
    lost = 0.0
    for i in range(len(decision)):
        decision[i] += alpha if predicted[i] == 1 else -alpha
        lost += weight[i] if (decision[i] > 0.0) != (label[i] == 1) else 0.0
    return lost


@njit(cache=True, nogil=True)
def add_vote(votes: Any, predicted: Any, label: Any, alpha: float, weight: Any) -> float:
    """Add alpha to the votes for the classes predicted; returns the weight of rows now wrong.

    The class of the most votes counts, the first of several.
    """
    lost = 0.0
    for i in range(len(predicted)):
        votes[i, predicted[i]] += alpha
        best, most = 0, votes[i, 0]
        for k in range(1, votes.shape[1]):
            more = votes[i, k] > most
            best = k if more else best
            most = votes[i, k] if more else most
        lost += weight[i] if best != label[i] else 0.0
    return lost

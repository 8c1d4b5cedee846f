"""Boosting of the logistic loss with stumps against scikit-learn's GradientBoostingClassifier.

Both take the best stump for the negative gradient, give each leaf its Newton step and shrink it
by 0.1. One judge, in float64 NumPy, computes the mean training loss of both from their decision
values, log(1 + exp(-t F)); the times of a row count only if ours is not the higher one by more
than a thousandth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import contest
from benchmarks.contest import OURS, SKLEARN
from benchmarks.data import Data

NAMES = ["generated50", "generated20", "adult"]
ROUNDS, RATE = 100, 0.1
BOUND = 1e-3  # relative


def ours(rounds: int) -> Any:
    from maxmargin.boosting import BoostingClassifier

    return BoostingClassifier(
        loss="logistic", n_estimators=rounds, learning_rate=RATE, step="leaves"
    )


def peer(rounds: int) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(
        max_depth=1, n_estimators=rounds, learning_rate=RATE, random_state=0
    )


MAKERS = {OURS: ours, SKLEARN: peer}


def training_loss(model: Any, data: Data) -> float:
    t = np.where(data.y == model.classes_[1], 1.0, -1.0)
    F = np.asarray(model.decision_function(data.X), dtype=np.float64).ravel()
    return float(np.logaddexp(0.0, -t * F).mean())


def measure(data: Data, rounds: int, repeats: int, sklearn_repeats: int) -> dict[str, Any]:
    names = [OURS] + [SKLEARN] * (sklearn_repeats > 0)
    few = data.head(500)
    for name in names:  # compiles and loads what is done once a process
        MAKERS[name](2).fit(few.X, few.y)
    calls = {name: lambda name=name: MAKERS[name](rounds).fit(data.X, data.y) for name in names}
    times = {name: sklearn_repeats if name == SKLEARN else repeats for name in names}
    seconds, models = contest.interleave(calls, times)
    losses = {name: training_loss(model, data) for name, model in models.items()}
    return {
        "data": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "asked": rounds,
        "runs": seconds,
        "seconds": contest.medians(seconds),
        "rounds": {name: len(model.estimators_) for name, model in models.items()},
        "loss": losses,
        "objection": _objection(losses),
    }


def _objection(losses: dict[str, float]) -> str:
    """Why the times of a row cannot be compared; empty when they can."""
    excess = losses[OURS] / losses.get(SKLEARN, losses[OURS]) - 1.0
    return f"our training loss is {excess:.1e} higher" if excess > BOUND else ""

"""Seconds to boost 100 stumps, by Gini's criterion and by error, against scikit-learn's AdaBoost.

By Gini both choose the same splits: how many rounds are the same to the last row is counted. From
where two splits tie, the ensembles may part; so for every round of scikit-learn our stump is asked
again with the weights of that round, and its split must be as good, no better and no worse.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import contest
from benchmarks.boosting_judge import CLOSE, TIE, Ensemble, ensemble, equal_rounds, lead
from benchmarks.contest import SKLEARN
from benchmarks.data import Data

ROUNDS, FEW_ROUNDS = 100, 10
CRITERIA = ["gini", "error"]
Models = dict[str, Any]


def ours(criterion: str, rounds: int) -> Any:
    from maxmargin.boosting import AdaBoostClassifier, DecisionStump

    return AdaBoostClassifier(DecisionStump(criterion=criterion), n_estimators=rounds)


def peer(rounds: int) -> Any:
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    stump = DecisionTreeClassifier(max_depth=1)
    return AdaBoostClassifier(stump, n_estimators=rounds, random_state=0)


def make(name: str, rounds: int) -> Any:
    return peer(rounds) if name == SKLEARN else ours(name, rounds)


def fit(
    data: Data, rounds: int, repeats: int, sklearn_repeats: int
) -> tuple[dict[str, list[float]], Models]:
    names = CRITERIA + [SKLEARN] * (sklearn_repeats > 0)
    few = data.head(500)
    for name in names:  # compiles and loads what is done once a process
        make(name, 2).fit(few.X, few.y).predict(few.X)
    calls = {name: lambda name=name: make(name, rounds).fit(data.X, data.y) for name in names}
    times = {name: sklearn_repeats if name == SKLEARN else repeats for name in names}
    return contest.interleave(calls, times)


def measure(
    data: Data, rounds: int, repeats: int, sklearn_repeats: int
) -> tuple[dict[str, Any], Models]:
    """One row of the table, and the fitted models for the next job."""
    seconds, models = fit(data, rounds, repeats, sklearn_repeats)
    said = {name: ensemble(model, data) for name, model in models.items()}
    verdicts = {name: each.verdict() for name, each in said.items()}
    row = {
        "data": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "asked": rounds,
        "runs": seconds,
        "seconds": contest.medians(seconds),
        "rounds": {name: v.rounds for name, v in verdicts.items()},
        "training_error": {name: v.training_error for name, v in verdicts.items()},
        "exponential_loss": {name: v.exponential_loss for name, v in verdicts.items()},
    }
    return {**row, **(_compared(models, said, data) if SKLEARN in models else {})}, models


def _compared(models: Models, said: dict[str, Ensemble], data: Data) -> dict[str, Any]:
    same = equal_rounds(said["gini"], said[SKLEARN])
    leads = _leads(said[SKLEARN], data)
    worst = max(leads, key=lambda each: abs(each[0]) * (each[1] >= CLOSE))
    apart = {
        field: _apart(*(getattr(models[name], field)[:same] for name in ("gini", SKLEARN)))
        for field in ("estimator_errors_", "estimator_weights_")
    }
    return {
        "same_rounds": same,
        "equal_gains": sum(abs(d) <= TIE for d, _ in leads),
        "too_close": sum(d > TIE and gap < CLOSE for d, gap in leads),
        "worst_lead": worst,
        "apart": apart,
        "objection": _objection(said, worst, apart),
    }


def _leads(theirs: Ensemble, data: Data) -> list[tuple[float, float]]:
    """Of our split over scikit-learn's, in every round of its own and with that round's weights."""
    from maxmargin.trees.columns import Columns

    columns, t = Columns(data.X), theirs.t.astype(np.float64)
    best = partial(lead, X=data.X, t=t)
    rounds = zip(theirs.rounds(), theirs.right, strict=True)
    return [best(columns.best_square(w * t, w), right=right, w=w) for (w, _, _), right in rounds]


def _apart(one: Any, other: Any) -> float:
    """The largest relative difference."""
    return float(np.max(np.abs(one - other) / np.abs(other), initial=0.0))


def _objection(
    said: dict[str, Ensemble], worst: tuple[float, float], apart: dict[str, float]
) -> str:
    """Why the times of a row cannot be compared; empty when they can."""
    counts = {name: len(each.said) for name, each in said.items()}
    fewer = [f"rounds differ: {counts}"] * (len(set(counts.values())) > 1)
    uneven = [f"gains differ by {worst[0]:.0e}"] * (abs(worst[0]) > TIE and worst[1] >= CLOSE)
    stated = [f"{name} differ by {d:.0e}" for name, d in apart.items() if d > 1e-6]
    return "; ".join(fewer + uneven + stated)

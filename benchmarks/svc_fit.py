"""Seconds to fit an RBF classifier, each contestant's answer judged by its objective."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from benchmarks import contest
from benchmarks.contest import OURS, SKLEARN
from benchmarks.data import Data
from benchmarks.judge import Verdict, judge, objection
from benchmarks.speed import Speed

Models = dict[str, Any]


def measure(
    data: Data, speed: Speed, repeats: int, sklearn_repeats: int
) -> tuple[dict[str, Any], Models]:
    """One row of the table, and the fitted models for the next job."""
    gamma = data.gamma
    seconds, models = fit(data, gamma, repeats, sklearn_repeats)
    verdicts = {name: judge(model, data, gamma) for name, model in models.items()}
    row = {
        "data": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "gamma": gamma,
        "runs": seconds,
        "seconds": contest.medians(seconds),
        **_judged(verdicts),
        "status": models[OURS].certificate_.status.name,
        "certificate": str(models[OURS].certificate_),
        "floor": _floor(data, verdicts[OURS], speed),
    }
    return row, models


def fit(
    data: Data, gamma: float, repeats: int, sklearn_repeats: int
) -> tuple[dict[str, list[float]], Models]:
    names = contest.contestants(sklearn_repeats > 0)
    contest.warm_up(names, data)

    def call(name: str) -> Any:
        return lambda: contest.make(name, gamma).fit(data.X, data.y)

    times = {name: sklearn_repeats if name == SKLEARN else repeats for name in names}
    return contest.interleave({name: call(name) for name in names}, times)


def _judged(verdicts: dict[str, Verdict]) -> dict[str, Any]:
    fields = ("primal", "dual", "gap", "infeasible", "support")
    by_field = {f: {name: getattr(v, f) for name, v in verdicts.items()} for f in fields}
    return {**by_field, "objection": objection(verdicts)}


def _floor(data: Data, verdict: Verdict, speed: Speed) -> float | None:
    """None for sparse rows: their products do not run at the speed of dense ones."""
    if sparse.issparse(data.X):
        return None
    return speed.floor(verdict.support, *data.X.shape)

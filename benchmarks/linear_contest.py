"""One linear model of ours against one of scikit-learn's at the same distance from the optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from joblib import parallel_config
from sklearn.multiclass import OneVsRestClassifier

from benchmarks import contest
from benchmarks.contest import OURS, SKLEARN
from benchmarks.data import Data
from benchmarks.ladder import Make, Rung, climb, fit
from benchmarks.linear_judge import Problem
from benchmarks.optimum import Bounds, bounds

SLOW = 20.0  # seconds; of a peer that takes longer the ladder's last fit counts as its first run
WAYS = {"one process": (None, 1), "two threads": ("threading", 2), "two processes": ("loky", 2)}
"""How scikit-learn can fit one class after the other, or two at a time."""


@dataclass(frozen=True)
class Match:
    """Who fits what: ours by a tolerance, the peer by a tolerance and a limit of iterations."""

    task: str
    problem: Problem
    ours: Callable[[float], Any]
    peer: Make
    binary: bool = False
    """The peer separates two classes only, and is wrapped for more."""


@dataclass(frozen=True)
class Effort:
    repeats: int
    sklearn_repeats: int
    budget: float


def measure(match: Match, data: Data, target: float, effort: Effort) -> dict[str, Any]:
    X, y = data.X, data.y
    known = bounds(match.problem, data)
    match, wrapped = _wrapped(match, data)

    def judge(model: Any) -> float:
        return known.suboptimality(model, match.problem, data)

    _warm_up(match, data, target)
    rungs = climb(match.peer, X, y, effort.budget, judge, target)
    last = rungs[-1]
    way = _best_way(match, data, last) if wrapped else "one process"
    calls = {
        OURS: lambda: match.ours(target).fit(X, y),
        SKLEARN: lambda: fit_in(way, match.peer(last.tol, last.max_iter), data),
    }
    slow = not wrapped and last.seconds > SLOW
    again = max(effort.sklearn_repeats, 1) - 1 if slow else effort.repeats
    seconds, models = contest.interleave(calls, {OURS: effort.repeats, SKLEARN: again})
    seconds[SKLEARN] += [last.seconds] * slow
    found = {SKLEARN: last.suboptimality, **{name: judge(m) for name, m in models.items()}}
    return {
        "data": data.name,
        "task": match.task,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "target": target,
        "runs": seconds,
        "seconds": contest.medians(seconds),
        "suboptimality": found,
        "reached": found[SKLEARN] <= target,
        "tol": last.tol,
        "way": way,
        "ladder": [asdict(rung) for rung in rungs],
        "optimum": asdict(known),
        "certificate": str(getattr(models[OURS], "certificate_", "")),
        "objection": _objection(found[OURS], known, target),
    }


def _wrapped(match: Match, data: Data) -> tuple[Match, bool]:
    if not match.binary or len(set(data.y.tolist())) == 2:
        return match, False
    peer = match.peer
    return replace(match, peer=lambda *how: OneVsRestClassifier(peer(*how))), True


def _warm_up(match: Match, data: Data, target: float) -> None:
    """Compile and load what is done once a process, on a few rows of the same kind of data."""
    few = data.head(2_500)
    match.ours(target).fit(few.X, few.y)
    fit(match.peer(0.1, 10), few.X, few.y)


def _best_way(match: Match, data: Data, rung: Rung) -> str:
    """Whichever takes the wrapped peer the least; the first turn of each starts its workers."""
    calls = {
        way: lambda way=way: fit_in(way, match.peer(rung.tol, rung.max_iter), data) for way in WAYS
    }
    seconds, _ = contest.interleave(calls, dict.fromkeys(WAYS, 2))
    return min(WAYS, key=lambda way: seconds[way][-1])


def fit_in(way: str, model: Any, data: Data) -> Any:
    backend, jobs = WAYS[way]
    if backend is None:
        return fit(model, data.X, data.y)
    with parallel_config(backend=backend, n_jobs=jobs):
        return fit(model.set_params(n_jobs=jobs), data.X, data.y)


def _objection(ours: float, known: Bounds, target: float) -> str:
    """Why the times of a row cannot be compared; empty when they can."""
    missed = [f"maxmargin is {ours:.1e} from the optimum"] * (ours > target)
    loose = [f"the optimum is known to {known.gap:.0e} only"] * (known.gap > target / 20)
    return "; ".join(missed + loose)

"""What of a fit no other thread can take over, and what that allows sixteen of them to gain.

A fit on one thread is timed, and in it the pieces that threads would share (``Workers``). With s
the seconds beside them and p those inside, k threads take s + p / k at the very best (Amdahl 1967),
so the gain is at most (s + p) / (s + p / k). It is a bound and no measurement: waking threads,
uneven pieces and memory that they share come on top. But it can be had on any machine, and a bar
above it cannot be met.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from benchmarks import contest, data, linear_data, svc_threads
from benchmarks.record import Row
from maxmargin.ops.threads import Workers

THREADS = 16
_SHARED = ("each", "on_all", "together")
_BOOSTED = 400_000, 30


def measure(repeats: int, small: bool) -> list[Row]:
    """One row of the table a fit."""
    return [_row(*case, repeats) for case in _cases(small)]


def _cases(small: bool) -> Iterator[tuple[str, str, Callable[[], Any], Any, Any]]:
    from maxmargin import (
        SVC,
        AdaBoostClassifier,
        BoostingClassifier,
        DecisionStump,
        LinearClassifier,
        LinearSVC,
    )

    one = {"n_jobs": 1}
    for name in data.available(svc_threads.NAMES):
        found = data.load(name, small)
        settings = {"gamma": found.gamma, "tol": contest.TOL, "cache_size": svc_threads.CACHE_MB}
        yield "SVC", name, partial(SVC, **settings, **one), found.X, found.y
    rows, columns = (3_000, 5) if small else _BOOSTED
    X, y = linear_data.generated(rows, columns)
    X, name = X.astype(np.float32), f"generated, {columns} columns"
    for criterion in ("gini", "error"):
        stump = DecisionStump(criterion=criterion)
        make = partial(AdaBoostClassifier, stump, n_estimators=100, **one)
        yield f"AdaBoost by {criterion}", name, make, X, y
    yield "BoostingClassifier", name, partial(BoostingClassifier, n_estimators=100, **one), X, y
    for name in linear_data.available(["covtype-all"]):
        found = linear_data.load(name, small)
        for loss in ("hinge", "squared_hinge"):
            make = partial(LinearSVC, loss=loss, tol=1e-3, **one)
            yield f"LinearSVC, {loss}", name, make, found.X, found.y
        make = partial(LinearClassifier, loss="logistic", tol=1e-3, **one)
        yield "LinearClassifier, logistic", name, make, found.X, found.y


def _row(who: str, name: str, make: Callable[[], Any], X: Any, y: Any, repeats: int) -> Row:
    make().fit(X[:2_500], y[:2_500])
    seconds, beside = min(_timed(make(), X, y) for _ in range(repeats))
    gain = seconds / (beside + (seconds - beside) / THREADS)
    shape = {"rows": X.shape[0], "columns": X.shape[1]}
    spent = {"all": seconds, "beside": beside}
    print(f"  {who}, {name}: {spent}, at most {gain:.1f}", flush=True)
    return {"estimator": who, "data": name, **shape, "seconds": spent, "gain": gain}


def _timed(model: Any, X: Any, y: Any) -> tuple[float, float]:
    """Give the seconds of a fit, and those beside what threads share."""
    with _shares() as shared:
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
    return seconds, seconds - sum(shared)


@contextmanager
def _shares() -> Iterator[list[float]]:
    """List the seconds of all work that is handed to threads, those inside of others left out."""
    usual, spent, within = {verb: getattr(Workers, verb) for verb in _SHARED}, [], [0]

    def timed(verb: str) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            within[0] += 1
            start = time.perf_counter()
            try:
                return usual[verb](*given)
            finally:
                within[0] -= 1
                if within[0] == 0:
                    spent.append(time.perf_counter() - start)

        return call

    for verb in usual:
        setattr(Workers, verb, timed(verb))
    try:
        yield spent
    finally:
        for verb, method in usual.items():
            setattr(Workers, verb, method)

"""What share of a fit its certificate costs.

The certificate needs K beta summed anew: rows are added once more when they leave the cache
(``Iterate._leaving`` names them) and at the end (``fresh_product``). Fits with that switched off
take the same steps, so the difference in time is its cost; the judge itself is timed apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import contest
from benchmarks.contest import OURS, timed
from benchmarks.data import Data, available, load
from maxmargin.solvers.kernel_values.iterate import Iterate

NAMES = ["generated50", "ijcnn1"]
BAR = 0.1


@contextmanager
def unsettled() -> Iterator[None]:
    """Let the judge see the running product: what a fit without a fresh evaluation would cost."""
    nothing = (np.empty(0, np.intp), np.empty(0))
    with (
        patch.object(Iterate, "_leaving", lambda _self, _placed: nothing),
        patch.object(Iterate, "fresh_product", lambda self: self.running.copy()),
    ):
        yield


@contextmanager
def stopwatch() -> Iterator[dict[str, float]]:
    """Collect the seconds spent in the judge and in the last part of the fresh product."""
    spent = {"judge": 0.0, "last": 0.0}
    run = import_module("maxmargin.solvers.run")

    def watched(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            seconds, value = timed(partial(function, *args))
            spent[part] += seconds
            return value

        return call

    with (
        patch.object(run, "judge", watched("judge", run.judge)),
        patch.object(Iterate, "fresh_product", watched("last", Iterate.fresh_product)),
    ):
        yield spent


def measure(small: bool, repeats: int) -> list[dict[str, Any]]:
    return [_row(load(name, small), repeats) for name in available(NAMES)]


def _row(data: Data, repeats: int) -> dict[str, Any]:
    contest.warm_up([OURS], data)
    gamma = data.gamma

    def fit() -> Any:
        return contest.make(OURS, gamma).fit(data.X, data.y)

    def bare() -> Any:
        with unsettled():
            return fit()

    calls = {"whole": fit, "bare": bare}
    seconds, models = contest.interleave(calls, dict.fromkeys(calls, repeats))
    with stopwatch() as spent:
        fit()
    same = np.array_equal(models["whole"].dual_coef_, models["bare"].dual_coef_)
    row = {"data": data.name, "same": bool(same), **contest.medians(seconds), **spent}
    return {**row, "share": (row["whole"] - row["bare"] + row["judge"]) / row["whole"]}

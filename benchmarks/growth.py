"""Seconds against the number of rows, and the exponent that fits them, for us and the peers.

Linear: 30 generated columns, 2^10 to 2^20 rows; ours at a relative gap of 1e-3, LIBLINEAR at the
loosest tolerance that reaches the same distance from the optimum at that size. Kernel: the RBF
classifier of the fit table, 2^9 to 2^15 rows. Fewer rows are the first of the most. A method that
takes longer than the limit is not asked again, nor is a peer that cannot reach the target in
three times the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import contest, linear_svc
from benchmarks.contest import OURS, SKLEARN, interleave
from benchmarks.data import Data
from benchmarks.ladder import TOLERANCES, climb, fit
from benchmarks.linear_data import growing
from benchmarks.optimum import bounds

LIMIT = 8.0  # seconds
FAMILIES = [*linear_svc.LOSSES, "rbf"]
Calls = dict[str, Callable[[], Any]]


def sizes(family: str, small: bool) -> list[int]:
    first, last = (9, 15) if family == "rbf" else (10, 20)
    return [2**k for k in range(first, (12 if small else last) + 1)]


def row(family: str, small: bool, repeats: int) -> dict[str, Any]:
    asked = sizes(family, small)
    most = growing(asked[-1])
    turn = _kernel if family == "rbf" else _linear
    points: dict[str, list[list[float]]] = {}
    for n, calls in turn(family, most, asked, points):
        if not calls:
            break
        runs, _ = interleave(calls, {name: _repeats(points, name, repeats) for name in calls})
        for name, seconds in contest.medians(runs).items():
            points.setdefault(name, []).append([n, seconds])
        told = ", ".join(f"{name} {found[-1][1]:.3g} s" for name, found in points.items())
        print(f"  {family}, {n:,} rows: {told}", flush=True)
    return {
        "data": family,
        "columns": most.X.shape[1],
        "points": points,
        "exponent": {name: exponent(found) for name, found in points.items()},
    }


def _repeats(points: dict[str, list[list[float]]], name: str, repeats: int) -> int:
    return 1 if name in points and points[name][-1][1] > LIMIT / 4 else repeats


def _active(points: dict[str, list[list[float]]], name: str) -> bool:
    return name not in points or points[name][-1][1] <= LIMIT


def _linear(
    loss: str, most: Data, asked: list[int], points: dict[str, list[list[float]]]
) -> Iterator[tuple[int, Calls]]:
    match, rung, reached = linear_svc.match(loss), 0, True
    match.ours(linear_svc.TARGET).fit(most.X[: asked[0]], most.y[: asked[0]])
    for n in asked:
        data, calls = most.head(n), Calls()
        if _active(points, OURS):
            calls[OURS] = lambda d=data: match.ours(linear_svc.TARGET).fit(d.X, d.y)
        if reached and _active(points, SKLEARN):
            last = _climb(match, data, max(0, rung - 2))
            rung, reached = TOLERANCES.index(last.tol), last.suboptimality <= linear_svc.TARGET
        if reached and _active(points, SKLEARN):
            calls[SKLEARN] = lambda d=data, r=last: fit(match.peer(r.tol, r.max_iter), d.X, d.y)
        yield n, calls


def _climb(match: Any, data: Data, start: int) -> Any:
    known = bounds(match.problem, data)

    def judge(model: Any) -> float:
        return known.suboptimality(model, match.problem, data)

    return climb(match.peer, data.X, data.y, 3 * LIMIT, judge, linear_svc.TARGET, start)[-1]


def _kernel(
    _family: str, most: Data, asked: list[int], points: dict[str, list[list[float]]]
) -> Iterator[tuple[int, Calls]]:
    most = Data(most.name, most.X.astype(np.float32), most.y)
    names, gamma = contest.contestants(), most.gamma
    contest.warm_up(names, most)
    for n in asked:
        some = most.head(n)
        calls: Calls = {
            name: lambda name=name, d=some: contest.make(name, gamma).fit(d.X, d.y)
            for name in names
            if _active(points, name)
        }
        yield n, calls


def exponent(points: list[list[float]]) -> float | None:
    """The slope of log seconds in log rows, by least squares over the larger half of the sizes."""
    half = points[len(points) // 2 :]
    if len(half) < 2:
        return None
    return float(np.polyfit(*np.log(np.array(half).T), 1)[0])

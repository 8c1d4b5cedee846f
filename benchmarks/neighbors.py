"""Leave-one-out for every k: one table of neighbours against one search for each k.

The loop is scikit-learn's fastest plain one: its classifier, fitted once, predicts the rows that it
holds from the others (``predict(None)``), k after k. Scores for each k are compared; a few rows may
lie at equal distances from others, whose order scikit-learn leaves open.

``python -m benchmarks.neighbors`` measures hashing instead: ``LSHNeighborsTransformer`` against
brute force, scikit-learn's and faiss's, and against the graph of faiss, each on one thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from threadpoolctl import threadpool_limits

from benchmarks import contest, source
from benchmarks.contest import OURS, SKLEARN
from benchmarks.record import Row

LARGEST = 100
SETS = {"generated, 20 columns": lambda: source.generated(20_000, 20)}


def measure(repeats: int, sklearn_repeats: int, small: bool) -> list[Row]:
    """One row of the table a job: classes, and numbers."""
    rows = []
    for name, X, y in source.float64_sets(SETS, 1_000 if small else None):
        numbers = X[:, 0] + np.random.default_rng(0).normal(size=len(X))
        for job, target in (("classes", y), ("numbers", numbers)):
            rows.append(_measure(f"{name}, {job}", X, target, repeats, sklearn_repeats))
            print(f"  {name}, {job}: {rows[-1]['seconds']} {rows[-1]['objection']}", flush=True)
    return rows


def _measure(name: str, X: Any, y: Any, repeats: int, sklearn_repeats: int) -> Row:
    calls: dict[str, Any] = {OURS: lambda: _one_table(X, y)}
    if sklearn_repeats > 0:
        calls[SKLEARN] = lambda: _loop(X, y)
    _one_table(X[:500], y[:500])
    times = {OURS: repeats, SKLEARN: sklearn_repeats}
    seconds, scores = contest.interleave(calls, {one: times[one] for one in calls})
    apart = max(float(np.abs(scores[OURS] - s).max()) for s in scores.values())
    return {
        "data": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "largest": LARGEST,
        "seconds": contest.medians(seconds),
        "apart": apart,
        "objection": "" if apart < 1e-3 else f"scores differ by {apart:.2g}",
    }


def _is_numbers(y: Any) -> bool:
    return bool(np.asarray(y).dtype.kind == "f")


def _one_table(X: Any, y: Any) -> Any:
    from maxmargin.neighbors import KNeighborsClassifierCV, KNeighborsRegressorCV

    kind = KNeighborsRegressorCV if _is_numbers(y) else KNeighborsClassifierCV
    return kind(LARGEST).fit(X, y).cv_results_["mean_test_score"]


def _loop(X: Any, y: Any) -> Any:
    numbers = _is_numbers(y)
    model = (KNeighborsRegressor if numbers else KNeighborsClassifier)().fit(X, y)
    scores = []
    for k in range(1, LARGEST + 1):
        said = model.set_params(n_neighbors=k).predict(None)
        scores.append(-np.square(said - y).mean() if numbers else (said == y).mean())
    return np.array(scores)


def _uniform(rows: int, columns: int, random: Any) -> Any:
    return random.random((rows, columns), dtype=np.float32)


def _groups(rows: int, columns: int, random: Any) -> Any:
    centres = random.standard_normal((1000, columns), dtype=np.float32)
    noise = random.standard_normal((rows, columns), dtype=np.float32)
    return centres[random.integers(1000, size=rows)] + np.float32(0.3) * noise


def _surface(rows: int, columns: int, random: Any) -> Any:
    """A bent surface of ten dimensions."""
    place = random.standard_normal((rows, 10), dtype=np.float32)
    first, second = (random.standard_normal((10, columns), dtype=np.float32) for _ in range(2))
    return place @ first + np.sin(place @ second)


CLOUDS = {"uniform": _uniform, "1,000 groups": _groups, "10 dimensions, bent": _surface}


def measure_hashing(rows: int, columns: int, questions: int, graph: bool) -> None:
    """Print a line a cloud of rows and way: seconds to build, a question, recall of 10."""
    print(f"{rows:,} rows, {columns} columns, {questions} questions, 10 neighbours, one thread")
    print("rows                  way                 build, s  question, ms  recall")
    for name, make in CLOUDS.items():
        X = make(rows + questions, columns, np.random.default_rng(0))
        X, asked = X[:rows], X[rows:]
        truth = None
        for way, build in _ways(graph).items():
            begun = perf_counter()
            search = build(X)
            built = perf_counter()
            found = search(asked)
            ended = perf_counter()
            truth = found if truth is None else truth
            hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found, truth, strict=True))
            per = 1e3 * (ended - built) / questions
            share = hits / truth.size
            print(
                f"{name:20s}  {way:18s} {built - begun:9.2f} {per:13.3f} {share:7.3f}", flush=True
            )


def _ways(graph: bool) -> dict[str, Callable[[Any], Callable[[Any], Any]]]:
    """Name ways of searching; the first is exact."""
    ways: dict[str, Any] = {"brute, scikit-learn": _brute, "brute, faiss": _flat}
    for tables, flips in ((8, 3), (16, 4), (32, 6)):
        ways[f"hashing, {tables} x {2**flips}"] = lambda X, t=tables, f=flips: _hashing(X, t, f)
    return ways | ({"graph, faiss": _graph} if graph else {})


def _brute(X: Any) -> Callable[[Any], Any]:
    model = NearestNeighbors(n_neighbors=10, algorithm="brute", n_jobs=1).fit(X)
    return lambda asked: model.kneighbors(asked, return_distance=False)


def _hashing(X: Any, tables: int, flips: int) -> Callable[[Any], Any]:
    from maxmargin.neighbors import LSHNeighborsTransformer

    given = {"n_tables": tables, "n_flips": flips, "random_state": 0, "n_jobs": 1}
    LSHNeighborsTransformer(10, **given).fit(X[:500]).kneighbors(X[:10])  # compiles
    model = LSHNeighborsTransformer(10, **given).fit(X)
    return lambda asked: model.kneighbors(asked)[1]


def _flat(X: Any) -> Callable[[Any], Any]:
    import faiss

    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return lambda asked: index.search(asked, 10)[1]


def _graph(X: Any) -> Callable[[Any], Any]:
    import faiss

    index = faiss.IndexHNSWFlat(X.shape[1], 16)
    index.hnsw.efSearch = 64
    index.add(X)
    return lambda asked: index.search(asked, 10)[1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure hashing.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--graph", action="store_true")
    given = parser.parse_args()
    with threadpool_limits(1):
        measure_hashing(given.rows, given.columns, given.questions, given.graph)

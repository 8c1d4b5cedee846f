"""What finding neighbours costs: brute force, kd-tree, ball tree, hashing and a graph side by side.

The first three are scikit-learn's and exact. Approximate search is that of faiss, if it is
installed (``pip install faiss-cpu``): locality-sensitive hashing by the signs of random affine
functions, w'x + b > 0 (Charikar, "Similarity estimation techniques from rounding algorithms", STOC
2002), in several tables, candidates being put in order by their true distances; and the graph of
Malkov and Yashunin (HNSW, 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import BallTree, KDTree, NearestNeighbors
from sklearn.utils import check_array, check_random_state
from threadpoolctl import threadpool_limits

from maxmargin.course.dimension import check_columns
from maxmargin.inputs.parameters import ParameterError, check_number

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

EXACT = ("brute", "kd_tree", "ball_tree")
APPROXIMATE = ("lsh", "hnsw")
_NOT_INSTALLED = (
    "Approximate search (lsh, hnsw) is left out: it needs faiss, pip install faiss-cpu."
)
_BUILDS = 3  # repetitions of which the median counts, so that one disturbed turn does not
_TURNS = 9  # the same for searches
_BITS = 256  # of a binary code of a row
_TABLES = 16  # hash tables; more find more neighbours and take longer
_BITS_A_TABLE = 10  # more make buckets smaller, and find fewer neighbours
_CANDIDATES = 50  # rows whose true distances are computed
_LINKS = 16  # of a node of the graph, as its authors have it


@dataclass(frozen=True)
class SearchCost:
    """The cost of one search method on one set of rows.

    Attributes
    ----------
    method : str
    n_rows, n_columns : int
    build_seconds : float
        Time to build the structure before the first query; the median of several runs.
    query_seconds : float
        Time of a query; the median of several runs.
    distances : float
        Points that a query is compared with, on average, as the trees and faiss count them: brute
        force compares all rows; a ball tree also the centres of its balls, so that it can come to
        more than all rows; those of hashing are mostly comparisons of short codes.
    recall : float
        The share of true neighbours found.
    """

    method: str
    n_rows: int
    n_columns: int
    build_seconds: float
    query_seconds: float
    distances: float
    recall: float


@dataclass(frozen=True)
class SearchCosts:
    """Costs of several search methods, possibly for several numbers of columns.

    Attributes
    ----------
    costs : tuple of SearchCost
    note : str
        Methods left out, and why; empty if none.
    """

    costs: tuple[SearchCost, ...]
    note: str = ""

    @property
    def methods(self) -> list[str]:
        """The ways, in their order."""
        return list(dict.fromkeys(cost.method for cost in self.costs))

    def of(self, method: str) -> list[SearchCost]:
        """List the costs of one way, by the number of columns.

        Parameters
        ----------
        method : str

        Returns
        -------
        list of SearchCost
        """
        mine = [cost for cost in self.costs if cost.method == method]
        return sorted(mine, key=lambda cost: cost.n_columns)

    def pays_until(self, method: str, share: float = 0.5) -> int | None:
        """Return the number of columns up to which a method compares at most a share of all rows.

        Parameters
        ----------
        method : str
        share : float, default=0.5

        Returns
        -------
        n_columns : int or None
            None if it never does.
        """
        paying = [c.n_columns for c in self.of(method) if c.distances <= share * c.n_rows]
        return max(paying, default=None)

    def __str__(self) -> str:
        lines = ["columns  method     build, ms  query, µs  distances  recall"]
        lines += [
            f"{c.n_columns:7d}  {c.method:9s} {1e3 * c.build_seconds:10.2f} "
            f"{1e6 * c.query_seconds:10.1f} {c.distances:10.0f} {c.recall:7.3f}"
            for c in self.costs
        ]
        return "\n".join([*lines, *([self.note] if self.note else [])])


Search = Callable[[Vector], Index]
"""Finds the neighbours of queries."""


@dataclass(frozen=True)
class _Built:
    """A way to search, made ready, and how it counts."""

    search: Search
    count: Callable[[int], float]
    """Rows compared in the last search, given the number of queries."""


def search_costs(
    X: Any,
    queries: Any,
    *,
    n_neighbors: int = 1,
    methods: Sequence[str] | None = None,
    random_state: Any = None,
) -> SearchCosts:
    """Measure the cost of finding neighbours by each method, on one thread.

    Parameters
    ----------
    X : array-like of shape (rows, columns)
        The rows to search, by Euclidean distance.
    queries : array-like of shape (queries, columns)
    n_neighbors : int, default=1
    methods : sequence of {"brute", "kd_tree", "ball_tree", "lsh", "hnsw"}, default=None
        None is all; "lsh" and "hnsw" only if faiss is installed.
    random_state : int, RandomState or None, default=None
        Seed for hashing.

    Returns
    -------
    SearchCosts

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.neighbors import search_costs
    >>> X = np.random.default_rng(0).uniform(size=(1000, 2))
    >>> brute, tree = search_costs(X[:900], X[900:], methods=["brute", "kd_tree"]).costs
    >>> brute.distances, tree.distances < 100, tree.recall
    (900.0, True, 1.0)
    """
    rows, asked = check_array(X, dtype=np.float64), check_array(queries, dtype=np.float64)
    _check(rows, asked, n_neighbors)
    chosen, note = _available(methods)
    random = check_random_state(random_state)
    with threadpool_limits(1):
        true = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(rows)
        truth = true.kneighbors(asked, return_distance=False)
        costs = [_measure(name, rows, asked, truth, random) for name in chosen]
    return SearchCosts(tuple(costs), note)


def search_costs_by_dimension(
    n_columns: Iterable[int] = (2, 4, 8, 16, 32),
    *,
    n_rows: int = 5000,
    n_queries: int = 100,
    n_neighbors: int = 1,
    methods: Sequence[str] | None = None,
    random_state: Any = None,
) -> SearchCosts:
    """Measure the cost of searches as the number of columns grows, for rows uniform in a cube.

    Parameters
    ----------
    n_columns : iterable of int, default=(2, 4, 8, 16, 32)
    n_rows, n_queries : int, default=5000 and 100
    n_neighbors, methods, random_state
        As in ``search_costs``.

    Returns
    -------
    SearchCosts

    Examples
    --------
    >>> from maxmargin.neighbors import search_costs_by_dimension
    >>> found = search_costs_by_dimension(
    ...     (2, 12), n_rows=500, n_queries=20, methods=["kd_tree"], random_state=0
    ... )
    >>> found.pays_until("kd_tree")
    2
    """
    random = check_random_state(random_state)
    parts = []
    for d in check_columns("search_costs_by_dimension", n_columns):
        points = random.uniform(size=(n_rows + n_queries, d))
        given = {"n_neighbors": n_neighbors, "methods": methods, "random_state": random}
        parts.append(search_costs(points[:n_rows], points[n_rows:], **given))
    note = next((part.note for part in parts), "")
    return SearchCosts(tuple(cost for part in parts for cost in part.costs), note)


def _check(rows: Vector, queries: Vector, n_neighbors: int) -> None:
    check_number("search_costs", "n_neighbors", n_neighbors, 1, whole=True)
    if n_neighbors > len(rows) or rows.shape[1] != queries.shape[1]:
        raise ValueError(
            f"X has {len(rows)} rows of {rows.shape[1]} columns, and {n_neighbors} neighbours of "
            f"queries with {queries.shape[1]} columns were asked for; give at least as many rows, "
            "and as many columns."
        )


def _available(methods: Sequence[str] | None) -> tuple[list[str], str]:
    """Return the methods to try, and those left out."""
    installed = find_spec("faiss") is not None
    if methods is None:
        return [*EXACT, *(APPROXIMATE if installed else ())], "" if installed else _NOT_INSTALLED
    unknown = [name for name in methods if name not in EXACT + APPROXIMATE]
    if unknown:
        raise ParameterError(
            f"The 'methods' parameter must be some of {', '.join(map(repr, EXACT + APPROXIMATE))}. "
            f"Got {unknown[0]!r} instead."
        )
    if not installed and any(name in APPROXIMATE for name in methods):
        raise ImportError("The methods 'lsh' and 'hnsw' need faiss; pip install faiss-cpu.")
    return list(methods), ""


def _measure(name: str, rows: Vector, queries: Vector, truth: Index, random: Any) -> SearchCost:
    k = truth.shape[1]
    built, build_seconds = _timed(lambda: _BUILDERS[name](rows, k, random), _BUILDS)
    found, seconds = _timed(lambda: built.search(queries), _TURNS)
    hits = [np.isin(mine, true).sum() for mine, true in zip(found, truth, strict=True)]
    return SearchCost(
        method=name,
        n_rows=len(rows),
        n_columns=rows.shape[1],
        build_seconds=build_seconds,
        query_seconds=seconds / len(queries),
        distances=built.count(len(queries)) / len(queries),
        recall=float(np.sum(hits) / truth.size),
    )


def _timed(work: Callable[[], Any], turns: int) -> tuple[Any, float]:
    """Return the result of a function and the median of its seconds over several runs."""
    seconds = []
    for _ in range(turns):
        begun = perf_counter()
        result = work()
        seconds.append(perf_counter() - begun)
    return result, float(np.median(seconds))


def _build_brute(rows: Vector, k: int, _random: Any) -> _Built:
    model = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(rows)
    return _Built(
        lambda queries: model.kneighbors(queries, return_distance=False),
        lambda n: float(n * len(rows)),
    )


def _build_tree(kind: Any) -> Callable[[Vector, int, Any], _Built]:
    def build(rows: Vector, k: int, _random: Any) -> _Built:
        tree = kind(rows)

        def search(queries: Vector) -> Index:
            tree.reset_n_calls()
            return np.asarray(tree.query(queries, k, return_distance=False))

        return _Built(search, lambda _n: float(tree.get_n_calls()))

    return build


def _faiss() -> Any:
    import faiss  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415

    return faiss


def _build_lsh(rows: Vector, k: int, random: Any) -> _Built:
    faiss = _faiss()
    centre, spread = rows.mean(axis=0), rows.std(axis=0).max() or 1.0
    directions = random.normal(size=(rows.shape[1], _BITS))
    offsets = random.normal(scale=spread * np.sqrt(rows.shape[1]), size=_BITS)

    def encode(points: Vector) -> Any:
        return np.packbits((points - centre) @ directions > offsets, axis=1)

    index = faiss.IndexBinaryMultiHash(_BITS, _TABLES, _BITS_A_TABLE)
    index.add(encode(rows))
    looked_at, statistics = max(k, _CANDIDATES), faiss.cvar.indexBinaryHash_stats

    def search(queries: Vector) -> Index:
        statistics.reset()
        _, candidates = index.search(encode(queries), looked_at)
        return _nearest_of(rows, queries, candidates, k)

    return _Built(search, lambda n: float(statistics.ndis + n * looked_at))


def _nearest_of(rows: Vector, queries: Vector, candidates: Index, k: int) -> Index:
    """Put candidates in order by their true distances; -1 stands for none."""
    gaps = rows[candidates] - queries[:, None, :]
    squares = np.where(candidates < 0, np.inf, np.square(gaps).sum(axis=2))
    order = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return np.asarray(np.take_along_axis(candidates, order, axis=1))


def _build_hnsw(rows: Vector, k: int, _random: Any) -> _Built:
    faiss = _faiss()
    index = faiss.IndexHNSWFlat(rows.shape[1], _LINKS)
    index.add(rows.astype(np.float32))
    statistics = faiss.cvar.hnsw_stats

    def search(queries: Vector) -> Index:
        statistics.reset()
        return np.asarray(index.search(queries.astype(np.float32), k)[1])

    return _Built(search, lambda _n: float(statistics.ndis))


_BUILDERS: dict[str, Callable[[Vector, int, Any], _Built]] = {
    "brute": _build_brute,
    "kd_tree": _build_tree(KDTree),
    "ball_tree": _build_tree(BallTree),
    "lsh": _build_lsh,
    "hnsw": _build_hnsw,
}

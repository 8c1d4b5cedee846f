"""The curse of dimension as numbers: distances become alike, and volume moves to the surface."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

from maxmargin.inputs.parameters import ParameterError, check_number


@dataclass(frozen=True)
class DimensionFacts:
    """The effect of the number of columns on nearest neighbours.

    Attributes
    ----------
    n_columns : int
    nearest_over_farthest : float
        The average ratio of the distances to the nearest and the farthest of uniform rows: near 0
        if neighbours are close, 1 if all rows are equally far (Beyer et al., "When is 'nearest
        neighbor' meaningful?", 1999).
    shell : float
        The share of a ball's volume in its outermost shell, 1 − (1 − thickness)^d.
    edge : float
        The edge of a cube with a share of the volume of the unit cube, share^(1/d) (Hastie,
        Tibshirani and Friedman, "The Elements of Statistical Learning", section 2.5).
    """

    n_columns: int
    nearest_over_farthest: float
    shell: float
    edge: float


def dimension_facts(
    n_columns: Iterable[int],
    *,
    n_rows: int = 1000,
    n_queries: int = 100,
    thickness: float = 0.1,
    share: float = 0.01,
    random_state: Any = None,
) -> list[DimensionFacts]:
    """Compute what happens to nearest neighbours as the number of columns grows.

    Parameters
    ----------
    n_columns : iterable of int
    n_rows, n_queries : int, default=1000 and 100
        Uniform in the unit cube.
    thickness : float, default=0.1
        Of the shell, as a share of the radius.
    share : float, default=0.01
        Of the cube's volume that a neighbourhood is to hold.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    list of DimensionFacts

    Examples
    --------
    >>> from maxmargin.neighbors import dimension_facts
    >>> plane, space = dimension_facts([2, 50], random_state=0)
    >>> plane.nearest_over_farthest < 0.05, space.nearest_over_farthest > 0.5
    (True, True)
    >>> round(plane.shell, 2), round(space.shell, 2)
    (0.19, 0.99)
    """
    random = check_random_state(random_state)
    for name, value in (("n_rows", n_rows), ("n_queries", n_queries)):
        check_number("dimension_facts", name, value, 1, whole=True)
    numbers = check_columns("dimension_facts", n_columns)
    return [
        DimensionFacts(
            n_columns=d,
            nearest_over_farthest=_contrast(random, n_rows, n_queries, d),
            shell=1.0 - (1.0 - thickness) ** d,
            edge=share ** (1.0 / d),
        )
        for d in numbers
    ]


def check_columns(owner: str, n_columns: Iterable[int]) -> list[int]:
    """Raise for impossible numbers of columns, and for an empty list.

    Parameters
    ----------
    owner : str
        Who asks.
    n_columns : iterable of int

    Returns
    -------
    list of int
    """
    numbers = list(n_columns)
    for d in numbers:
        check_number(owner, "n_columns", d, 1, whole=True)
    if not numbers:
        raise ParameterError(
            f"The 'n_columns' parameter of {owner} must hold at least one number of columns. "
            f"Got {n_columns!r} instead."
        )
    return numbers


def _contrast(random: Any, n_rows: int, n_queries: int, d: int) -> float:
    rows, queries = random.uniform(size=(n_rows, d)), random.uniform(size=(n_queries, d))
    distances = pairwise_distances(queries, rows)
    return float(np.mean(distances.min(axis=1) / distances.max(axis=1)))

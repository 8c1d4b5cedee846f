"""Which pairs of columns to learn: FAST, over all pairs.

Every row's slope and curvature are those of the bag that held it out, so that what columns alone
have learnt by heart does not look like an interaction. All pairs are ranked by the gain of the best
four cells over what their two columns can give; columns are cut into a few bins for that.

Lou, Caruana, Gehrke and Hooker, KDD 2013, section 4; the gain here is that of the interaction
alone, which the columns' own shapes do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.glass_box.bins import Binning
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]
Pair = tuple[int, int]

_CUTS = 30  # of a pair, as good as independent
_TINY = 1e-300
_NEARLY = 1.0 - 1e-9  # sums that are equal differ by their rounding


@dataclass(frozen=True)
class CoarseColumn:
    """How the codes of a column become the fewer bins of its pairs.

    Parameters
    ----------
    of_code : ndarray of uint8
        0 for missing values; the last one for unknown categories.
    n_bins : int
        With both of these.
    """

    of_code: NDArray[np.uint8]
    n_bins: int


def coarsen(
    binning: Binning, codes: NDArray[np.uint8], weight: Vector, main: Sequence[Vector], most: int
) -> list[CoarseColumn]:
    """Cut every column into at most so many bins of about the same weight.

    Parameters
    ----------
    binning : Binning
    codes : ndarray of uint8 of shape (columns, rows)
    weight : ndarray of shape (rows,)
    main : sequence of ndarray
        The shape of each column, which puts categories in order.
    most : int

    Returns
    -------
    columns : list of CoarseColumn
    """
    found = []
    for column, line, shape in zip(binning.columns, codes, main, strict=True):
        n = column.n_bins
        total = np.bincount(line, weight, column.width)[1 : n + 1]
        order = np.argsort(shape[1 : n + 1], kind="stable") if column.categorical else np.arange(n)
        place = _even(total[order], most)
        of_code = np.zeros(column.width, np.uint8)
        of_code[1 + order] = 1 + place
        n_coarse = int(place.max(initial=0)) + 2
        if column.categorical:
            of_code[-1] = n_coarse
            n_coarse += 1
        found.append(CoarseColumn(of_code, n_coarse))
    return found


def _even(total: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Put bins in a row into at most so many groups of about the same weight."""
    if len(total) <= most:
        return np.arange(len(total))
    middle = np.cumsum(total) - 0.5 * total
    share = np.floor(most * middle / max(float(total.sum()), 1e-300))
    place = np.minimum(share, most - 1).astype(np.int64)
    return np.unique(place, return_inverse=True)[1]


def rank_pairs(
    lines: NDArray[np.uint8],
    sizes: Sequence[int],
    g: Vector,
    h: Vector,
    weight: Vector,
    candidates: Sequence[Pair],
    least: float,
    workers: Workers,
) -> Vector:
    """Give each pair the gain of its best four cells, summed over the functions.

    Parameters
    ----------
    lines : ndarray of uint8 of shape (columns, rows)
        Coarse codes.
    sizes : sequence of int
        Bins of each column.
    g, h : ndarray of shape (functions, rows)
    weight : ndarray of shape (rows,)
    candidates : sequence of (int, int)
    least : float
        Weight of a cell.
    workers : Workers

    Returns
    -------
    gains : ndarray of shape (candidates,)
    """
    gains = np.zeros(len(candidates))
    op = engine_of(g).glass_box.pair_gain
    total = float(weight.sum())
    mean = [float(h[k].sum()) / total for k in range(len(g))]
    floor = [max(_NEARLY * least * each, _TINY) for each in mean]

    def work(place: int) -> None:
        stop_if_over()
        a, b = candidates[place]
        gains[place] = sum(
            op(lines[a], lines[b], sizes[a], sizes[b], g[k], h[k], floor[k]) for k in range(len(g))
        )

    workers.each(work, range(len(candidates)))
    return gains


def least_gain(n_pairs: int, n_functions: int) -> float:
    """Give what a pair has to gain to be worth a try.

    In units of the slopes' variance the gain of one cut is chi-squared where there is no
    interaction, and a pair has some thirty cuts that do not follow from each other. The largest
    of so many is about twice the logarithm of their number; half of that is asked for, since what
    is left after that is judged on the rows held out.
    """
    return float(np.log(_CUTS * n_pairs)) + n_functions - 1.0


def all_pairs(columns: Sequence[int]) -> list[Pair]:
    """List the pairs of columns."""
    return list(combinations(columns, 2))


def pair_codes(
    lines: NDArray[np.uint8], sizes: Sequence[int], pairs: Sequence[Pair]
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Give every row's cell of every pair, and the bins of both columns."""
    codes = np.empty((len(pairs), lines.shape[1]), np.uint16)
    for place, (a, b) in enumerate(pairs):
        np.multiply(lines[a], sizes[b], out=codes[place], dtype=np.uint16)
        codes[place] += lines[b]
    shape = np.array([(sizes[a], sizes[b]) for a, b in pairs], np.int64).reshape(-1, 2)
    return codes, shape


def coarse_lines(columns: Sequence[CoarseColumn], codes: Any) -> NDArray[np.uint8]:
    """Give the coarse codes of all columns."""
    lines = np.empty_like(codes)
    for column, line, out in zip(columns, codes, lines, strict=True):
        np.take(column.of_code, line, out=out)
    return lines

"""Splits in time: models learn from earlier rows and are judged on later ones.

The latest rows are the test rows. The others are cut into a first part and as many later ones as
there are folds: each fold learns from all parts before its own. Rows of one time stay together.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.evaluation.protocol import Split
from maxmargin.tables import InputError, Table
from maxmargin.tables.timeline import Timeline

Index = NDArray[np.intp]
LEAST = 3  # rows of each class in the first part, one for each fold of the tuning
_FAR = 0.02  # of the rows: by which ties may move a border without a word


def latest_rows(table: Table, share: float) -> Index:
    """Return the places of the test rows: about a share of all, the latest.

    Parameters
    ----------
    table : Table
        With a timeline.
    share : float

    Returns
    -------
    ndarray
    """
    timeline = _timeline_of(table)
    before = _rows_before(timeline.ranks)
    wanted = (1.0 - share) * len(timeline.ranks)
    border = 1 + int(np.argmin(np.abs(before[1:-1] - wanted)))
    test = timeline.ranks >= border
    if table.schema.classes:
        _refuse_new_classes(table, test, timeline.show(border))
    return np.flatnonzero(test)


def _timeline_of(table: Table) -> Timeline:
    assert table.timeline is not None
    return table.timeline


def _rows_before(ranks: Index) -> Index:
    """Count the rows before each time, and all of them at last."""
    return np.append(0, np.cumsum(np.bincount(ranks)))


def _refuse_new_classes(table: Table, test: NDArray[np.bool_], since: str) -> None:
    new = sorted({*table.target[test].tolist()} - {*table.target[~test].tolist()})
    if new:
        raise InputError(
            f"Class {str(new[0])!r} has rows only since {since}, when the test begins: give a"
            " smaller --test-size, or leave --time out."
        )


def forward_folds(table: Table, places: Index, folds: int) -> list[Split]:
    """Return folds that learn from the past of the rows they are judged on.

    Parameters
    ----------
    table : Table
        With a timeline.
    places : ndarray
        Which of its rows are split.
    folds : int

    Returns
    -------
    list of (train, validate)
        Positions in ``places``.
    """
    timeline = _timeline_of(table)
    times, ranks = np.unique(timeline.ranks[places], return_inverse=True)
    before = _rows_before(ranks)
    first = max(
        int(np.searchsorted(before, len(places) / (folds + 1))),
        _first_with_all_classes(table.target[places], ranks) if table.schema.classes else 1,
    )
    if first + folds > len(times):
        raise InputError(
            f"Column {timeline.name!r} has too few different times for {folds} folds, of which the"
            " first has to learn from enough rows of every class: give fewer --folds."
        )
    wanted = np.linspace(before[first], len(places), folds + 1)
    borders = np.searchsorted(before, wanted)
    steps = np.arange(folds + 1)
    borders = np.maximum.accumulate(borders - steps) + steps  # each fold has a time at least
    borders = np.minimum(borders, len(times) - folds + steps)
    return [
        (np.flatnonzero(ranks < start), np.flatnonzero((ranks >= start) & (ranks < end)))
        for start, end in pairwise(borders)
    ]


def _first_with_all_classes(target: NDArray[Any], ranks: Index) -> int:
    """Return the first border before which every class has rows for each inner fold."""
    borders = []
    for label in np.unique(target):
        own = np.sort(ranks[target == label])
        borders.append(int(own[min(LEAST, len(own)) - 1]) + 1)
    return max(borders)


def note_on_time(table: Table, test_rows: Index, share: float) -> str:
    """Say where the past ends.

    Parameters
    ----------
    table : Table
    test_rows : ndarray
    share : float
        That was wanted.

    Returns
    -------
    str
        Empty for a table without a timeline.
    """
    if table.timeline is None:
        return ""
    timeline, got = table.timeline, len(test_rows) / len(table.target)
    border = int(timeline.ranks[test_rows].min())
    ties = ""
    if abs(got - share) > _FAR:
        ties = (
            f" (they are {100 * got:.0f} % of the rows and not {100 * share:.0f} %, as rows of one"
            " time stay together)"
        )
    return (
        f"The test rows are the latest by {timeline.name!r}, from {timeline.show(border)} on{ties};"
        f" the last row learned from is of {timeline.show(border - 1)}, and each fold is judged on"
        " rows later than those it learned from."
    )

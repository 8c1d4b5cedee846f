"""Rows that look mislabelled: the folds that had not seen them are sure of something else.

A row's margin is the value of its class less that of the strongest other one: of two classes
t f(x), of probabilities their difference. Rows far below 0 are either mislabelled or hard; a person
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.evaluation import Fold
from maxmargin.job.metric import Judgement
from maxmargin.job.outcome import Suspect
from maxmargin.tables import Table

SHOWN = 10
EXCERPT = 60  # letters of a text

Vector = NDArray[np.float64]


def find_suspects(
    table: Table, folds: Sequence[Fold], judgements: Sequence[Judgement]
) -> tuple[Suspect, ...]:
    """List the rows of the worst margins, or of a quantity the predictions that are most wrong.

    Parameters
    ----------
    table : Table
    folds : sequence of Fold
        Of the winner, with places in the table.
    judgements : sequence of Judgement
        What it said there.

    Returns
    -------
    tuple of Suspect
        The worst first; of classes only rows that were predicted wrong.
    """
    doubts: list[tuple[float, int, object]] = []
    for fold, said in zip(folds, judgements, strict=True):
        margins = _margins(table, fold, said)
        doubts += [
            (float(margins[i]), int(place), said.predicted[i])
            for i, place in enumerate(fold.validate)
            if margins[i] < 0
        ]
    worst = sorted(doubts, key=lambda doubt: doubt[:2])[:SHOWN]
    return tuple(_suspect(table, *doubt) for doubt in worst)


def _margins(table: Table, fold: Fold, said: Judgement) -> Vector:
    truth = table.target[fold.validate]
    if table.schema.task == "regression":
        return -np.abs(said.predicted - truth)
    if fold.decision is None or fold.classes is None:
        return np.zeros(len(truth))
    margins = margins_of(fold.decision, truth, fold.classes, said.by_probability)
    return np.where(said.predicted == truth, 0.0, margins)


def margins_of(
    decision: Vector, truth: NDArray[Any], classes: NDArray[Any], by_probability: bool
) -> Vector:
    """Give the margins of rows.

    Parameters
    ----------
    decision : ndarray of shape (rows,) or (rows, classes)
        Decision values or probabilities; of two classes those of the second.
    truth : ndarray of shape (rows,)
    classes : ndarray
        In the order of the columns.
    by_probability : bool

    Returns
    -------
    ndarray of shape (rows,)

    Examples
    --------
    >>> margins_of(np.array([0.9, -2.0]), np.array([1, 1]), np.array([0, 1]), False).tolist()
    [0.9, -2.0]
    """
    if decision.ndim == 1:
        value = 2.0 * decision - 1.0 if by_probability else decision
        return np.where(truth == classes[1], value, -value)
    own = truth[:, None] == classes[None, :]
    known = own.any(axis=1)  # a class that the fold's training rows lack has no value
    given = np.where(own, decision, -np.inf).max(axis=1)
    other = np.where(own, -np.inf, decision).max(axis=1)
    return np.where(known, given - other, 0.0)


def _suspect(table: Table, margin: float, place: int, predicted: object) -> Suspect:
    given = table.target[place]
    off = -margin if table.schema.task == "regression" else margin
    return Suspect(
        int(table.rows[place]) + 1, _plain(given), _plain(predicted), off, row_id(table, place)
    )


def _plain(label: object) -> object:
    return label.item() if isinstance(label, np.generic) else label


def row_id(table: Table, place: int) -> str:
    """Name a row by its id columns, or else by how its text begins; nothing where it has neither.

    Parameters
    ----------
    table : Table
    place : int
        In the table.

    Returns
    -------
    str
    """
    if table.ids is not None:
        return ", ".join(str(value) for value in table.ids.row(place))
    if not table.texts:
        return ""
    text = table.features[table.texts[0]][place] or ""
    return shorten(text[: 4 * EXCERPT], EXCERPT, placeholder="…")

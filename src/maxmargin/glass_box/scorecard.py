"""A glass box as a table of whole points that one can add up by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from maxmargin.losses import Loss
from maxmargin.losses.choice import named
from maxmargin.losses.probability import class_probabilities


@dataclass(frozen=True)
class ScoreLine:
    """The points of one bin, or of bins in a row that have the same.

    Parameters
    ----------
    term : str
    bins : str
        What the bins are called; of pairs, both columns' bins.
    points : int
    """

    term: str
    bins: str
    points: int


@dataclass(frozen=True)
class Scorecard:
    """Whole points by term and bin, and what their sum means.

    Parameters
    ----------
    base : int
        What every row begins with.
    lines : tuple of ScoreLine
    factor : float
        Points of a unit of the decision function.
    constant : float
        Decision function where the points are 0.

    Examples
    --------
    >>> card = Scorecard(40, (ScoreLine("age", "up to 30", 0),), 28.85, -1.5)
    >>> print(card)
    base                                                            40
    age                       up to 30                               0
    """

    base: int
    lines: tuple[ScoreLine, ...]
    factor: float
    constant: float
    _points: tuple[NDArray[np.int64], ...] = ()
    _terms: tuple[Any, ...] = ()
    _loss: Loss | None = None  # of classes

    def __str__(self) -> str:
        rows = [f"{'base':26s}{'':30s}{self.base:10d}"]
        rows += [f"{a.term:25.25s} {a.bins:29.29s} {a.points:10d}" for a in self.lines]
        return "\n".join(rows)

    def decision(self, points: Any) -> NDArray[np.float64]:
        """Give the decision function that a sum of points stands for, up to rounding.

        Parameters
        ----------
        points : array-like of int

        Returns
        -------
        values : ndarray
        """
        return self.constant + np.asarray(points, dtype=np.float64) / self.factor

    def probability(self, points: Any) -> NDArray[np.float64]:
        """Give the probability of the second class that a sum of points stands for.

        Parameters
        ----------
        points : array-like of int

        Returns
        -------
        p : ndarray
            As ``predict_proba`` of the model has it, up to rounding.
        """
        if self._loss is None:
            raise ValueError("The points of a quantity have no probability; use decision.")
        values = self.decision(points)
        p: NDArray[np.float64] = class_probabilities(self._loss, values.ravel())[:, 1]
        return p.reshape(values.shape)

    def add_up(self, codes: Any) -> NDArray[np.int64]:
        """Add up the points of rows, from the codes of their columns.

        Parameters
        ----------
        codes : ndarray of shape (columns, rows)

        Returns
        -------
        points : ndarray of int of shape (rows,)
        """
        total = np.full(codes.shape[1], self.base, np.int64)
        for term, points in zip(self._terms, self._points, strict=True):
            total += points[term.bins(codes)]
        return total


def scorecard(model: Any, points: float) -> Scorecard:
    """Round the terms of a fitted model of one function to whole points.

    Parameters
    ----------
    model : GlassBoxClassifier or GlassBoxRegressor
    points : float
        That a unit of the decision function is worth.

    Returns
    -------
    card : Scorecard
        The fewest points of each term are 0.
    """
    lines: list[ScoreLine] = []
    rounded, lowest = [], 0
    for term in model._terms:
        whole = np.rint(points * term.values[0]).astype(np.int64)
        least = int(whole[term.weight > 0].min())
        lowest += least
        rounded.append((whole - least).ravel())
        lines += _lines(term.name, model._view(term).bins, term.weight, whole - least)
    base = round(points * float(model.constants_[0])) + lowest
    loss = named(model.loss) if is_classifier(model) else None
    whole_terms = tuple(rounded), tuple(model._terms)
    return Scorecard(base, tuple(lines), float(points), 0.0, *whole_terms, loss)


def _lines(name: str, bins: Any, weight: Any, points: Any) -> list[ScoreLine]:
    """List the bins that training rows are in, those in a row with the same points together."""
    found: list[list[Any]] = []
    for place in np.argwhere(weight > 0):
        said = [of[k] for of, k in zip(bins, place, strict=True)]
        value = int(points[tuple(place)])
        before = found[-1] if found else None
        if before is not None and before[2] == value and before[0][:-1] == said[:-1]:
            before[1] = said[-1]
        else:
            found.append([said, said[-1], value])
    return [ScoreLine(name, _range(first, last), value) for first, last, value in found]


def _range(first: list[str], last: str) -> str:
    said = first[-1] if first[-1] == last else _joined(first[-1], last)
    return "; ".join([*first[:-1], said])


def _joined(first: str, last: str) -> str:
    """Name bins from the first to the last.

    Examples
    --------
    >>> _joined("up to 3", "5 to 7"), _joined("1 to 2", "above 9"), _joined("a", "c")
    ('up to 7', 'above 1', 'a ... c')
    """
    low, high = first.split(" to ", maxsplit=1)[0], last.rsplit(" to ", maxsplit=1)[-1]
    if first.startswith("up to ") and " to " in last:
        return f"up to {high}"
    if " to " in first and last.startswith("above "):
        return f"above {low}" if not first.startswith("up to ") else "any"
    return f"{low} to {high}" if " to " in first and " to " in last else f"{first} ... {last}"

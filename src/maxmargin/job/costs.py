"""What mistakes cost, and from which probability on naming the positive class is cheapest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.tables import InputError

Vector = NDArray[np.float64]
KINDS = ("missed", "false")
_EQUAL = 1e-12


@dataclass(frozen=True)
class Costs:
    """What a missed row of the positive class costs, and what a false alarm.

    Parameters
    ----------
    missed, false : float
        Positive.

    Examples
    --------
    >>> Costs.read("missed=10,false=1")
    Costs(missed=10.0, false=1.0)
    """

    missed: float
    false: float

    @classmethod
    def read(cls, text: str) -> Self:
        """Read ``missed=10,false=1``; one that is not named costs 1.

        Parameters
        ----------
        text : str

        Returns
        -------
        Costs
        """
        given: dict[str, float] = {}
        for part in text.split(","):
            name, _, value = (word.strip() for word in part.partition("="))
            if name not in KINDS or name in given:
                raise InputError(
                    f"--cost names what mistakes cost, as missed=10,false=1, and not {text!r}."
                )
            given[name] = _price(name, value)
        return cls(**{**dict.fromkeys(KINDS, 1.0), **given})

    def of(self, positive: NDArray[np.bool_], named: NDArray[np.bool_]) -> float:
        """Compute the mean cost of a row.

        Parameters
        ----------
        positive : ndarray of bool
            Whether rows are of the positive class.
        named : ndarray of bool
            Whether they were said to be.

        Returns
        -------
        float

        Examples
        --------
        >>> Costs(10.0, 1.0).of(np.array([True, False]), np.array([False, True]))
        5.5
        """
        missed, false = positive & ~named, ~positive & named
        return float(self.missed * missed.mean() + self.false * false.mean())

    @property
    def fair(self) -> float:
        """The probability from which on naming is cheaper, if probabilities are right."""
        return self.false / (self.missed + self.false)


def _price(name: str, value: str) -> float:
    try:
        price = float(value)
    except ValueError:
        price = math.nan
    if not (math.isfinite(price) and price > 0.0):
        raise InputError(f"--cost {name} is a number above 0, and not {value!r}.")
    return price


@dataclass(frozen=True)
class CostCurve:
    """The mean cost of a row for every threshold that tells rows apart.

    Parameters
    ----------
    thresholds, costs : ndarray
        Rows of at least a threshold's probability are named positive; thresholds ascend.
    """

    thresholds: Vector
    costs: Vector

    @classmethod
    def of(cls, positive: NDArray[np.bool_], probability: Vector, costs: Costs) -> Self:
        """Compute the cost at every cut between two probabilities.

        Parameters
        ----------
        positive : ndarray of bool
        probability : ndarray
            Of the positive class.
        costs : Costs

        Returns
        -------
        CostCurve

        Examples
        --------
        >>> truth, p = np.array([False, True, True]), np.array([0.125, 0.375, 0.875])
        >>> curve = CostCurve.of(truth, p, Costs(3.0, 1.0))
        >>> curve.thresholds.tolist(), curve.costs.tolist()
        ([0.0, 0.25, 0.625, 1.0], [0.3333333333333333, 0.0, 1.0, 2.0])
        """
        levels, place = np.unique(probability, return_inverse=True)
        missed = np.append(0, np.cumsum(np.bincount(place, positive, len(levels))))
        quiet = np.append(0, np.cumsum(np.bincount(place, ~positive, len(levels))))
        total = costs.missed * missed + costs.false * (quiet[-1] - quiet)
        middles = (levels[:-1] + levels[1:]) / 2
        return cls(np.concatenate([[0.0], middles, [1.0]]), total / len(probability))

    def cheapest(self, fair: float) -> float:
        """Return the cheapest threshold; of equally cheap ones the one next to a fair one.

        Parameters
        ----------
        fair : float

        Returns
        -------
        float
        """
        cheap = self.thresholds[self.costs <= self.costs.min() + _EQUAL]
        return float(cheap[np.argmin(np.abs(cheap - fair))])


def choose_cheapest(
    positive: NDArray[np.bool_], probability: Vector, costs: Costs
) -> tuple[float, CostCurve]:
    """Choose the threshold: the fair one, unless another is cheaper by more than chance.

    The least of a curve of few rows is a matter of chance, and the fair threshold is the right one
    where probabilities are; another has to be cheaper by more than two standard errors.

    Parameters
    ----------
    positive : ndarray of bool
    probability : ndarray
        Of the positive class, of rows that the models had not seen.
    costs : Costs

    Returns
    -------
    threshold : float
    curve : CostCurve

    Examples
    --------
    >>> truth, p = np.array([False, True, True]), np.array([0.125, 0.375, 0.875])
    >>> choose_cheapest(truth, p, Costs(3.0, 1.0))[0]
    0.25
    """
    curve = CostCurve.of(positive, probability, costs)
    best, prices = curve.cheapest(costs.fair), np.where(positive, costs.missed, costs.false)
    dear, cheap = (prices * ((probability >= at) != positive) for at in (costs.fair, best))
    saved = dear - cheap
    error = float(saved.std()) / math.sqrt(len(saved))
    return (best if saved.mean() > 2.0 * error else costs.fair), curve


@dataclass(frozen=True)
class CostResult:
    """The operating point that costs chose, and what it costs on the test rows.

    Parameters
    ----------
    costs : Costs
    label : object
        The positive class.
    threshold : float
        Rows of at least this probability of it are named so.
    curve : CostCurve
        On the folds, by which it was chosen.
    test : float
        Mean cost of a test row.
    usual : float
        The same if the model's own decision were kept.
    constant : float
        The same of the cheaper one of naming every row and none.
    missed, false : int
        Test rows that were missed, and false alarms.
    """

    costs: Costs
    label: Any
    threshold: float
    curve: CostCurve
    test: float
    usual: float
    constant: float
    missed: int
    false: int

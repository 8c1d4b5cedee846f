"""The absolute test set: rows that nothing sees but the looks that are counted.

A test score is honest once: to look, change something and look again is to validate
on the test rows. The vault cannot forbid a second look, but it shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from maxmargin.evaluation.interval import Interval, check_share
from maxmargin.evaluation.protocol import hold_out
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.evaluation.score_interval import own_scoring, score_interval
from maxmargin.inputs.parameters import check_number

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Look:
    """One opening of the vault.

    Attributes
    ----------
    number : int
        The first one is 1.
    reason : str
        The reason given for the look.
    model : str
        The model that was evaluated; empty if the rows themselves were returned.
    scoring : str
    result : Interval or None
        The score on the test rows.

    Examples
    --------
    >>> print(Look(2, "after a change of C", "SVC", "accuracy",
    ...            Interval(0.9, 0.8, 0.95, method="Wilson")))
    look 2 (not the first: the test rows are no longer unseen), after a change of C:
    SVC, accuracy 0.900 (95 % interval 0.800 to 0.950, Wilson)
    """

    number: int
    reason: str
    model: str = ""
    scoring: str = ""
    result: Interval | None = None

    @property
    def first(self) -> bool:
        """Whether this is the first look."""
        return self.number == 1

    def __str__(self) -> str:
        again = "" if self.first else " (not the first: the test rows are no longer unseen)"
        reason = f", {self.reason}" if self.reason else ""
        found = "the rows were given out"
        if self.result is not None:
            found = f"{self.model}, {self.scoring} {self.result}"
        return f"look {self.number}{again}{reason}: {found}"


class TestVault:
    """Keep the test rows locked away, and count every look at them.

    Parameters
    ----------
    X, y
        Rows in any container, and targets; rows are selected by position.
    test_size : float or int, default=0.25
        The share of test rows, or their number; with ``groups``, of groups.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group stay together.
    sample_weight : array-like of shape (n_samples,), default=None
    stratify : bool, default=None
        Keep the proportions of the classes; None means: if y holds classes and no groups are given.
    pairwise : bool, default=False
        Whether X is a kernel matrix, whose columns are split too.
    random_state : int, RandomState or None, default=None
        Seed for the split.
    held : array-like of int, default=None
        Indices of the test rows, such as the latest; by default they are random.

    Attributes
    ----------
    X, y, groups, sample_weight
        The other rows, for free use.
    rows : ndarray
        Their indices in the data.
    test_rows : ndarray
        The indices of the test rows.
    looks : tuple of Look
        Every look so far.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> vault = TestVault(*load_mixture(return_X_y=True), random_state=0)
    >>> vault
    TestVault(50 of 200 rows, never opened)
    >>> look = vault.score(SVC(gamma=1.0).fit(vault.X, vault.y), reason="the final model")
    >>> look.first, vault
    (True, TestVault(50 of 200 rows, opened once))
    """

    __test__ = False  # its name looks like a test class to pytest

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        test_size: float = 0.25,
        groups: Any = None,
        sample_weight: Any = None,
        stratify: bool | None = None,
        pairwise: bool = False,
        random_state: Any = None,
        held: Any = None,
    ) -> None:
        if isinstance(test_size, Integral):
            check_number("TestVault", "test_size", test_size, 1, whole=True)
        else:
            check_share("TestVault", "test_size", test_size)
        everything = EvaluationRows.of(X, y, groups, sample_weight)
        if stratify is None:
            stratify = type_of_target(everything.y) in ("binary", "multiclass")
        if held is None:
            how: Any = {"classify": stratify, "random_state": random_state}
            kept, places = hold_out(everything, test_size, **how)
        else:
            places = np.unique(np.asarray(held, dtype=np.intp))
            kept = np.setdiff1d(np.arange(len(everything)), places)
        self._open, self._shut = everything.part(kept, places, pairwise)
        self._looks: list[Look] = []

    @property
    def X(self) -> Any:  # noqa: N802
        """The rows to work with."""
        return self._open.X

    @property
    def y(self) -> NDArray[Any]:
        """What to predict of them."""
        return self._open.y

    @property
    def groups(self) -> NDArray[Any] | None:
        """Their groups."""
        return self._open.groups

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """Their weights."""
        return self._open.weight

    @property
    def rows(self) -> Index:
        """Their places in the data."""
        return self._open.index

    @property
    def test_rows(self) -> Index:
        """The places of the rows that are kept."""
        return self._shut.index

    @property
    def looks(self) -> tuple[Look, ...]:
        """Every look so far."""
        return tuple(self._looks)

    def score(
        self,
        model: Any,
        *,
        scoring: Any = None,
        name: str = "",
        reason: str = "",
        level: float = 0.95,
    ) -> Look:
        """Judge a fitted model on the test rows; this is a look.

        Parameters
        ----------
        model : estimator
            Fitted to the other rows.
        scoring : str or scorer, default=None
            As in scikit-learn; None for accuracy, or R^2 of a regressor.
        name : str, default=""
            What the model is called; its class where nothing is said.
        reason : str, default=""
            What the look is for.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        Look
        """
        facts = {"scoring": scoring, "sample_weight": self._shut.weight, "level": level}
        result = score_interval(model, self._shut.X, self._shut.y, **facts)
        return self._note(reason, name or type(model).__name__, _shown(model, scoring), result)

    def open(self, reason: str) -> tuple[Any, NDArray[Any]]:
        """Return the test rows; this counts as a look.

        Parameters
        ----------
        reason : str
            What they are wanted for.

        Returns
        -------
        X, y
            The test rows.
        """
        self._note(reason)
        return self._shut.X, self._shut.y

    def _note(self, reason: str, *facts: Any) -> Look:
        look = Look(len(self._looks) + 1, reason, *facts)
        self._looks.append(look)
        return look

    def __repr__(self) -> str:
        count = len(self._looks)
        opened = {0: "never opened", 1: "opened once"}.get(count, f"opened {count} times")
        total = len(self._open) + len(self._shut)
        return f"TestVault({len(self._shut)} of {total} rows, {opened})"


def _shown(model: Any, scoring: Any) -> str:
    wanted = own_scoring(model) if scoring is None else scoring
    return wanted if isinstance(wanted, str) else getattr(wanted, "__name__", repr(wanted))

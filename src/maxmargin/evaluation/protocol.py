"""Who is trained on which rows and judged on which: protocols as names, numbers or splitters.

    5                     five folds: stratified for classes, of whole groups where groups are given
    "kfold", "stratified", "grouped", "loo", "5x2"        the classic ones by name
    "70/10/20", "50/25/25"                 training / validation / test rows, in per cent
    "1/1/1", "1/3", "8/1/1"                the same in parts: "1/3" is a third for each
    any splitter of scikit-learn, or pairs of row numbers

Folds are shuffled by ``random_state``. Groups are never parted, whatever the name: with them,
"loo" leaves out one group at a time. The splitting itself is scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    train_test_split,
)
from sklearn.utils import check_random_state

from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.inputs.parameters import ParameterError

Index = NDArray[np.intp]
Split = tuple[Index, Index]

NAMES = ("kfold", "stratified", "grouped", "loo", "5x2")
RATIOS = ("1/1/1", "70/10/20", "50/25/25", "80/10/10")
"""Usual shares of training, validation and test rows; the first two are the lectures'."""

_FOLDS = 5
_LARGEST_PART = 10.0  # numbers up to this one that do not sum to 100 are parts, such as 7/1/2
_DIGITS = 9  # of a row's share; what lies behind them is rounding


@dataclass(frozen=True)
class Ratio:
    """Shares of training, validation and test rows.

    Attributes
    ----------
    train, validation, test : float
        They sum to 1; ``test`` may be 0.

    Examples
    --------
    >>> Ratio.of("50/25/25")
    Ratio(train=0.5, validation=0.25, test=0.25)
    """

    train: float
    validation: float
    test: float

    def __post_init__(self) -> None:
        shares = (self.train, self.validation, self.test)
        positive = self.train > 0 and self.validation > 0 and self.test >= 0
        if not (positive and abs(sum(shares) - 1) <= 1e-9):
            raise ParameterError(
                f"Shares of training, validation and test rows must be positive and sum to 1, got"
                f" {shares}."
            )

    @classmethod
    def of(cls, text: str) -> Self:
        """Read shares in per cent, such as "70/10/20", or in parts, such as "1/1/1" or "1/3".

        Parameters
        ----------
        text : str

        Returns
        -------
        Ratio
        """
        given = "1/1/1" if text.replace(" ", "") == "1/3" else text
        try:
            train, validation, test = (float(part) for part in given.split("/"))
        except ValueError:
            raise ParameterError(
                f"The protocol {text!r} is unknown; use a number of folds, one of"
                f" {', '.join(NAMES)}, shares such as {' or '.join(RATIOS)}, or a splitter."
            ) from None
        total = train + validation + test
        in_parts = 0 < total != 100 and max(train, validation, test) <= _LARGEST_PART
        whole = total if in_parts else 100.0
        return cls(train / whole, validation / whole, test / whole)

    def counts(self, n: int) -> tuple[int, int, int]:
        """Divide n rows: everyone's whole share, and what is left to the largest remainders.

        Each part that is wanted has at least one row.

        Parameters
        ----------
        n : int
            The number of rows, or of groups.

        Returns
        -------
        train, validation, test : int

        Examples
        --------
        >>> Ratio.of("70/10/20").counts(100), Ratio.of("1/3").counts(100)
        ((70, 10, 20), (34, 33, 33))
        """
        shares = np.array([self.train, self.validation, self.test])
        wanted = shares > 0
        if n < wanted.sum():
            raise ValueError(f"{n} rows are too few for {wanted.sum()} parts; give more rows.")
        exact = np.round(shares * n, _DIGITS)
        found = np.floor(exact).astype(int)
        left = np.argsort(found - exact, kind="stable")  # of equal remainders the first part's
        found[left[: n - int(found.sum())]] += 1
        while (found[wanted] == 0).any():
            found[found.argmax()] -= 1
            found[np.flatnonzero(wanted & (found == 0))[0]] += 1
        train, validation, test = found.tolist()
        return train, validation, test


def count_units(rows: EvaluationRows) -> int:
    """Count what is never parted: the rows, or their groups."""
    return len(rows) if rows.groups is None else len(np.unique(rows.groups))


def hold_out(
    rows: EvaluationRows, share: float, *, classify: bool, random_state: Any = None
) -> tuple[Index, Index]:
    """Part rows in two, classes in proportion and groups whole; the second has the share.

    A whole number is no share but the number of rows, or of groups.
    """
    numbers, random = np.arange(len(rows)), check_random_state(random_state)
    if rows.groups is not None:
        splitter = GroupShuffleSplit(1, test_size=share, random_state=random)
        kept, held = next(splitter.split(numbers, rows.y, rows.groups))
    else:
        stratify = rows.y if classify else None
        kept, held = train_test_split(
            numbers, test_size=share, stratify=stratify, random_state=random
        )
    return np.sort(kept), np.sort(held)


def splits(
    protocol: Any, rows: EvaluationRows, *, classify: bool, random_state: Any = None
) -> list[Split]:
    """List the training and validation rows of every fold."""
    random = check_random_state(random_state)
    if isinstance(protocol, Ratio):
        both = protocol.train + protocol.validation
        of_two = Ratio(protocol.train / both, protocol.validation / both, 0.0)
        _, count, _ = of_two.counts(count_units(rows))
        return [hold_out(rows, count, classify=classify, random_state=random)]
    if isinstance(protocol, str):
        return _by_name(protocol, rows, classify, random)
    if isinstance(protocol, Integral) and not isinstance(protocol, bool):
        return _split(_folds(int(protocol), rows, classify, random), rows)
    if hasattr(protocol, "split"):
        return _split(protocol, rows)
    return _given(protocol, rows)


def _by_name(name: str, rows: EvaluationRows, classify: bool, random: Any) -> list[Split]:
    grouped = rows.groups is not None
    if name == "loo":
        return _split(LeaveOneGroupOut() if grouped else LeaveOneOut(), rows)
    if name == "5x2":
        halves = [_split(_folds(2, rows, classify, random), rows) for _ in range(5)]
        return [half for pair in halves for half in pair]
    if name == "grouped" and not grouped:
        raise ValueError("The protocol 'grouped' needs groups, one for each row.")
    if name in NAMES:
        stratify = classify and name != "kfold"
        return _split(_folds(_FOLDS, rows, stratify, random), rows)
    return splits(Ratio.of(name), rows, classify=classify, random_state=random)


def _folds(k: int, rows: EvaluationRows, stratify: bool, random: Any) -> Any:
    grouped = rows.groups is not None
    kinds = {
        (True, True): StratifiedGroupKFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (False, False): KFold,
    }
    seed = int(random.randint(2**31 - 1))
    return kinds[stratify, grouped](n_splits=k, shuffle=True, random_state=seed)


def _split(splitter: Any, rows: EvaluationRows) -> list[Split]:
    numbers = np.arange(len(rows)).reshape(-1, 1)
    return list(splitter.split(numbers, rows.y, rows.groups))


def _given(pairs: Iterable[Any], rows: EvaluationRows) -> list[Split]:
    try:
        found = [(_numbers(train, rows), _numbers(other, rows)) for train, other in pairs]
    except TypeError:
        raise ParameterError(
            f"The protocol {pairs!r} is no number of folds, name, splitter or list of pairs of row"
            " numbers."
        ) from None
    for fold, (train, other) in enumerate(found):
        if np.intersect1d(train, other).size:
            raise ValueError(f"Fold {fold} is trained and judged on the same rows.")
    return found


def _numbers(part: Any, rows: EvaluationRows) -> Index:
    numbers = np.asarray(part)
    return np.flatnonzero(numbers) if numbers.dtype == bool else np.arange(len(rows))[numbers]

"""Parameters, checked, and what they ask of columns and pairs as numbers of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.glass_box.bins import MOST
from maxmargin.inputs.parameters import (
    ParameterError,
    check_choice,
    check_flag,
    check_number,
    check_shared,
)
from maxmargin.inputs.warning import warn_user

Pair = tuple[int, int]


def check_parameters(model: Any) -> None:
    """Raise for parameters of a glass box that are out of range."""
    owner = type(model).__name__
    check_shared(model)
    check_number(owner, "n_estimators", model.n_estimators, 1, whole=True)
    check_number(owner, "learning_rate", model.learning_rate, 0.0, above=True)
    check_number(owner, "tol", model.tol, 0.0)
    check_flag(owner, "warm_start", model.warm_start)
    if model.n_iter_no_change is not None:
        check_number(owner, "n_iter_no_change", model.n_iter_no_change, 1, whole=True)
    if not (isinstance(model.n_bags, str) and model.n_bags == "auto"):
        check_number(owner, "n_bags", model.n_bags, 1, whole=True)
    for name, low in (("max_bins", 2), ("max_pair_bins", 2), ("sharpness", 0)):
        check_number(owner, name, getattr(model, name), low, whole=True)
    for name, high in (("max_bins", MOST), ("max_pair_bins", 64), ("sharpness", 32)):
        if getattr(model, name) > high:
            raise ParameterError(
                f"The {name!r} parameter of {owner} must be at most {high}. Got "
                f"{getattr(model, name)!r} instead."
            )
    check_number(owner, "min_weight_leaf", model.min_weight_leaf, 0.0)
    if model.refit is not None:
        check_choice(owner, "refit", model.refit, ("optimal",), "or None")
    check_number(owner, "ridge", model.ridge, 0.0, above=True)
    if model.refit is not None and model.monotone is not None:
        raise ParameterError(
            f"refit='optimal' of {owner} knows no directions; leave out monotone or refit."
        )
    check_pairs(owner, model.pairs)
    check_exclude(owner, model.exclude)
    check_monotone(owner, model.monotone)


def check_pairs(owner: str, pairs: Any) -> None:
    """Refuse what cannot be pairs, whatever the columns are."""
    if pairs is None or (isinstance(pairs, str) and pairs in ("auto", "none")):
        return
    if isinstance(pairs, Integral) and not isinstance(pairs, bool) and int(pairs) >= 0:
        return
    listed = isinstance(pairs, list | tuple) and all(_is_pair(each) for each in pairs)
    if not listed:
        raise ParameterError(
            f"The 'pairs' parameter of {owner} must be 'auto', 'none', a number of at least 0 or a "
            f"list of pairs of columns. Got {pairs!r} instead."
        )


def check_exclude(owner: str, exclude: Any) -> None:
    """Refuse what cannot be a list of columns and pairs."""
    if exclude is None:
        return
    if not isinstance(exclude, list | tuple) or not all(
        _is_column(each) or _is_pair(each) for each in exclude
    ):
        raise ParameterError(
            f"The 'exclude' parameter of {owner} must be None or a list of columns and of pairs of "
            f"columns. Got {exclude!r} instead."
        )


def check_monotone(owner: str, monotone: Any) -> None:
    """Refuse what cannot be directions of columns."""
    if monotone is None:
        return
    given = monotone.values() if isinstance(monotone, Mapping) else monotone
    right = isinstance(monotone, Mapping | list | tuple) and all(
        isinstance(each, Integral) and each in (-1, 0, 1) for each in given
    )
    if not right:
        raise ParameterError(
            f"The 'monotone' parameter of {owner} must be None, a dict of -1, 0 or 1 by column, or "
            f"a list of these. Got {monotone!r} instead."
        )


def _is_column(value: Any) -> bool:
    return isinstance(value, str | Integral) and not isinstance(value, bool)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_column, value))


class ColumnNames:
    """The columns of a table, found by name or number.

    Parameters
    ----------
    names : sequence of str or None
        Of a DataFrame.
    n_columns : int
    """

    def __init__(self, names: Sequence[str] | None, n_columns: int) -> None:
        self._known = None if names is None else [str(name) for name in names]
        self.n_columns = n_columns

    def __getitem__(self, j: int) -> str:
        return f"x{j}" if self._known is None else self._known[j]

    def find(self, column: Any, parameter: str) -> int:
        """Give the number of a column."""
        if isinstance(column, str):
            names = [self[j] for j in range(self.n_columns)]
            if column in names:
                return names.index(column)
            raise ParameterError(
                f"{parameter} names a column {column!r} that is not there; X has {_few(names)}."
            )
        if 0 <= int(column) < self.n_columns:
            return int(column)
        raise ParameterError(
            f"{parameter} names column {column}, which is not there; X has columns 0 to "
            f"{self.n_columns - 1}."
        )

    def pair(self, pair: Any, parameter: str) -> Pair:
        """Give the numbers of a pair, the smaller one first."""
        a, b = sorted(self.find(column, parameter) for column in pair)
        if a == b:
            raise ParameterError(
                f"{parameter} has a pair of the column {self[a]!r} with itself; name two columns."
            )
        return a, b


def _few(names: Sequence[str]) -> str:
    listed = ", ".join(map(repr, names[:10]))
    return listed if len(names) <= 10 else f"{listed} and {len(names) - 10} more"


def directions(
    monotone: Any, columns: ColumnNames, categorical: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Give 1, -1 or 0 for every column."""
    found = np.zeros(columns.n_columns, np.int64)
    if monotone is None:
        return found
    if not isinstance(monotone, Mapping):
        if len(monotone) != columns.n_columns:
            raise ParameterError(
                f"monotone has {len(monotone)} entries and X has {columns.n_columns} columns; give "
                "one for each column, or a dict."
            )
        monotone = dict(enumerate(monotone))
    for column, sign in monotone.items():
        found[columns.find(column, "monotone")] = sign
    wrong = np.flatnonzero((found != 0) & categorical)
    if len(wrong):
        raise ParameterError(
            f"monotone asks for the column {columns[int(wrong[0])]!r}, which is categorical and "
            "has no order; give it as numbers, or leave it out of monotone."
        )
    return found


def left_out(exclude: Any, columns: ColumnNames) -> tuple[set[int], set[Pair]]:
    """Give the columns and the pairs that no term may have."""
    listed = exclude or ()
    single = {columns.find(each, "exclude") for each in listed if _is_column(each)}
    double = {columns.pair(each, "exclude") for each in listed if not _is_column(each)}
    if len(single) == columns.n_columns:
        raise ParameterError("exclude leaves no column to learn from; leave one in.")
    return single, double


def wanted_pairs(
    pairs: Any, columns: ColumnNames, possible: list[Pair], n_functions: int
) -> tuple[list[Pair], int]:
    """Give the pairs to choose from, and how many of them to choose."""
    if pairs is None or (isinstance(pairs, str) and pairs == "none"):
        return [], 0
    if isinstance(pairs, list | tuple):
        listed = list(dict.fromkeys(columns.pair(each, "pairs") for each in pairs))
        allowed = set(possible)
        for a, b in listed:
            if (a, b) not in allowed:
                raise ParameterError(
                    f"pairs asks for {columns[a]!r} with {columns[b]!r}, which exclude leaves out "
                    "or of which one has a single value."
                )
        return listed, len(listed)
    if isinstance(pairs, str):
        return possible, min(len(possible), auto_pairs(columns.n_columns, n_functions))
    if pairs > len(possible):
        warn_user(f"pairs={pairs} asks for more pairs than the {len(possible)} that there are.")
    return possible, min(int(pairs), len(possible))


def auto_pairs(n_columns: int, n_functions: int) -> int:
    """Give the number of pairs for ``pairs="auto"``: fewer where each is learnt several times."""
    return 3 * n_columns if n_functions == 1 else n_columns

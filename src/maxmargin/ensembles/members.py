"""Members of ensembles: the sequence, made when asked for, and copies of a member with seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.container import listed


class MemberSequence:
    """``len(model)``, ``model[i]`` and ``for member in model`` of a fitted ensemble.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    >>> len(model), [stump.feature_ for stump in model]
    (3, [0, 0, 1])
    """

    estimators_: Sequence[Any]

    def __len__(self) -> int:
        """Return the number of members."""
        check_is_fitted(self)
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        """Return a member by its number from 0, or several by a slice."""
        check_is_fitted(self)
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        """Go through the members in their order."""
        check_is_fitted(self)
        return iter(self.estimators_)


class LazyMembers(Sequence[Any]):
    """Members that are made when they are asked for, from what an ensemble has stored.

    To be read as a list: what is taken out or put together is one.

    Parameters
    ----------
    make : callable
        Makes the member of a number.
    count : int

    Examples
    --------
    >>> members = LazyMembers(str, 3)
    >>> members[-1], members[:2], len(members)
    ('2', ['0', '1'], 3)
    """

    __plain__ = ("_make", "_count")

    def __init__(self, make: Callable[[int], Any], count: int) -> None:
        self._make, self._count = make, count
        self.__restored__()

    def __restored__(self) -> None:
        """Begin with no member made."""
        self._made: dict[int, Any] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number = range(len(self))[index]
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def __add__(self, others: Sequence[Any]) -> list[Any]:
        return [*self, *others]

    def __radd__(self, others: Sequence[Any]) -> list[Any]:
        return [*others, *self]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]  # as lists have none

    def __repr__(self) -> str:
        return repr([*self])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": {}}


def seeded_copy(estimator: Any, random_state: Any) -> Any:
    """Clone an estimator and give it seeds, drawn in the order in which scikit-learn does."""
    member = clone(estimator)
    names = sorted(n for n in member.get_params(deep=True) if n.split("__")[-1] == "random_state")
    highest = np.iinfo(np.int32).max
    return member.set_params(**{name: random_state.randint(highest) for name in names})


def by_place(estimator: Any, names: Any) -> Any:
    """Return a copy of an estimator whose kernel refers to columns by index, not by name.

    Members are given rows without names; these are those of the columns, None where there are none.
    """
    if names is None or not hasattr(estimator, "get_params"):
        return estimator
    known, places = list(names), {}
    for key, value in estimator.get_params().items():
        named = [value] if isinstance(value, str) else value
        if not (key.startswith("kernel__") and key.endswith("columns") and isinstance(named, list)):
            continue
        absent = [name for name in named if isinstance(name, str) and name not in known]
        if absent:
            raise ValueError(f"X has no column {absent[0]!r}; it has {listed(known)}.")
        places[key] = [known.index(name) if isinstance(name, str) else name for name in named]
    return clone(estimator).set_params(**places) if places else estimator


def refuse_items(ensemble: Any, X: Any) -> None:
    """Raise for a list of items: an ensemble draws and stores rows of a table."""
    items = isinstance(X, list | tuple | np.ndarray) or hasattr(X, "to_list")
    if items and np.ndim(X[:1]) == 1 and isinstance(next(iter(X), None), str | bytes):
        raise ValueError(
            f"{type(ensemble).__name__} takes tables, and X is a list of items: make them a column "
            "of a DataFrame, which kernel.restrict('name') picks."
        )


def own_copy(random_state: np.random.RandomState) -> np.random.RandomState:
    """Copy what random numbers are drawn from; a general copy of the usual one takes long."""
    state = random_state.get_state(legacy=False)
    if type(random_state) is not np.random.RandomState or state["bit_generator"] != "MT19937":
        return deepcopy(random_state)
    copied = np.random.RandomState(0)
    copied.set_state(state)
    return copied

"""Members of ensembles: the sequence, made when asked for, and copies of a member with seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted


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
        """Give the number of members."""
        check_is_fitted(self)
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        """Give a member by its number from 0, or several by a slice."""
        check_is_fitted(self)
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        """Go through the members in their order."""
        check_is_fitted(self)
        return iter(self.estimators_)


class LazyMembers(Sequence[Any]):
    """Members that are made when they are asked for, from what an ensemble has stored.

    Parameters
    ----------
    make : callable
        Makes the member of a number.
    shape : tuple of int
        (members,), or (rounds, functions) with numbers that run through a round first.

    Examples
    --------
    >>> members = LazyMembers(str, (3,))
    >>> members[-1], members[:2], len(members)
    ('2', ['0', '1'], 3)
    """

    def __init__(self, make: Callable[[int], Any], shape: tuple[int, ...]) -> None:
        self.shape, self._make = shape, make
        self._kept: dict[int, Any] = {}

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        numbers = self._numbers()[index]
        if np.ndim(numbers) == 0:
            return self._member(int(numbers))
        members = self._members(numbers)
        return members.tolist() if len(self.shape) == 1 else members

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self._members(self._numbers())

    def _numbers(self) -> NDArray[np.intp]:
        return np.arange(np.prod(self.shape, dtype=np.intp)).reshape(self.shape)

    def _members(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        members = np.empty(numbers.shape, dtype=object)
        for place, number in np.ndenumerate(numbers):
            members[place] = self._member(int(number))
        return members

    def _member(self, number: int) -> Any:
        if number not in self._kept:
            self._kept[number] = self._make(number)
        return self._kept[number]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # as lists have none

    def __repr__(self) -> str:
        return repr(self[:])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}


def seeded_copy(estimator: Any, random_state: Any) -> Any:
    """Clone an estimator and give it seeds, drawn in the order in which scikit-learn does."""
    member = clone(estimator)
    names = sorted(n for n in member.get_params(deep=True) if n.split("__")[-1] == "random_state")
    highest = np.iinfo(np.int32).max
    return member.set_params(**{name: random_state.randint(highest) for name in names})

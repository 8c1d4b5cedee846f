"""Members of an ensemble: their sequence, as scikit-learn's is one, and copies with seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
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

    estimators_: list[Any]

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


def seeded_copy(estimator: Any, random_state: Any) -> Any:
    """Clone an estimator and give it seeds, drawn in the order in which scikit-learn does."""
    member = clone(estimator)
    names = sorted(n for n in member.get_params(deep=True) if n.split("__")[-1] == "random_state")
    highest = np.iinfo(np.int32).max
    return member.set_params(**{name: random_state.randint(highest) for name in names})

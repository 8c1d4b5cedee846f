"""Which rows were used for what, in which order: the audit trail of a protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]

PURPOSES = ("unused", "train", "validate", "test")


@dataclass(frozen=True)
class Use:
    """Some rows, and what a step did with them.

    Attributes
    ----------
    step : str
        Such as "fold 1", "refit" or "look 1".
    purpose : {"train", "validate", "test"}
    rows : ndarray
        Places in the data as they came.
    """

    step: str
    purpose: str
    rows: Index


@dataclass(frozen=True)
class Trail:
    """All uses of rows, in order.

    Attributes
    ----------
    uses : tuple of Use
    n_rows : int
        Number of rows of all data.

    Examples
    --------
    >>> import numpy as np
    >>> trail = Trail((Use("fold 1", "train", np.array([0, 1])),
    ...                Use("fold 1", "validate", np.array([1, 2]))), 4)
    >>> trail.problems
    ['fold 1 judges on 1 of the rows it learns from']
    >>> print(trail)
    fold 1  train     2 of 4 rows
    fold 1  validate  2 of 4 rows
    """

    uses: tuple[Use, ...]
    n_rows: int

    def __iter__(self) -> Iterator[Use]:
        return iter(self.uses)

    @property
    def steps(self) -> list[str]:
        """The steps, each once."""
        return list(dict.fromkeys(use.step for use in self.uses))

    def rows(self, purpose: str, step: str | None = None) -> Index:
        """List the rows that were used for a purpose, by any step or by one.

        Parameters
        ----------
        purpose : {"train", "validate", "test"}
        step : str, default=None

        Returns
        -------
        ndarray
            Sorted, each once.
        """
        found = [
            use.rows for use in self.uses if use.purpose == purpose and step in (None, use.step)
        ]
        return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.intp)

    def matrix(self) -> NDArray[np.int8]:
        """Return the purpose of every row in every step, as an index into ``PURPOSES``.

        Returns
        -------
        ndarray of shape (steps, rows)
        """
        steps = self.steps
        codes = np.zeros((len(steps), self.n_rows), dtype=np.int8)
        for use in self.uses:
            codes[steps.index(use.step), use.rows] = PURPOSES.index(use.purpose)
        return codes

    @property
    def problems(self) -> list[str]:
        """What an honest protocol does not do, in words; empty where all is well."""
        found = []
        for step in self.steps:
            judged = np.concatenate([self.rows("validate", step), self.rows("test", step)])
            shared = np.intersect1d(self.rows("train", step), judged).size
            if shared:
                found.append(f"{step} judges on {shared} of the rows it learns from")
        used = np.concatenate([self.rows("train"), self.rows("validate")])
        spoiled = np.intersect1d(self.rows("test"), used).size
        if spoiled:
            found.append(f"{spoiled} of the test rows were used for something else")
        return found

    def __str__(self) -> str:
        wide = max((len(use.step) for use in self.uses), default=0)
        lines = [
            f"{use.step:{wide}}  {use.purpose:8}  {len(use.rows)} of {self.n_rows} rows"
            for use in self.uses
        ]
        return "\n".join(lines)


def uses_of_folds(folds: Iterable[Any], prefix: str = "") -> list[Use]:
    """List what folds learn from and are judged on."""
    found = []
    for number, fold in enumerate(folds, 1):
        step = f"{prefix}fold {number}"
        found += [Use(step, "train", fold.train), Use(step, "validate", fold.validate)]
    return found

"""How models are compared: by what, on how many folds, built with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.job.metric import FURTHER, Judge, scorer_of, sought_of
from maxmargin.job.wanted import INNER_FOLDS, Wanted
from maxmargin.tables import Table


@dataclass(frozen=True)
class Rules:
    """How the contest is held.

    Parameters
    ----------
    table : Table
    metric : str
    wanted : Wanted
        What models are built with.
    folds : int
    seed : int
    left_out : mapping of str to str
        Models that are not tried, and why: those of a run that is repeated.
    behind : mapping of str to str
        Models that had lost in that run, and against whom.
    used_folds : int or None
        Folds that models are compared on; None for as many as there is time for.
    deepened : tuple of str or None
        Finer searches that are made; None for those there is time for.
    test : str or None
        How the best two are compared; None for what time allows.
    fitted : tuple of str or None
        Models that are fitted to all rows; None for those there is time for.
    blend : bool
        Whether an average of the best models takes part where it is better.
    """

    table: Table
    metric: str
    wanted: Wanted
    folds: int
    seed: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)
    used_folds: int | None = None
    deepened: tuple[str, ...] | None = None
    test: str | None = None
    fitted: tuple[str, ...] | None = None
    blend: bool = True

    @property
    def classify(self) -> bool:
        """Whether classes are predicted."""
        return self.table.schema.task == "classification"

    @property
    def sought(self) -> Any:
        """The rarer of two classes; None where there are not two."""
        return sought_of(self.table)

    @property
    def scorer(self) -> Any:
        """What scores a model by the metric."""
        return scorer_of(self.metric, self.sought)

    def are_few(self, y: NDArray[Any]) -> bool:
        """Whether rows to learn from may be too few to tune on: some inner fold lacks a class.

        Parameters
        ----------
        y : ndarray
            What is true of them.

        Returns
        -------
        bool
        """
        counts = np.unique(y, return_counts=True)[1] if self.classify else np.array([len(y)])
        return bool(counts.min() < INNER_FOLDS)

    def judge(self) -> Judge:
        """Give a fresh scorer that notes more.

        Returns
        -------
        Judge
        """
        return Judge(self.metric, self.scorer, FURTHER[self.table.schema.task])

"""What a job answers, before anything that it stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.evaluation import Interval
from maxmargin.job import ClassResult, Entry, Outcome
from maxmargin.job.wording import Metric
from maxmargin.report.page import SEEN


@dataclass(frozen=True)
class Answer:
    """The model that was chosen, how it did on the test rows, and what its score may hide.

    Parameters
    ----------
    outcome : Outcome
        All that the job found out.
    """

    outcome: Outcome

    @property
    def metric(self) -> Metric:
        """What models were compared by."""
        return Metric(self.outcome.metric)

    @property
    def winner(self) -> Entry:
        """The model that was chosen."""
        return self.outcome[self.outcome.winner]

    @property
    def runner_up(self) -> Entry | None:
        """The second best."""
        return self.outcome[self.outcome.runner_up] if self.outcome.runner_up else None

    @property
    def result(self) -> Interval:
        """The score on the test rows; unknown where the look has none."""
        return self.outcome.test.look.result or Interval(np.nan, np.nan, np.nan)

    @property
    def is_doubtful(self) -> bool:
        """Whether the model may be no better than the baseline."""
        low, value = self.result.low, self.result.value
        return bool(self.outcome.test.baseline >= (low if np.isfinite(low) else value))

    @property
    def is_worse(self) -> bool:
        """Whether the baseline lies above all that the test score may be."""
        high, value = self.result.high, self.result.value
        return bool(self.outcome.test.baseline > (high if np.isfinite(high) else value))

    @property
    def classifies(self) -> bool:
        """Whether classes were predicted."""
        return self.outcome.table.schema.task == "classification"

    @property
    def classes(self) -> list[ClassResult]:
        """The classes that have test rows, those that are found least often first."""
        judged = [each for each in self.outcome.test.classes if each.rows]
        return sorted(judged, key=lambda each: each.recall.value)

    @property
    def missed(self) -> list[ClassResult]:
        """Classes that are found so seldom that a good mean would hide it."""
        return [each for each in self.classes if each.recall.value < SEEN]

    @property
    def unseen(self) -> list[Any]:
        """Classes of which no test row is."""
        return [each.label for each in self.outcome.test.classes if not each.rows]

    def found(self, each: ClassResult) -> int:
        """Count the rows of a class that were found.

        Parameters
        ----------
        each : ClassResult

        Returns
        -------
        int
        """
        return round(each.recall.value * each.rows)

    def is_rare(self, each: ClassResult) -> bool:
        """Whether a class has less than half of the rows that classes have on average.

        Parameters
        ----------
        each : ClassResult

        Returns
        -------
        bool
        """
        return 2 * each.rows * len(self.classes) < len(self.outcome.test.truth)

"""Whoever tells how far the contest is, by the seconds of the steps that were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from maxmargin.evaluation import FoldDone
from maxmargin.job.budget import Budget
from maxmargin.job.duel import HALF
from maxmargin.job.effort import Effort
from maxmargin.job.progress import Progress, Teller
from maxmargin.progress import TimeLeft


@dataclass
class Watcher:
    """Tells of every step, and how long it will go on.

    Parameters
    ----------
    efforts : sequence of Effort
    budget : Budget
    tell : callable
    """

    efforts: Sequence[Effort]
    budget: Budget
    tell: Teller
    _estimate: TimeLeft = field(default_factory=TimeLeft, init=False)
    _share: float = field(default=0.0, init=False)
    _place: Progress | None = field(default=None, init=False)
    _told: set[str] = field(default_factory=set, init=False)

    def say(self, effort: Effort) -> None:
        """Tell what a model does next.

        Parameters
        ----------
        effort : Effort
        """
        left = self._to_come() + self._halves()
        self._say(effort.candidate.title, effort.next_step, left, effort.name)

    def say_trial(self, effort: Effort) -> None:
        """Tell that a model is fitted to few rows.

        Parameters
        ----------
        effort : Effort
        """
        self._say(effort.candidate.title, "trial", self._to_come(), effort.name)

    def say_results(self) -> None:
        """Report the models that were judged or given up since the last call, each once."""
        for effort in self.efforts:
            if (effort.over or effort.judged) and effort.name not in self._told:
                self._told.add(effort.name)
                place = self._place or Progress("", "", 0.0, 0.0, float("nan"))
                self.tell(replace(place, seconds=self.budget.seconds, result=effort.entry()))

    def say_half(self, done: FoldDone) -> None:
        """Tell of the comparison of the best two.

        Parameters
        ----------
        done : FoldDone
        """
        left = self._halves() * (1.0 - done.done / done.total)
        self._say("the best two, 5x2 cross-validation", f"{done.done} of {done.total}", left)

    def _say(self, title: str, step: str, left: float, model: str = "") -> None:
        spent = self.budget.seconds
        if any(each.seconds for each in self.efforts):
            left = min(self._estimate.by_guess(spent, left), self.budget.left)
            self._share = max(self._share, min(1.0, spent / max(spent + left, 1e-9)))
        else:
            left = float("nan")  # nothing has been measured yet
        self._place = Progress(title, step, self._share, spent, left, model)
        self.tell(self._place)

    def _to_come(self) -> float:
        """Of models that have not begun, as long as the others need for their costs."""
        known = [each for each in self.efforts if each.seconds]
        # By quickest steps: the first one of a model may have compiled its loops.
        seconds = sum(min(each.seconds) * (len(each.parts) + 1) for each in known)
        cost = sum(each.candidate.cost for each in known)
        unknown = sum(e.candidate.cost for e in self.efforts if not e.seconds and not e.over)
        guess = seconds / cost * unknown if cost else 0.0
        return guess + sum(each.to_come for each in known)

    def _halves(self) -> float:
        """Twenty fits to half of the rows, of models that are not the quickest."""
        slowest = sorted(min(each.seconds) for each in self.efforts if each.seconds)[-2:]
        return 10 * HALF * sum(slowest)

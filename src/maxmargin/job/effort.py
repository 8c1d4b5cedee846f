"""A model on its way through the contest: a trial, fold by fold, then on all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from traceback import walk_tb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import Band, Fold, Run
from maxmargin.evaluation.protocol import Split
from maxmargin.evaluation.rows import EvaluationRows, fit
from maxmargin.evaluation.run import run_folds
from maxmargin.inputs.exhaustion import lacks_memory
from maxmargin.job.area import areas_of, mean_areas
from maxmargin.job.candidate import Candidate
from maxmargin.job.metric import Judge, Judgement
from maxmargin.job.outcome import Entry
from maxmargin.job.plan import expected_seconds
from maxmargin.job.proof import proof_of
from maxmargin.job.rules import Rules
from maxmargin.job.sample import affordable_rows, draw_rows
from maxmargin.job.trial import Trial, losses_of
from maxmargin.job.tuned import settled
from maxmargin.kernels.on_device import CARD
from maxmargin.ops.clock import TimeUp, watch
from maxmargin.progress.compile_time import compile_time
from maxmargin.progress.duration import duration

_ESTIMATORS: Final = ("bagging", "boosting", "ensembles", "neighbors", "solvers", "svm", "trees")


class Effort:
    """What a candidate has done so far, and what is to come.

    Parameters
    ----------
    rules : Rules
    rows : EvaluationRows
        All rows of the contest.
    parts : sequence of pairs of row numbers
        The folds.
    candidate : Candidate

    Attributes
    ----------
    status : {"begun", "done", "failed", "stopped", "behind"}
        Behind is what lost against a better model on a trial or on some folds, and did not go on
        because time was short.
    reason : str
        Why there is no result.
    trial : Trial or None
        How it did on few rows.
    most : int or None
        Rows that it learns from at most: a sample, where there are more; None for all.
    slow : float
        Seconds that a fold takes at least, of a model whose trial its limit ended; else 0.
    fault : bool
        Whether it failed by an exception of this package that nothing about the table explains.
    model : Pipeline or None
        Fitted to all rows, without what it took to choose.
    seconds : list of float
        Of every step, without those in which loops were compiled.
    """

    def __init__(
        self, rules: Rules, rows: EvaluationRows, parts: Sequence[Split], candidate: Candidate
    ) -> None:
        self._rules, self._rows, self.parts, self.candidate = rules, rows, parts, candidate
        self.name, self.judge = candidate.name, rules.judge()
        self.folds: list[Fold] = []
        self.seconds: list[float] = []
        self.status, self.reason, self.fault = "begun", "", False
        self.trial: Trial | None = None
        self.slow, self._tried = 0.0, 0.0
        self.most = rules.sampled.get(candidate.name, candidate.max_rows)
        self.model: Pipeline | None = None
        self._fitted: Pipeline | None = None

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do."""
        return self.status != "begun"

    @property
    def judged(self) -> bool:
        """Whether it has a score on every fold."""
        return self.status in ("begun", "done") and len(self.folds) == len(self.parts)

    @property
    def next_step(self) -> str:
        """What comes next, in words."""
        done, folds = len(self.folds), len(self.parts)
        return f"fold {done + 1} of {folds}" if done < folds else "all rows"

    @property
    def estimate(self) -> float:
        """Seconds of the next step: as the quickest one, or by the trial; 0 if neither is known.

        They are the least it takes where a limit ended the trial.
        """
        if self.seconds:
            return min(self.seconds)
        if self.trial is None:
            return self.slow
        fitting = self._on_a_fold(self.trial.seconds - self.trial.judging, self.trial.rows)
        return fitting + self._judging_on_a_fold(self.trial)

    @property
    def spent(self) -> float:
        """Seconds of all its fits, without compiling."""
        return sum(self.seconds) + self._tried

    @property
    def to_come(self) -> float:
        """Seconds that it still needs; 0 where nothing is known of it."""
        steps = len(self.parts) + 1 - len(self.folds)
        return 0.0 if self.over else self.estimate * steps

    @property
    def score(self) -> float:
        """The mean over the folds that are done; NaN before the first."""
        return self.score_on(len(self.folds))

    def score_on(self, count: int) -> float:
        """Return the mean over the first folds.

        Parameters
        ----------
        count : int

        Returns
        -------
        float
        """
        scores = [fold.score for fold in self.folds[:count]]
        return float(np.mean(scores)) if scores else float("nan")

    @property
    def losses(self) -> list[NDArray[np.float64]]:
        """Of the rows of each fold that is done."""
        pairs = zip(self.parts, self.judge.judgements, strict=False)
        metric = self._rules.metric
        return [losses_of(said, self._rows.y[other], metric) for (_, other), said in pairs]

    def use(self, parts: Sequence[Split]) -> None:
        """Judge on these folds alone, the first ones of those before.

        Parameters
        ----------
        parts : sequence of pairs of arrays
        """
        self.parts = parts
        del self.folds[len(parts) :], self.judge.judgements[len(parts) :]

    def try_out(self, part: Split, limit: float | None = None) -> None:
        """Fit it to few rows and judge it on others.

        A model that the limit ends is slow from then on; one that fails is left without a trial.
        A second trial takes the place of the first. If the limit ends it, its time alone does.

        Parameters
        ----------
        part : pair of arrays
            The rows to learn from and to be judged on.
        limit : float, default=None
            Seconds that it may take.
        """
        judge, begun, compiled = self._rules.judge(), perf_counter(), compile_time.seconds
        try:
            with watch(limit):
                built = self.candidate.build(self._rules.table, self._rules.wanted)
                options: Any = {"scoring": judge, "decisions": False}
                run = run_folds({self.name: built}, self._rows, [part], **options)[self.name]
        except TimeUp:
            spent = self._since(begun, compiled)
            self._tried += spent
            self.slow = self._on_a_fold(spent, len(part[0]))
            if self.trial is not None:
                self.trial = replace(self.trial, seconds=spent, rows=len(part[0]), judging=0.0)
            return
        except Exception:  # the folds will tell what it is
            return
        spent = self._since(begun, compiled)
        self._tried += spent
        losses = losses_of(judge.judgements[0], self._rows.y[part[1]], self._rules.metric)
        judging = perf_counter() - begun - run.fit_seconds
        judging = min(max(judging, 0.0), spent)
        self.trial = Trial(run.mean, spent, len(part[0]), losses, judging)

    def _since(self, begun: float, compiled: float) -> float:
        """Return the seconds since then without those in which loops were compiled."""
        return max(perf_counter() - begun - (compile_time.seconds - compiled), 0.0)

    def _on_a_fold(self, seconds: float, rows: int) -> float:
        """Return the seconds of a fold by those of a fit to fewer rows."""
        return expected_seconds(seconds, rows, self._fold_rows, self.candidate.growth)

    def _judging_on_a_fold(self, trial: Trial) -> float:
        """Return the seconds of predicting a fold's rows by those of the rows of a trial.

        Models with a bound on rows compare each row that they predict with all that they know.
        """
        seconds = trial.judging * len(self.parts[0][1]) / len(trial.losses)
        if self.candidate.max_rows is None:
            return seconds
        return seconds * max(1.0, self._fold_rows / trial.rows)

    def learn_within(self, seconds: float) -> None:
        """Learn from a sample of the rows if a fit to all of them takes longer than that.

        Parameters
        ----------
        seconds : float
            Of a fit.
        """
        whole, rows = self.estimate, self._fold_rows

        def expected(count: int) -> float:
            return whole * (count / rows) ** self.candidate.growth

        found = affordable_rows(expected, rows, seconds)
        if found < rows:
            self.slow, self.most = expected(found), found

    @property
    def _fold_rows(self) -> int:
        """Count the rows of a fold that it learns from."""
        rows = len(self.parts[0][0])
        return rows if self.most is None else min(rows, self.most)

    @property
    def sampled_rows(self) -> int | None:
        """Rows of the sample that the fit to all rows learns from; None if it is no sample."""
        return None if self.most is None or self.most >= len(self._rows) else self.most

    def _drawn(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the rows to learn from among some."""
        return draw_rows(places, self.most, self._rows.y if self._rules.classify else None)

    def refuse(self, reason: str) -> None:
        """Give up for a reason, if there is one and it is not over.

        Parameters
        ----------
        reason : str
        """
        if reason and not self.over:
            self.status, self.reason = "stopped", reason

    def fall_behind(self, reason: str) -> None:
        """Stop early for a reason, if there is one: another model is clearly better.

        Parameters
        ----------
        reason : str
        """
        if reason and not self.over:
            self.status, self.reason = "behind", reason

    def step(self, limit: float | None = None) -> None:
        """Do a fold, or fit to all rows; what goes wrong is the reason for no result.

        Parameters
        ----------
        limit : float, default=None
            Seconds that it may take.
        """
        begun, compiled = perf_counter(), compile_time.seconds
        try:
            with watch(limit):
                self._step()
        except TimeUp:
            compiling = compile_time.seconds - compiled
            spent = duration(sum(self.seconds) + perf_counter() - begun)
            part = f", {duration(compiling)} of it compiling" if compiling >= 1.0 else ""
            self.refuse(f"the time budget ended it after {spent}{part}")
        except Exception as error:
            self._fail(error)
        # What was compiled is at hand from now on, and says nothing of the steps to come.
        self.seconds.append(self._since(begun, compiled))

    def _fail(self, error: Exception) -> None:
        """Say why a step failed: the library's words tell nothing of a table that is too small."""
        self.status, self.reason = "failed", f"{type(error).__name__}: {error}"
        train = [train for train, _ in self.parts[len(self.folds) :]]
        if isinstance(error, CARD.device.CardMemoryError):
            self.reason = "the memory of the card is too small for it"
        elif lacks_memory(error):
            self.reason = "there is not enough memory for it"
        elif (
            isinstance(error, ValueError) and train and self._rules.are_few(self._rows.y[train[0]])
        ):
            self.reason = f"{len(train[0])} rows of a fold are too few to tune it"
        else:
            self.fault = _is_ours(error)

    def settle(self) -> None:
        """End a model that is judged on all folds, whether or not it is fitted to all rows."""
        if self.judged:
            self.status = "done"

    def _step(self) -> None:
        built = self.candidate.build(self._rules.table, self._rules.wanted)
        if len(self.folds) == len(self.parts):
            self._fitted = fit(clone(built), self._known())
            self.model, self.status = settled(self._fitted), "done"
            return
        train, other = self.parts[len(self.folds)]
        part = self._drawn(train), other
        options: Any = {"scoring": self.judge, "decisions": self._rules.classify}
        self.folds += run_folds({self.name: built}, self._rows, [part], **options)[self.name].folds

    def entry(self) -> Entry:
        """Return how it came out.

        Returns
        -------
        Entry
        """
        if not self.judged:
            facts = self.name, self.candidate.title, self.status, self.reason
            return Entry(*facts, fault=self.fault, spent_seconds=self.spent)
        last = None if self._fitted is None else self._fitted[-1]
        return entry_of(
            self._rules,
            (self.name, self.candidate.title),
            self.folds,
            self.judge,
            best_params=getattr(last, "best_params_", self.folds[-1].best_params or {}),
            tuning=getattr(last, "cv_results_", None),
            proof="" if self.model is None else proof_of(self.model),
            fitted=self.model is not None,
            spent_seconds=self.spent,
            sampled_rows=self.sampled_rows,
        )

    def _known(self) -> EvaluationRows:
        """Return all rows, or the sample to learn from."""
        if self.sampled_rows is None:
            return self._rows
        return self._rows.take(self._drawn(np.arange(len(self._rows))))


def entry_of(
    rules: Rules, names: tuple[str, str], folds: Sequence[Fold], judge: Judge, **facts: Any
) -> Entry:
    """Return the entry of a model that is judged on all folds.

    Parameters
    ----------
    rules : Rules
    names : tuple of (str, str)
        Name and title.
    folds : sequence of Fold
    judge : Judge
        With a judgement of each fold.
    **facts
        Other fields of the entry.

    Returns
    -------
    Entry
    """
    run = Run(names[0], tuple(folds))
    bands = {"roc": _band(run.roc), "precision_recall": _band(run.precision_recall)}
    drawn: Any = bands if len(rules.table.schema.classes) == 2 else {}
    scores = _areas(rules, folds, judge) | judge.means
    known: Any = {"run": run, "scores": scores, "fit_seconds": run.fit_seconds, **drawn, **facts}
    return Entry(names[0], names[1], "done", **known)


def _areas(rules: Rules, folds: Sequence[Fold], judge: Judge) -> dict[str, float]:
    """Average the areas below the curves of folds."""
    if not rules.classify:
        return {}
    pairs = zip(folds, judge.judgements, strict=True)
    return mean_areas([_areas_of(*pair, rules.sought) for pair in pairs])


def _is_ours(error: Exception) -> bool:
    """Whether an exception came through an estimator of this package, and not of scikit-learn."""
    names = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__)]
    rooms = [name.split(".")[1] for name in names if name.startswith("maxmargin.")]
    return any(room in _ESTIMATORS for room in rooms)


def _areas_of(fold: Fold, said: Judgement, sought: Any) -> dict[str, float]:
    values = fold.decision if said.shares is None else said.shares
    return areas_of(fold.truth, values, fold.classes, sought)


def _band(draw: Callable[[], Band]) -> Band | None:
    """Draw the curves of folds, if they have decision values of two classes."""
    try:
        return draw()
    except ValueError:
        return None

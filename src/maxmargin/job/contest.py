"""The family on the same folds: who is best, and whether by more than chance.

Parameters are chosen inside each fold's training part, so that the scores are those of rows that
had no part in any choice. The best two are compared by 5x2 cross-validation and Alpaydin's F-test;
where there is no time for twenty more fits, by the corrected t-test on the folds that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import Band, Run, Verdict, alpaydin_f, corrected_t
from maxmargin.evaluation.protocol import Split, splits
from maxmargin.evaluation.rows import Rows, fit
from maxmargin.evaluation.run import FoldDone, run_folds
from maxmargin.job.budget import Budget
from maxmargin.job.family import Candidate, Wanted
from maxmargin.job.metric import FURTHER, Judge, Judgement, scorer_of
from maxmargin.job.outcome import Entry
from maxmargin.job.progress import Progress, Teller, silent
from maxmargin.job.proof import proof_of
from maxmargin.job.tuned import settled
from maxmargin.ops.clock import TimeUp, watch
from maxmargin.tables import InputError, Table

BY_HALVES, BY_FOLDS = "5x2cv F", "corrected resampled t"
_HALF = 0.6  # of the time of a fold's fit that a fit to half of the rows takes
CTRL_C = "Ctrl-C came first"


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
    test : str or None
        How the best two are compared; None for what time allows.
    """

    table: Table
    metric: str
    wanted: Wanted
    folds: int
    seed: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    test: str | None = None

    @property
    def classify(self) -> bool:
        """Whether classes are predicted."""
        return self.table.schema.task == "classification"

    def judge(self) -> Judge:
        """Give a fresh scorer."""
        further = FURTHER[self.table.schema.task]
        return Judge(self.metric, scorer_of(self.metric, self.table), further)


@dataclass(frozen=True)
class Contest:
    """How it ended.

    Parameters
    ----------
    entries : tuple of Entry
        The best first; those without a result last.
    models : mapping of str to Pipeline
        Fitted to all rows of the contest, without what it took to choose.
    judgements : mapping of str to list of Judgement
        One a fold.
    verdict : Verdict or None
        The best against the second.
    notes : tuple of str
    """

    entries: tuple[Entry, ...]
    models: Mapping[str, Pipeline] = field(repr=False)
    judgements: Mapping[str, list[Judgement]] = field(repr=False)
    verdict: Verdict | None = None
    notes: tuple[str, ...] = ()

    @property
    def done(self) -> list[Entry]:
        """Those with a result."""
        return [entry for entry in self.entries if entry.status == "done"]


def hold_contest(
    rules: Rules,
    rows: Rows,
    candidates: Sequence[Candidate],
    budget: Budget,
    tell: Teller = silent,
) -> Contest:
    """Fit and judge the candidates on the same folds, and compare the best two.

    Parameters
    ----------
    rules : Rules
    rows : Rows
        All rows that are no test rows.
    candidates : sequence of Candidate
        From cheap to dear.
    budget : Budget
    tell : callable
        Told of the progress.

    Returns
    -------
    Contest
    """
    parts = _parts(rules, rows)
    entries, models, judgements = [], {}, {}
    for place, candidate in enumerate(candidates):
        reason = _why_not(rules, candidate, rows, budget)
        if reason:
            entries.append(Entry(candidate.name, candidate.title, "stopped", reason))
            continue
        effort = _Effort(rules, rows, parts, candidates, place, budget, tell)
        entry = Entry(candidate.name, candidate.title, "stopped", CTRL_C)
        with budget.until_interrupted():
            entry = effort.make()
        entries.append(entry)
        if effort.model is not None:
            models[candidate.name] = effort.model
            judgements[candidate.name] = effort.judge.judgements
    return _concluded(
        rules, rows, Contest(_ranked(entries), models, judgements), candidates, budget, tell
    )


def _parts(rules: Rules, rows: Rows) -> list[Split]:
    try:
        return splits(rules.folds, rows, classify=rules.classify, random_state=rules.seed)
    except ValueError:
        raise InputError(
            f"{len(rows)} rows are too few for {rules.folds} folds"
            f"{' that hold every class' if rules.classify else ''}: give fewer --folds."
        ) from None


def _why_not(rules: Rules, candidate: Candidate, rows: Rows, budget: Budget) -> str:
    """Say why a candidate is not tried; nothing if it is."""
    if candidate.name in rules.left_out:
        return rules.left_out[candidate.name]
    if budget.interrupted:
        return CTRL_C
    if candidate.max_rows is not None and len(rows) > candidate.max_rows:
        return f"{len(rows)} rows are too many for it; {candidate.max_rows} are the most"
    return ""


def _ranked(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    def place(entry: Entry) -> float:
        return -entry.run.mean if entry.run is not None else float("inf")

    return tuple(sorted(entries, key=place))


@dataclass
class _Effort:
    """A candidate on all folds and then on all rows, within its share of the time."""

    rules: Rules
    rows: Rows
    parts: Sequence[Split]
    candidates: Sequence[Candidate]
    place: int
    budget: Budget
    tell: Teller
    model: Pipeline | None = None

    def __post_init__(self) -> None:
        self.candidate, self.judge = self.candidates[self.place], self.rules.judge()
        to_come = [each.cost for each in self.candidates[self.place + 1 :]]
        share = self.budget.share(self.candidate.cost, to_come)
        self.limit = None if self.candidate.name == "baseline" else share
        self.begun, self.quickest = perf_counter(), float("inf")

    def make(self) -> Entry:
        """Fit and judge; what goes wrong is the entry's reason."""
        name, title = self.candidate.name, self.candidate.title
        try:
            with watch(self.limit):
                return self._judged()
        except TimeUp:
            reason = f"its share of the time budget, {self.limit:.0f} s, was too short"
            return Entry(name, title, "stopped", reason)
        except (ValueError, ArithmeticError, MemoryError, np.linalg.LinAlgError) as error:
            return Entry(name, title, "failed", f"{type(error).__name__}: {error}")

    def _judged(self) -> Entry:
        name = self.candidate.name
        built = self.candidate.build(self.rules.table, self.rules.wanted)
        self._tell(0)
        options: Any = {"scoring": self.judge, "decisions": self.rules.classify}
        run = run_folds({name: built}, self.rows, self.parts, **options, callback=self._fold)[name]
        begun = perf_counter()
        fitted = fit(clone(built), self.rows)
        seconds = [*(fold.fit_seconds for fold in run.folds), perf_counter() - begun]
        self.model = settled(fitted)
        return self._entry(run, fitted[-1], float(np.mean(seconds)))

    def _entry(self, run: Run, last: Any, seconds: float) -> Entry:
        bands = {"roc": _band(run.roc), "precision_recall": _band(run.precision_recall)}
        areas = {"roc_auc": bands["roc"], "average_precision": bands["precision_recall"]}
        scores = {name: band.area for name, band in areas.items() if band is not None}
        drawn: Any = bands if len(self.rules.table.schema.classes) == 2 else {}
        return Entry(
            self.candidate.name,
            self.candidate.title,
            "done",
            run=run,
            scores=scores | self.judge.means,
            best_params=getattr(last, "best_params_", {}),
            tuning=getattr(last, "cv_results_", None),
            fit_seconds=seconds,
            proof=proof_of(Pipeline([("model", getattr(last, "best_estimator_", last))])),
            **drawn,
        )

    def _fold(self, done: FoldDone) -> None:
        """Tell of a fold, and give up where those to come cannot be done in time."""
        self._tell(done.done)
        self.quickest = min(self.quickest, done.seconds)
        to_come = self.quickest * (len(self.parts) + 1 - done.done)
        if self.limit is not None and perf_counter() - self.begun + to_come > self.limit:
            raise TimeUp

    def _tell(self, done: int) -> None:
        steps = len(self.parts) + 1
        step = f"fold {done + 1} of {steps - 1}" if done < steps - 1 else "all rows"
        costs = [each.cost for each in self.candidates]
        part = sum(costs[: self.place]) + costs[self.place] * done / steps
        _say(self.tell, self.budget, self.candidate.title, step, part / _all(costs))


def _band(draw: Callable[[], Band]) -> Band | None:
    """Draw the curves of folds, if they have decision values of two classes."""
    try:
        return draw()
    except ValueError:
        return None


# the best two


def _all(costs: Sequence[float]) -> float:
    """All the work: the models, and the two dearest once more for the comparison."""
    return sum(costs) + 2.0 * max(costs)


def _say(tell: Teller, budget: Budget, title: str, step: str, share: float) -> None:
    spent = budget.seconds
    left = spent * (1.0 - share) / share if share > 0.02 else budget.left
    tell(Progress(title, step, share, spent, min(left, budget.left)))


def _concluded(
    rules: Rules,
    rows: Rows,
    contest: Contest,
    candidates: Sequence[Candidate],
    budget: Budget,
    tell: Teller,
) -> Contest:
    """Add the verdict on the best two."""
    if not contest.done:
        if budget.interrupted:
            raise KeyboardInterrupt
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in contest.entries)
        raise InputError(f"No model could be fitted ({reasons}).")
    if len(contest.done) < 2:
        return replace(contest, notes=("There is no second model to compare with.",))
    costs = [each.cost for each in candidates]

    def told(done: FoldDone) -> None:
        share = (sum(costs) + 2.0 * max(costs) * done.done / done.total) / _all(costs)
        step = f"half {done.done} of {done.total}"
        _say(tell, budget, "the best two, 5x2 cross-validation", step, share)

    verdict, note = None, ""
    if _halves_wanted(rules, contest.done[:2], budget):
        with budget.until_interrupted():
            verdict, note = _by_halves(rules, rows, contest.done[:2], candidates, budget, told)
    if verdict is None:
        verdict = _by_folds(*(entry.run for entry in contest.done[:2] if entry.run is not None))
        why = note or "There was no time for 5x2 cross-validation"
        note = f"{why}: the best two are compared on the folds that are there."
    return replace(contest, verdict=verdict, notes=(note,) if note else ())


def _halves_wanted(rules: Rules, best: Sequence[Entry], budget: Budget) -> bool:
    if rules.test is not None:
        return rules.test == BY_HALVES
    needed = 10 * _HALF * sum(entry.fit_seconds for entry in best)
    return not budget.interrupted and budget.allows(needed)


def _by_halves(
    rules: Rules,
    rows: Rows,
    best: Sequence[Entry],
    candidates: Sequence[Candidate],
    budget: Budget,
    told: Callable[[FoldDone], object],
) -> tuple[Verdict | None, str]:
    by_name = {each.name: each for each in candidates}
    models = {e.name: by_name[e.name].build(rules.table, rules.wanted) for e in best}
    limit = None if rules.test or budget.total is None else budget.left
    try:
        parts = splits("5x2", rows, classify=rules.classify, random_state=rules.seed + 1)
        with watch(limit):
            runs = run_folds(models, rows, parts, scoring=rules.judge(), callback=told)
    except TimeUp:
        return None, ""
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        return None, f"5x2 cross-validation failed ({error})"
    first, second = (runs[entry.name].scores for entry in best)
    return alpaydin_f((first - second).reshape(5, 2)), ""


def _by_folds(first: Run, second: Run) -> Verdict:
    n_train = float(np.mean([len(fold.train) for fold in first.folds]))
    n_test = float(np.mean([len(fold.validate) for fold in first.folds]))
    return corrected_t(first.scores - second.scores, n_train=n_train, n_test=n_test)

"""The contest: every model fitted and judged on the same folds, and the best two compared.

Parameters are chosen inside each fold's training part, so that the scores are those of rows that
had no part in any choice.

With a time budget and many rows the contest is a race:

1. Trials: every model is fitted to few rows of the first fold (``trial``). Of many rows the best
   and those that learn more from more try again on more of them.
2. The trials decide on how many folds the models are compared, and in which order (``plan``).
3. Folds: while time is short, a model that is clearly worse than the best one on the rows of the
   same folds stops. Of many rows, a model that has no time for all learns from a sample.
4. Deeper searches of the best models, if there is time.
5. The best models are fitted to all rows, the best of all first.
6. An average of the best models takes part where it is better by more than chance (``blend``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import Verdict
from maxmargin.evaluation.protocol import Split
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.job.background_compiler import IDLE, BackgroundCompiler
from maxmargin.job.blend import MEMBERS, blend
from maxmargin.job.budget import Budget
from maxmargin.job.candidate import Candidate
from maxmargin.job.duel import fight
from maxmargin.job.effort import Effort
from maxmargin.job.metric import Judgement
from maxmargin.job.outcome import Entry
from maxmargin.job.plan import (
    CLOSE,
    HOPELESS,
    LOST,
    PROMISING,
    affordable_folds,
    distances,
    order_of,
)
from maxmargin.job.progress import Teller, silent
from maxmargin.job.refusal import folds_of, refuse_nothing
from maxmargin.job.rules import Rules
from maxmargin.job.sample import MANY_ROWS
from maxmargin.job.trial import Trial, behind_by, larger_split, trial_split
from maxmargin.job.watcher import Watcher
from maxmargin.progress.duration import duration

EQUAL = 12  # decimals to which means are compared: beyond them is rounding
CTRL_C = "Ctrl-C came first"
TRIAL = 0.1  # of the time budget: the most for one trial
TRIALS = 0.3  # of the time budget: for all trials
SECOND_TRIALS = 0.2  # of the time budget: for trials on more of many rows
DEEPENED = 3  # the best models, which may be searched deeper
DEEP_ROWS = 1000  # of fewer rows a finer search finds chance
FINALS = 2  # models whose last fits have their time reserved while folds go on
CHEAP = 0.15  # of the time left: a fold that takes less is worth more than a bad trial
FIRST = (
    0.7  # of the time left: the most for the first model that is compared, its last fit included
)
ALONE = 0.5  # of the time for folds: the most for a fit while no other model has a result
NOT_FITTED = "there was no time to fit it to all rows"
SLICE = 0.3  # of the time for folds: the most for a model of many rows before it is sampled
WAIT = 0.25  # of the time left: the most to wait for loops that are being compiled


@dataclass(frozen=True)
class Contest:
    """How the models came out.

    Parameters
    ----------
    entries : tuple of Entry
        The best first.
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
    rows: EvaluationRows,
    candidates: Sequence[Candidate],
    budget: Budget,
    tell: Teller = silent,
    compiler: BackgroundCompiler = IDLE,
) -> Contest:
    """Fit and judge the candidates on the same folds, and compare the best two.

    Parameters
    ----------
    rules : Rules
    rows : EvaluationRows
        All rows that are no test rows.
    candidates : sequence of Candidate
        In order of cost, cheapest first.
    budget : Budget
    tell : callable
        Called with the progress.
    compiler : BackgroundCompiler
        Models whose loops it has compiled are fitted before the others.

    Returns
    -------
    Contest
    """
    with budget.noting():
        return _Race(rules, rows, candidates, budget, tell, compiler).run()


class _Race:
    """A contest under way."""

    def __init__(
        self,
        rules: Rules,
        rows: EvaluationRows,
        candidates: Sequence[Candidate],
        budget: Budget,
        tell: Teller,
        compiler: BackgroundCompiler,
    ) -> None:
        self.rules, self.rows, self.candidates = rules, rows, candidates
        self.budget, self.compiler = budget, compiler
        self.parts = folds_of(rules, rows)
        self._planned = len(self.parts)
        first = [each for each in candidates if not each.deepens]
        self.efforts = [Effort(rules, rows, self.parts, each) for each in first]
        self.watcher = Watcher(self.efforts, budget, tell)
        self.notes: list[str] = []

    def run(self) -> Contest:
        for effort in self.efforts:
            effort.refuse(_why_not(self.rules, effort.candidate, self.budget))
            if effort.name in self.rules.behind:
                effort.fall_behind(self.rules.behind[effort.name])
        self._try_out()
        self._choose_folds()
        self._compare(self._ordered())
        self._deepen()
        self._fit_to_all_rows()
        contest = self._contest()
        refuse_nothing(contest.entries, self.budget)
        return self._judged(contest)

    # trials

    def _try_out(self) -> None:
        """Fit every model to few rows, if that saves time."""
        classify, total = self.rules.classify, self.budget.total
        part = trial_split(self.rows, self.parts[0], total, classify=classify)
        if part is None or total is None:
            return
        open_ = [each for each in self.efforts if not each.over]
        self._try_each(self.compiler.in_order(open_, self.budget, self._patience), part, TRIALS)
        if len(self.rows) > MANY_ROWS:
            facts = self.rows, self.parts[0], part
            larger = larger_split(*facts, classify=classify)
            self._try_each(self._promising(), larger, TRIALS + SECOND_TRIALS)

    def _try_each(self, efforts: Iterable[Effort], part: Split, share: float) -> None:
        """Fit models to some rows until that share of the budget is spent."""
        total = self.budget.total or math.inf
        for effort in efforts:
            if self.budget.interrupted or self.budget.seconds > share * total:
                return
            with self.budget.until_interrupted():
                self.watcher.say_trial(effort)
                effort.try_out(part, TRIAL * total)

    def _promising(self) -> list[Effort]:
        """List the models whose trials came close to the best, or say little against them."""
        off = distances(self._trials)
        return [
            each
            for each in self._ordered()
            if each.trial is not None and (each.candidate.learns or off[each.name] <= CLOSE)
        ]

    def _patience(self) -> float:
        """Return the seconds to wait for loops that are being compiled."""
        left = self.budget.until_report
        return math.inf if left is None else WAIT * left

    @property
    def _trials(self) -> dict[str, Trial]:
        return {each.name: each.trial for each in self.efforts if each.trial is not None}

    def _choose_folds(self) -> None:
        """Compare on fewer folds if the models close to the best have no time for all."""
        count, trials = self.rules.used_folds, self._trials
        if count is None and trials and self.budget.until_report is not None:
            off, seconds = distances(trials), {each.name: each.estimate for each in self.efforts}
            close = [name for name in order_of(list(trials), trials) if off[name] <= CLOSE]
            needed = [seconds[name] for name in close if name != "baseline"][:PROMISING]
            count = affordable_folds(needed, self.budget.until_report, len(self.parts))
        self._use_folds(len(self.parts) if count is None else count)

    def _use_folds(self, count: int) -> None:
        """Compare on the first folds alone."""
        self.parts = self.parts[:count]
        for effort in self.efforts:
            effort.use(self.parts)

    def _make_room(self, effort: Effort) -> None:
        """Compare on fewer folds if a model of the best kind has no time for all of them."""
        left, done = self.budget.until_report, len(effort.folds)
        if left is None or self.rules.used_folds is not None or effort.trial is None:
            return
        if effort.over or effort.to_come <= FIRST * left or self._is_matched(effort.trial):
            return
        fits = math.floor(FIRST * left / effort.estimate)
        if done + fits > 1 or effort.estimate * (1 if done else 2) <= left:
            self._use_folds(max(1, done, done + fits - 1))  # the last fit is one to all rows

    def _is_matched(self, trial: Trial) -> bool:
        """Whether a model with a result had a trial about as good."""
        judged = [each.trial for each in self.efforts if each.judged and each.trial is not None]
        return any(
            each is not trial
            and (each.score >= trial.score or behind_by(each.losses, trial.losses) <= CLOSE)
            for each in judged
        )

    def _ordered(self) -> list[Effort]:
        by_name = {each.name: each for each in self.efforts}
        others = [name for name in by_name if name != "baseline"]
        order = ["baseline", *order_of(others, self._trials, self._learners)]
        return [by_name[name] for name in order if name in by_name]

    @property
    def _learners(self) -> list[str]:
        return [each.name for each in self.candidates if each.learns]

    @property
    def _fits_later(self) -> bool:
        """Whether models are fitted to all rows after all of them are judged."""
        return bool(self._trials) or self.rules.fitted is not None

    # folds

    def _compare(self, efforts: Sequence[Effort]) -> None:
        """Judge models on the folds, then those that were put off."""
        for effort in self.compiler.in_order(efforts, self.budget, self._patience):
            place = efforts.index(effort)
            to_come = [each.candidate.cost for each in efforts[place + 1 :] if not each.over]
            limit = self.budget.share(effort.candidate.cost, to_come)
            self._sample_if_slow(effort)
            self._go_on(effort, self._free() if effort.trial else limit)
            self.watcher.say_results()
        for effort in sorted(efforts, key=lambda each: each.to_come):
            self._go_on(effort, self._free(), dare=not self._has_result)
            effort.refuse("" if effort.judged else _too_long(effort.to_come))
            self.watcher.say_results()

    def _sample_if_slow(self, effort: Effort) -> None:
        """Have a model learn from a sample of many rows if it has no time for all of them."""
        free = self._free()
        if free is not None and len(self.rows) > MANY_ROWS and effort.estimate and not effort.over:
            effort.learn_within(SLICE * free / (len(self.parts) + 1))

    @property
    def _has_result(self) -> bool:
        return any(each.judged and each.name != "baseline" for each in self.efforts)

    def _free(self) -> float | None:
        """Return the seconds that folds may take: the last fits of the best models come after."""
        left = self.budget.until_report
        if left is None:
            return None
        finals = [each.estimate for each in self._best_first() if each.model is None]
        return max(0.0, left - sum(finals[:FINALS]))

    def _at_once(self, left: float | None) -> float | None:
        """Return the seconds for a model's next step: not all before another has a result."""
        if left is None or self._has_result:
            return left
        return ALONE * max(0.0, left)

    def _best_first(self) -> list[Effort]:
        """List the models that are judged on all folds."""
        judged = [each for each in self.efforts if each.judged]
        return sorted(judged, key=lambda each: _place(each.entry()))

    def _go_on(self, effort: Effort, limit: float | None, *, dare: bool = False) -> None:
        """Judge a model on the folds unless that takes longer than the limit.

        The baseline has no limit. Without trials a model is fitted to all rows at once. Where
        nothing else has a result a model is begun though it will hardly be done in time.
        """
        if self.budget.interrupted and not effort.judged:
            effort.refuse(CTRL_C)
        end = None if limit is None or effort.name == "baseline" else perf_counter() + limit
        with self.budget.until_interrupted():
            while not (effort.over or (effort.judged and self._fits_later)):
                effort.fall_behind(self._lost(effort))
                self._make_room(effort)
                left = None if end is None else end - perf_counter()
                if effort.over or not _is_begun(effort, left, dare=dare):
                    return
                self.watcher.say(effort)
                effort.step(self._at_once(None if left is None else max(0.0, left)))
        if self.budget.interrupted and not effort.judged:
            effort.refuse(CTRL_C)

    def _lost(self, effort: Effort) -> str:
        """Return why a model need not go on: time is short and another is clearly better."""
        left = self.budget.until_report
        if left is None or not self._trials or effort.judged or effort.name == "baseline":
            return ""
        if sum(each.to_come for each in self.efforts) <= left:
            return ""
        if not effort.folds:
            kept = effort.candidate.learns or effort.estimate <= CHEAP * left
            return "" if kept else self._lost_trial(effort)
        count = len(effort.folds)
        others = [each for each in self.efforts if each.judged]
        best = max(others, key=lambda each: each.score_on(count), default=None)
        if best is None or best.score_on(count) <= effort.score:
            return ""
        pair = (np.concatenate(each.losses[:count]) for each in (effort, best))
        if behind_by(*pair) <= LOST:
            return ""
        some = "fold" if count == 1 else f"{count} folds"
        return (
            f"stopped on the first {some}: {effort.score:.3f} there, and {best.candidate.title}"
            f" has {best.score_on(count):.3f}"
        )

    def _lost_trial(self, effort: Effort) -> str:
        """Return why its trial is enough: one that is judged had a far better trial."""
        own, trials = effort.trial, self._trials
        judged = [each for each in self.efforts if each.judged and each.name in trials]
        same = [each for each in judged if own and trials[each.name].rows == own.rows]
        best = max(same, key=lambda each: trials[each.name].score, default=None)
        if own is None or best is None or best.trial is None:
            return ""
        if own.score >= best.trial.score or behind_by(own.losses, best.trial.losses) <= HOPELESS:
            return ""
        return (
            f"stopped after a trial on {own.rows} rows: {own.score:.3f} there, and"
            f" {best.candidate.title} has {best.trial.score:.3f}"
        )

    # the best

    def _deepen(self) -> None:
        """Search the best models deeper, the best first."""
        found = {each.name: each for each in self.efforts}
        for name in [each.name for each in self._best_first()[:DEEPENED]]:
            for candidate in self.candidates:
                if candidate.deepens == name and self._is_wanted(candidate, found[name]):
                    self._add(candidate, found[name])

    def _is_wanted(self, candidate: Candidate, first: Effort) -> bool:
        """Whether a deeper search is made: there is time, or the run that is repeated made it."""
        if self.rules.deepened is not None:
            return candidate.name in self.rules.deepened
        few = len(self.rows) < DEEP_ROWS
        if few or _why_not(self.rules, candidate, self.budget):
            return False
        free = self._free()
        factor = candidate.cost / first.candidate.cost
        return free is None or factor * first.estimate * (len(self.parts) + 1) <= free

    def _add(self, candidate: Candidate, first: Effort) -> None:
        """Search deeper than a model did, on the rows that it learned from."""
        effort = Effort(self.rules, self.rows, self.parts, candidate)
        effort.most = first.most
        self.efforts.append(effort)
        self._go_on(effort, self._free())
        effort.refuse("" if effort.judged else _too_long(effort.to_come))
        self.watcher.say_results()

    def _fit_to_all_rows(self) -> None:
        """Fit the best models to all rows: the best at any rate, the others while time is left."""
        fitted = 0
        for effort in self._best_first():
            waits = fitted > 0 and effort.name != "baseline"  # guessing costs nothing
            left = self.budget.until_report if waits else None
            if not effort.over and self._has_time(effort, left, fitted):
                with self.budget.until_interrupted():
                    self.watcher.say(effort)
                    effort.step(left)
            if effort.model is not None:
                fitted += 1
            elif effort.judged and fitted == 0:
                effort.refuse(NOT_FITTED)
            effort.settle()
        self.watcher.say_results()

    def _has_time(self, effort: Effort, left: float | None, fitted: int) -> bool:
        if self.rules.fitted is not None:
            return effort.name in self.rules.fitted
        if fitted == 0 or left is None:
            return True
        enough = fitted >= MEMBERS and bool(self._trials)
        return not enough and not self.budget.interrupted and effort.estimate <= left

    def _contest(self) -> Contest:
        """Collect what came out, with the average of the best models if it is better."""
        entries = [effort.entry() for effort in self.efforts]
        models = {each.name: each.model for each in self.efforts if each.model is not None}
        judgements = {each.name: each.judge.judgements for each in self.efforts}
        if self.rules.blend:
            members = [each for each in self._best_first() if each.model is not None]
            found, note = blend(self.rules, members)
            self.notes += [note] if note else []
            if found is not None:
                entries.append(found.entry)
                models[found.entry.name] = found.model
                judgements[found.entry.name] = found.judgements
        notes = (*self._folds_note, *self.notes)
        return Contest(_ranked(entries), models, judgements, notes=notes)

    @property
    def _folds_note(self) -> tuple[str, ...]:
        count = len(self.parts)
        some = "1 fold" if count == 1 else f"{count} folds"
        note = f"To save time, models were compared on {some} of {self._planned}."
        return (note,) if count < self._planned else ()

    def _judged(self, contest: Contest) -> Contest:
        """Add the verdict on the best two."""
        if len(contest.done) < 2:
            lone = "There is no second model to compare with."
            return replace(contest, notes=(*contest.notes, lone))
        by_name = {each.name: each for each in self.candidates}
        best = [(by_name.get(entry.name), entry) for entry in contest.done[:2]]
        verdict, note = fight(self.rules, self.rows, best, self.budget, self.watcher.say_half)
        notes = (*contest.notes, note) if note else contest.notes
        return replace(contest, verdict=verdict, notes=notes)


def _why_not(rules: Rules, candidate: Candidate, budget: Budget) -> str:
    """Return why a candidate is not tried; empty if it is."""
    if candidate.name in rules.left_out:
        return rules.left_out[candidate.name]
    if budget.interrupted:
        return CTRL_C
    return ""


def _is_begun(effort: Effort, left: float | None, *, dare: bool) -> bool:
    """Return whether a model's next step is begun: time is left, and enough unless it is dared."""
    return left is None or (left > 0.0 and (dare or effort.to_come <= left))


def _too_long(seconds: float) -> str:
    if not seconds:
        return "the time budget was spent before it could begin"
    return f"it would take about {duration(seconds)} more, too long for the time budget"


def _ranked(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Put the best mean first; of equal ones any model before the baseline, then the larger AUC."""
    return tuple(sorted(entries, key=_place))


def _place(entry: Entry) -> tuple[float, bool, float]:
    mean = float("nan") if entry.run is None else entry.run.mean
    loss = float("inf") if math.isnan(mean) else -round(mean, EQUAL)
    return loss, entry.name == "baseline", -entry.scores.get("roc_auc", 0.0)

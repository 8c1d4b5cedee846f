"""The family on the same folds: who is best, and whether by more than chance.

Parameters are chosen inside each fold's training part, so that the scores are those of rows that
had no part in any choice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from sklearn.pipeline import Pipeline

from maxmargin.evaluation import Verdict
from maxmargin.evaluation.protocol import Split, splits
from maxmargin.evaluation.rows import Rows
from maxmargin.job.budget import Budget
from maxmargin.job.chronology import forward_folds
from maxmargin.job.duel import fight
from maxmargin.job.effort import Effort
from maxmargin.job.family import Candidate
from maxmargin.job.metric import Judgement
from maxmargin.job.outcome import Entry
from maxmargin.job.progress import Teller, silent
from maxmargin.job.rules import Rules
from maxmargin.job.watcher import Watcher
from maxmargin.progress.duration import duration
from maxmargin.tables import InputError

EQUAL = 12  # decimals to which means are compared: beyond them is rounding
CTRL_C = "Ctrl-C came first"


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

    A model whose first fold says that all of them take longer than its share of the time is put
    off; those are finished at the end, the quickest first, as long as there is time.

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
    efforts = [Effort(rules, rows, parts, candidate) for candidate in candidates]
    watcher = Watcher(efforts, budget, tell)
    for place, effort in enumerate(efforts):
        effort.refuse(_why_not(rules, effort.candidate, rows, budget))
        to_come = [each.cost for each in candidates[place + 1 :]]
        _go_on(effort, budget.share(effort.candidate.cost, to_come), budget, watcher)
        watcher.say_results()
    for effort in sorted(efforts, key=lambda each: each.to_come):
        effort.refuse(CTRL_C if budget.interrupted else "")
        _go_on(effort, budget.until_report, budget, watcher)
        effort.refuse(_too_long(effort.to_come))
        watcher.say_results()
    contest = Contest(
        _ranked([effort.entry() for effort in efforts]),
        {effort.name: effort.model for effort in efforts if effort.model is not None},
        {effort.name: effort.judge.judgements for effort in efforts},
    )
    _refuse_nothing(contest, budget)
    return _judged(rules, rows, contest, candidates, budget, watcher)


def _parts(rules: Rules, rows: Rows) -> list[Split]:
    if rules.table.timeline is not None:
        return forward_folds(rules.table, rows.index, rules.folds)
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


def _too_long(seconds: float) -> str:
    if not seconds:
        return "the time budget was spent before it could begin"
    return f"it would take about {duration(seconds)} more, too long for the time budget"


def _go_on(effort: Effort, limit: float | None, budget: Budget, watcher: Watcher) -> None:
    """Let a model go on for so long, unless it would take longer; the baseline always may."""
    end = None if limit is None or effort.name == "baseline" else perf_counter() + limit
    with budget.until_interrupted():
        while not effort.over:
            left = None if end is None else end - perf_counter()
            if left is not None and effort.to_come > left:
                return
            watcher.say(effort)
            effort.step(None if left is None else max(0.0, left))
    if budget.interrupted:
        effort.refuse(CTRL_C)


def _ranked(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Put the best mean first; of equal ones any model before the baseline, then the larger AUC."""

    def place(entry: Entry) -> tuple[float, bool, float]:
        mean = float("nan") if entry.run is None else entry.run.mean
        loss = float("inf") if math.isnan(mean) else -round(mean, EQUAL)
        return loss, entry.name == "baseline", -entry.scores.get("roc_auc", 0.0)

    return tuple(sorted(entries, key=place))


def _refuse_nothing(contest: Contest, budget: Budget) -> None:
    if contest.done:
        return
    if budget.interrupted:
        raise KeyboardInterrupt
    reasons = "; ".join(f"{each.name}: {each.reason}" for each in contest.entries)
    raise InputError(f"No model could be fitted ({reasons}).")


def _judged(
    rules: Rules,
    rows: Rows,
    contest: Contest,
    candidates: Sequence[Candidate],
    budget: Budget,
    watcher: Watcher,
) -> Contest:
    """Add the verdict on the best two."""
    if len(contest.done) < 2:
        return replace(contest, notes=("There is no second model to compare with.",))
    by_name = {each.name: each for each in candidates}
    best = [(by_name[entry.name], entry) for entry in contest.done[:2]]
    verdict, note = fight(rules, rows, best, budget, watcher.say_half)
    return replace(contest, verdict=verdict, notes=(note,) if note else ())

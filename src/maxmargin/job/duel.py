"""The best two against each other, and whether the difference is more than chance.

By 5x2 cross-validation and Alpaydin's F-test; where there is no time for twenty more fits, by the
corrected resampled t-test on the folds that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from maxmargin.evaluation import Run, Verdict, alpaydin_f, corrected_t
from maxmargin.evaluation.protocol import Split, splits
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.evaluation.run import FoldDone, run_folds
from maxmargin.job.budget import Budget
from maxmargin.job.candidate import Candidate
from maxmargin.job.outcome import Entry
from maxmargin.job.rules import Rules
from maxmargin.ops.clock import TimeUp, watch

BY_HALVES, BY_FOLDS = "5x2cv F", "corrected resampled t"
HALF = 0.6  # of the time of a fold's fit that a fit to half of the rows takes


def fight(
    rules: Rules,
    rows: EvaluationRows,
    best: Sequence[tuple[Candidate | None, Entry]],
    budget: Budget,
    told: Callable[[FoldDone], object],
) -> tuple[Verdict | None, str]:
    """Compare the best two.

    Parameters
    ----------
    rules : Rules
    rows : EvaluationRows
    best : two pairs of Candidate and Entry
        None in place of a candidate for an average of others, which is not fitted to halves.
    budget : Budget
    told : callable
        Told of every fit.

    Returns
    -------
    verdict : Verdict or None
        The first against the second; None where there is a single fold.
    note : str
        Why it is not by 5x2 cross-validation; empty where it is.
    """
    verdict, why = None, "There was no time for 5x2 cross-validation"
    if rules.table.timeline is not None:
        why = "Halves of 5x2 cross-validation would mix past and future"
    fitted = [each for each, _ in best if each is not None]
    if len(fitted) < len(best):
        why = "5x2 cross-validation would fit all members of the average 10 times"
    elif any(entry.sampled_rows for _, entry in best):
        why = "Halves of 5x2 cross-validation are not the samples that models learned from"
    elif _halves_wanted(rules, [entry for _, entry in best], budget):
        with budget.until_interrupted():
            try:
                verdict = _by_halves(rules, rows, fitted, budget, told)
            except TimeUp:
                pass
            except Exception as error:
                why = _why_not(rules, rows, error)
    if verdict is not None:
        return verdict, ""
    runs = [entry.run for _, entry in best if entry.run is not None]
    if len(runs[0].folds) < 2:
        return None, f"{why}, and the best two cannot be compared on a single fold."
    return _by_folds(*runs), f"{why}: the best two are compared on the folds that are there."


def _why_not(rules: Rules, rows: EvaluationRows, error: Exception) -> str:
    """Say why halves cannot be fitted: mostly since a class has not a row for every inner fold."""
    first, _ = _halves(rules, rows)[0]
    if rules.are_few(rows.y[first]):
        return "There are too few rows for 5x2 cross-validation, which learns from half of them"
    return f"5x2 cross-validation could not be done ({type(error).__name__})"


def _halves_wanted(rules: Rules, best: Sequence[Entry], budget: Budget) -> bool:
    if rules.table.timeline is not None:
        return False
    if rules.test is not None:
        return rules.test == BY_HALVES
    needed = 10 * HALF * sum(entry.fit_seconds for entry in best)
    return not budget.interrupted and budget.allows(needed)


def _by_halves(
    rules: Rules,
    rows: EvaluationRows,
    best: Sequence[Candidate],
    budget: Budget,
    told: Callable[[FoldDone], object],
) -> Verdict:
    models = {each.name: each.build(rules.table, rules.wanted) for each in best}
    with watch(budget.until_report):
        runs = run_folds(models, rows, _halves(rules, rows), scoring=rules.judge(), callback=told)
    first, second = (runs[each.name].scores for each in best)
    return alpaydin_f((first - second).reshape(5, 2))


def _halves(rules: Rules, rows: EvaluationRows) -> list[Split]:
    return splits("5x2", rows, classify=rules.classify, random_state=rules.seed + 1)


def _by_folds(first: Run, second: Run) -> Verdict:
    n_train = float(np.mean([len(fold.train) for fold in first.folds]))
    n_test = float(np.mean([len(fold.validate) for fold in first.folds]))
    return corrected_t(first.scores - second.scores, n_train=n_train, n_test=n_test)

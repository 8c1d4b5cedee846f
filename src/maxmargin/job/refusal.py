"""The folds of a contest, and the errors of one that cannot be held or came to nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxmargin.evaluation.protocol import Split, splits
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.job.budget import Budget
from maxmargin.job.chronology import forward_folds
from maxmargin.job.outcome import Entry
from maxmargin.job.rules import Rules
from maxmargin.progress.duration import duration
from maxmargin.tables import InputError


def folds_of(rules: Rules, rows: EvaluationRows) -> list[Split]:
    """Split rows into the folds of a contest.

    Parameters
    ----------
    rules : Rules
    rows : EvaluationRows

    Returns
    -------
    list of pairs of arrays
        The rows that each fold learns from and is judged on.
    """
    if rules.table.timeline is not None:
        return forward_folds(rules.table, rows.index, rules.folds)
    try:
        return splits(rules.folds, rows, classify=rules.classify, random_state=rules.seed)
    except ValueError:
        every = " that hold every class" if rules.classify else ""
        groups = 0 if rows.groups is None else len(np.unique(rows.groups))
        few = f"{len(rows)} rows are" if rows.groups is None else f"{groups} groups of rows are"
        more = "" if rows.groups is None else ", or another --group"
        raise InputError(
            f"{few} too few for {rules.folds} folds{every}: give fewer --folds{more}."
        ) from None


def refuse_nothing(entries: Sequence[Entry], budget: Budget) -> None:
    """Raise an error if no model has a result, or time sufficed for the baseline alone.

    Parameters
    ----------
    entries : sequence of Entry
    budget : Budget
    """
    if budget.total is not None and not budget.interrupted and _is_baseline_alone(entries):
        raise InputError(
            f"The time budget of {duration(budget.total)} was too short for any model but the"
            " baseline: give a longer --time-budget."
        )
    if any(each.status == "done" for each in entries):
        return
    if budget.interrupted:
        raise KeyboardInterrupt
    reasons = "; ".join(f"{each.name}: {each.reason}" for each in entries)
    raise InputError(f"No model could be fitted ({reasons}).")


def _is_baseline_alone(entries: Sequence[Entry]) -> bool:
    """Return whether the clock ended all models but the baseline."""
    others = [each for each in entries if each.name != "baseline"]
    return bool(others) and all(each.status == "stopped" for each in others)

"""What run.json holds: what was asked for, what was decided, which rows were used, what came out.

``results`` depends on the data, the options and the libraries alone; a repeat on the same machine
gives the same bits. What differs from run to run, such as seconds, stands outside of it.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.evaluation import Interval, Verdict
from maxmargin.inputs.opening import read_ordinary
from maxmargin.job.conformal import IntervalResult
from maxmargin.job.contest import Contest
from maxmargin.job.costs import CostResult
from maxmargin.job.device import card_of
from maxmargin.job.job import Job, Replay, replay_of
from maxmargin.job.metric import sought_of
from maxmargin.job.outcome import Entry, Outcome, TestResult
from maxmargin.tables import InputError, Table

FORMAT = "maxmargin run"
VERSION = 1
_LONGEST = 1 << 28  # bytes: row numbers of ten million rows
_OWN = ("replay", "spent", "n_jobs")  # of a run alone
LIBRARIES = ("maxmargin", "numpy", "scipy", "scikit-learn", "numba", "polars")


def record_of(outcome: Outcome, source: Mapping[str, Any]) -> dict[str, Any]:
    """Write an outcome as plain data.

    Parameters
    ----------
    outcome : Outcome
    source : mapping
        How the table was read, for a repeat.

    Returns
    -------
    dict
        For JSON.
    """
    table = outcome.table
    kept = {name: value for name, value in asdict(outcome.job).items() if name not in _OWN}
    return plain(
        {
            "format": FORMAT,
            "version": VERSION,
            "command": outcome.command,
            "seed": outcome.seed,
            "source": {**source, "digest": table.digest},
            "options": kept,
            "decided": asdict(replay_of(outcome)),
            "libraries": {name: metadata.version(name) for name in LIBRARIES},
            "machine": _machine(outcome.job.device),
            "splits": _splits(outcome),
            "results": _results(outcome),
            "notes": outcome.notes,
            "seconds": {
                "all": outcome.seconds,
                "fit": {e.name: e.fit_seconds for e in outcome.entries if e.run is not None},
                "spent": {e.name: e.spent_seconds for e in outcome.entries},
            },
        }
    )


def _machine(device: str) -> dict[str, Any]:
    facts = {"python": platform.python_version(), "processor": platform.machine()}
    return {**facts, "card": card_of(device)}


def _splits(outcome: Outcome) -> dict[str, Any]:
    """Rows as lines of data in the file, from 1."""
    lines, trail = outcome.table.rows + 1, outcome.trail
    folds = [step for step in trail.steps if step.startswith("fold")]
    return {
        "test": lines[trail.rows("test")],
        "folds": [lines[trail.rows("validate", step)] for step in folds],
    }


def _results(outcome: Outcome) -> dict[str, Any]:
    return {
        "metric": outcome.metric,
        "models": entries_of(outcome.entries),
        "winner": outcome.winner,
        "runner_up": outcome.runner_up,
        "verdict": verdict_of(outcome.verdict, outcome.winner, outcome.runner_up),
        "test": test_of(outcome.test),
        "suspects": [asdict(each) for each in outcome.suspects],
        "importances": [asdict(each) for each in outcome.importances],
        "cost": cost_of(outcome.cost),
        "intervals": intervals_of(outcome.intervals),
        "leaks": [each.name for each in outcome.table.leaks],
    }


def entries_of(entries: tuple[Entry, ...]) -> list[dict[str, Any]]:
    """List models with their scores, the best first.

    Parameters
    ----------
    entries : tuple of Entry

    Returns
    -------
    list of dict
    """
    return [
        {
            "name": entry.name,
            "status": entry.status,
            "reason": entry.reason,
            "folds": None if entry.run is None else entry.run.scores,
            "mean": None if entry.run is None else entry.run.mean,
            "deviation": None if entry.run is None else entry.run.deviation,
            "scores": entry.scores,
            "best_params": entry.best_params,
            "proof": entry.proof,
            "sampled_rows": entry.sampled_rows,
        }
        for entry in entries
    ]


def verdict_of(verdict: Verdict | None, first: str, second: str) -> dict[str, Any] | None:
    """Write a verdict with its words.

    Parameters
    ----------
    verdict : Verdict or None
    first, second : str
        The models.

    Returns
    -------
    dict or None
    """
    if verdict is None:
        return None
    return {**asdict(verdict), "words": verdict.words(first, second)}


def comparison_of(contest: Contest, table: Table, metric: str) -> dict[str, Any]:
    """Write a comparison as plain data.

    Parameters
    ----------
    contest : Contest
    table : Table
    metric : str

    Returns
    -------
    dict
        For JSON.
    """
    best = [entry.name for entry in contest.done[:2]]
    return plain(
        {
            "source": table.source,
            "digest": table.digest,
            "metric": metric,
            "sought": sought_of(table),
            "models": entries_of(contest.entries),
            "verdict": verdict_of(contest.verdict, *best) if len(best) == 2 else None,
            "notes": contest.notes,
        }
    )


def test_of(test: TestResult) -> dict[str, Any]:
    """Write a result on test rows.

    Parameters
    ----------
    test : TestResult

    Returns
    -------
    dict
    """
    return {
        "look": test.look.number,
        "score": interval_of(test.look.result),
        "baseline": test.baseline,
        "scores": test.scores,
        "sought": test.sought,
        "labels": test.labels,
        "calibration_error": test.calibration_error,
        "confusion": test.confusion,
        "classes": [
            {
                "label": each.label,
                "rows": each.rows,
                "recall": interval_of(each.recall),
                "precision": interval_of(each.precision),
            }
            for each in test.classes
        ],
    }


def cost_of(cost: CostResult | None) -> dict[str, Any] | None:
    """Write what mistakes cost, a row on average.

    Parameters
    ----------
    cost : CostResult or None

    Returns
    -------
    dict or None
    """
    if cost is None:
        return None
    facts = {name: part for name, part in vars(cost).items() if name not in ("costs", "curve")}
    return {"prices": asdict(cost.costs), **facts, "folds": float(cost.curve.costs.min())}


def intervals_of(found: IntervalResult | None) -> dict[str, Any] | None:
    """Write how often intervals held the truth.

    Parameters
    ----------
    found : IntervalResult or None

    Returns
    -------
    dict or None
    """
    if found is None:
        return None
    coverage = interval_of(found.coverage)
    return {"level": found.level, "coverage": coverage, "width": found.width}


def interval_of(interval: Interval | None) -> dict[str, Any] | None:
    """Write an interval.

    Parameters
    ----------
    interval : Interval or None

    Returns
    -------
    dict or None
    """
    return None if interval is None else asdict(interval)


def interval_from(written: Mapping[str, Any]) -> Interval:
    """Read an interval back; what is not known of it is NaN.

    Parameters
    ----------
    written : mapping
        As ``plain`` leaves what ``interval_of`` gives.

    Returns
    -------
    Interval

    Examples
    --------
    >>> interval_from({"value": 0.5, "low": None})
    Interval(value=0.5, low=nan, high=nan, level=0.95, method='')
    """
    known = {name: part for name, part in written.items() if part is not None}
    return Interval(**{"value": math.nan, "low": math.nan, "high": math.nan, **known})


def plain(value: Any) -> Any:
    """Turn arrays, tuples and numbers of NumPy into what JSON has; what is not finite into null.

    Parameters
    ----------
    value : object

    Returns
    -------
    object

    Examples
    --------
    >>> plain({"a": (np.float64(0.5), float("nan")), "b": np.arange(2)})
    {'a': [0.5, None], 'b': [0, 1]}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else str(value)


def read_record(path: Path) -> dict[str, Any]:
    """Read a run.json.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict
    """
    try:
        record = json.loads(read_ordinary(path, _LONGEST).decode("utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no file {str(path)!r} to repeat.") from None
    except (OSError, ValueError, RecursionError):
        raise InputError(f"{str(path)!r} is no run.json of this command.") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{str(path)!r} is no run.json of this command.")
    if record.get("version") != VERSION:
        raise InputError(f"{str(path)!r} was written by another release: fit again.")
    return record


def job_of(record: Mapping[str, Any], n_jobs: int | None = None) -> Job:
    """Give the job that does again what a record tells of.

    Parameters
    ----------
    record : mapping
    n_jobs : int, default=None
        Threads, on which nothing depends.

    Returns
    -------
    Job
    """
    try:
        return Job(**{**record["options"], "n_jobs": n_jobs, "replay": Replay(**record["decided"])})
    except (KeyError, TypeError):
        raise InputError("The run.json to repeat is damaged: fit again.") from None


def differences(first: Any, second: Any, place: str = "results") -> list[str]:
    """Name the places where two records differ.

    Parameters
    ----------
    first, second : object
        Plain data.
    place : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> differences({"a": [1, 2], "b": 3}, {"a": [1, 4], "b": 3})
    ['results.a[1]']
    """
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        pairs = [(first[key], second[key], f"{place}.{key}") for key in first]
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        pairs = [
            (a, b, f"{place}[{i}]") for i, (a, b) in enumerate(zip(first, second, strict=True))
        ]
    else:
        return [] if first == second else [place]
    return [found for pair in pairs for found in differences(*pair)]

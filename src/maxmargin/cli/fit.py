"""The commands that work on a table: fit, its repeat, and compare."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from maxmargin.cli.complaint import CANNOT, DIFFERENT, leave
from maxmargin.cli.tell import (
    progress,
    say,
    tell_choice,
    tell_entries,
    tell_files,
    tell_leaks,
    tell_outcome,
    tell_table,
)
from maxmargin.job import Entry, Outcome, run_comparison, run_job
from maxmargin.job.folder import MODEL, NAMES, PREDICTIONS, REPORT, RUN, Folder
from maxmargin.job.metric import choose_metric, sought_of
from maxmargin.job.outcome import faults_of
from maxmargin.job.prediction import defused, predictions_of
from maxmargin.job.record import (
    comparison_of,
    differences,
    interval_of,
    job_of,
    plain,
    read_record,
    record_of,
)
from maxmargin.job.request import Request, parse_bytes
from maxmargin.storage import save_model
from maxmargin.tables import InputError, Table


def run_fit(request: Request, out: Path | None, *, json: bool) -> dict[str, Any]:
    """Do the main job and leave its files.

    Parameters
    ----------
    request : Request
    out : Path or None
        The folder for them.
    json : bool
        Whether to print a JSON object instead of words.

    Returns
    -------
    dict
        What run.json holds.
    """
    folder = Folder(_usual_folder(request.file) if out is None else out)
    folder.check(request.file)
    outcome, record = _fit(request, request.load(), folder, json=json)
    _confess(outcome.entries)
    return record


def _usual_folder(file: Path) -> Path:
    return Path(f"maxmargin-{file.name.partition('.')[0] or 'table'}")


def _confess(entries: Iterable[Entry]) -> None:
    """End as a failure if a model is missing by our fault; what could be made is written."""
    faults = faults_of(entries)
    if faults:
        leave(f"A fault of maxmargin, please report it; models are missing ({faults}).", CANNOT)


def _fit(
    request: Request, table: Table, folder: Folder, *, json: bool
) -> tuple[Outcome, dict[str, Any]]:
    if not json:
        tell_table(table)
    with progress(quiet=json) as tell:
        outcome = run_job(request.started(), table, tell, request.command)
    record = record_of(outcome, request.source)
    if not json:
        tell_outcome(outcome)
    write_files(folder, outcome, record, request)
    if json:
        typer.echo(json_text.dumps({**record, "files": [str(folder.path / n) for n in NAMES]}))
    else:
        tell_files(folder.path, NAMES)
        tell_leaks(table)
    return outcome, record


def write_files(folder: Folder, outcome: Outcome, record: dict[str, Any], request: Request) -> None:
    """Write the four files, all of them or none.

    Parameters
    ----------
    folder : Folder
    outcome : Outcome
    record : dict
        What run.json holds.
    request : Request
        How the table was read, for later files, and whether predictions are written bare.
    """
    from maxmargin.report.job_report import JobReport

    with folder.filling() as part:
        JobReport(outcome).save(part / REPORT)
        value = {
            "pipeline": outcome.model,
            "schema": outcome.table.schema,
            "reading": request.reading,
        }
        save_model(part / MODEL, value, about_of(outcome))
        said = predictions_of(outcome)
        (said if request.raw else defused(said)).write_csv(part / PREDICTIONS)
        (part / RUN).write_text(json_text.dumps(record, indent=1) + "\n", encoding="utf-8")


def about_of(outcome: Outcome) -> dict[str, Any]:
    """Say of a model what a reader of its file wants to know.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    dict
        For JSON.
    """
    winner, table = outcome[outcome.winner], outcome.table
    return plain(
        {
            "model": winner.title,
            "name": winner.name,
            "params": winner.best_params,
            "proof": winner.proof,
            "metric": outcome.metric,
            "test": interval_of(outcome.test.look.result),
            "sought": outcome.test.sought,
            "test_rows": len(outcome.test.rows),
            "baseline": outcome.test.baseline,
            "train_rows": len(table.target) - len(outcome.test.rows),
            "source": table.source,
            "digest": table.digest,
            "seed": outcome.seed,
            "command": outcome.command,
        }
    )


def repeat_fit(
    path: Path,
    file: Path | None,
    *,
    jobs: int | None,
    out: Path | None,
    json: bool,
    raw: bool = False,
    memory: str | None = None,
) -> None:
    """Do again what a run.json tells of, and say whether the numbers are the same.

    Parameters
    ----------
    path : Path
        The run.json.
    file : Path or None
        Where the table is now, if not where it was.
    jobs : int or None
        Threads.
    out : Path or None
        The folder for the files; that of the run.json if it is not named.
    json : bool
    raw : bool, default=False
        Whether texts are written that spreadsheets would run.
    memory : str, default=None
        What the table may take.
    """
    old = read_record(path)
    again = Request.again(old, job_of(old, jobs), file)
    request = replace(again, raw=raw, memory=parse_bytes(memory))
    folder = Folder(path.parent if out is None else out)
    folder.check(request.file)
    table = request.load()
    if table.digest != old["source"].get("digest"):
        raise InputError(f"{str(request.file)!r} is not the file of that run: its bytes differ.")
    outcome, new = _fit(request, table, folder, json=json)
    _confess(outcome.entries)
    found = differences(old["results"], new["results"])
    if found:
        others = [name for name, v in new["libraries"].items() if old["libraries"].get(name) != v]
        why = f"; other versions of {', '.join(others)} are installed now" if others else ""
        leave(f"The repeat gave other numbers, the first in {found[0]}{why}.", DIFFERENT)
    if not json:
        say("The repeat gave the same numbers, bit for bit.")


def run_compare(request: Request, *, json: bool) -> None:
    """Compare the models on all rows.

    Parameters
    ----------
    request : Request
    json : bool
    """
    table = request.load()
    if not json:
        tell_table(table)
    with progress(quiet=json) as tell:
        contest = run_comparison(request.started(), table, tell)
    metric = choose_metric(table, request.job.metric)
    if json:
        typer.echo(json_text.dumps(comparison_of(contest, table, metric)))
    else:
        tell_entries(contest.entries, metric, sought_of(table))
        tell_choice(contest.done[:2], contest.verdict)
        for note in contest.notes:
            say((note, "yellow"))
    _confess(contest.entries)

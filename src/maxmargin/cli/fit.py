"""The commands that work on a table: fit, its repeat, and compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from maxmargin.cli.complaint import CANNOT, DIFFERENT, leave
from maxmargin.cli.narrator import Narrator, narrator_of
from maxmargin.job import Entry, run_comparison
from maxmargin.job.folder import Folder
from maxmargin.job.metric import choose_metric
from maxmargin.job.outcome import faults_of
from maxmargin.job.record import differences, job_of, read_record
from maxmargin.job.request import Request, parse_bytes
from maxmargin.job.result import JobResult, carry_out
from maxmargin.tables import InputError, Table


def run_fit(request: Request, out: Path | None, *, json: bool) -> dict[str, Any]:
    """Do the main job and leave its files.

    Parameters
    ----------
    request : Request
    out : Path or None
        The folder for them.
    json : bool
        Whether to print events for programs instead of words.

    Returns
    -------
    dict
        What run.json holds.
    """
    assert request.file is not None
    folder = Folder(_usual_folder(request.file) if out is None else out)
    folder.check(request.file)
    narrator = narrator_of(request, json=json)
    narrator.started(request)
    result = _fit(request, request.load(), folder, narrator)
    _confess(result.outcome.entries)
    return result.record


def _usual_folder(file: Path) -> Path:
    return Path(f"maxmargin-{file.name.partition('.')[0] or 'table'}")


def _confess(entries: Iterable[Entry]) -> None:
    """End as a failure if a model is missing by our fault; what could be made is written."""
    faults = faults_of(entries)
    if faults:
        leave(f"A fault of maxmargin, please report it; models are missing ({faults}).", CANNOT)


def _fit(request: Request, table: Table, folder: Folder, narrator: Narrator) -> JobResult:
    narrator.table(table)
    with narrator.progress() as tell:
        result = carry_out(request, table, tell)
    narrator.result(result)
    narrator.finished(result, result.save(folder.path))
    return result


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
    assert request.file is not None
    folder = Folder(path.parent if out is None else out)
    folder.check(request.file)
    narrator = narrator_of(request, json=json)
    narrator.started(request)
    table = request.load()
    if table.digest != old["source"].get("digest"):
        raise InputError(f"{str(request.file)!r} is not the file of that run: its bytes differ.")
    result = _fit(request, table, folder, narrator)
    _confess(result.outcome.entries)
    new = result.record
    found = differences(old["results"], new["results"])
    if found:
        others = [name for name, v in new["libraries"].items() if old["libraries"].get(name) != v]
        why = f"; other versions of {', '.join(others)} are installed now" if others else ""
        cards = [each["machine"].get("card") or "none" for each in (old, new)]
        why += f"; the card was {cards[0]}, and is {cards[1]} now" if cards[0] != cards[1] else ""
        leave(f"The repeat gave other numbers, the first in {found[0]}{why}.", DIFFERENT)
    narrator.repeated()


def run_compare(request: Request, *, json: bool) -> None:
    """Compare the models on all rows.

    Parameters
    ----------
    request : Request
    json : bool
    """
    narrator = narrator_of(request, json=json)
    narrator.started(request)
    table = request.load()
    narrator.table(table)
    with narrator.progress() as tell:
        contest = run_comparison(request.started(), table, tell)
    narrator.compared(contest, table, choose_metric(table, request.job.metric))
    _confess(contest.entries)

"""Who tells of a job while it runs: words for people, or events for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import typer

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
from maxmargin.job.contest import Contest
from maxmargin.job.events import Events
from maxmargin.job.metric import sought_of
from maxmargin.job.progress import Teller
from maxmargin.job.record import comparison_of
from maxmargin.job.request import Request
from maxmargin.job.result import JobResult
from maxmargin.tables import Table


class Narrator(Protocol):
    """What is told of a job, in its order."""

    def started(self, request: Request) -> None:
        """Tell what was asked for."""

    def table(self, table: Table) -> None:
        """Tell what was read."""

    def progress(self) -> AbstractContextManager[Teller]:
        """Give what is told of the progress."""

    def result(self, result: JobResult) -> None:
        """Tell what was found out, before files are written."""

    def finished(self, result: JobResult, files: Mapping[str, Path]) -> None:
        """Tell what was written."""

    def compared(self, contest: Contest, table: Table, metric: str) -> None:
        """Tell how a comparison came out."""

    def repeated(self) -> None:
        """Tell that a repeat gave the same."""


class Words:
    """Tells people."""

    def started(self, request: Request) -> None:
        """Say nothing: they have just typed it."""

    def table(self, table: Table) -> None:
        """Show the columns."""
        tell_table(table)

    def progress(self) -> AbstractContextManager[Teller]:
        """Give a bar or lines."""
        return progress()

    def result(self, result: JobResult) -> None:
        """Show models and scores."""
        tell_outcome(result.outcome)

    def finished(self, result: JobResult, files: Mapping[str, Path]) -> None:
        """Name the files, and repeat what may spoil the score."""
        paths = list(files.values())
        tell_files(paths[0].parent, [path.name for path in paths])
        tell_leaks(result.table)

    def compared(self, contest: Contest, table: Table, metric: str) -> None:
        """Show models and the verdict."""
        tell_entries(contest.entries, metric, sought_of(table))
        tell_choice(contest.done[:2], contest.verdict)
        for note in contest.notes:
            say((note, "yellow"))

    def repeated(self) -> None:
        """Say so."""
        say("The repeat gave the same numbers, bit for bit.")


class Lines:
    """Tells programs.

    Parameters
    ----------
    begun : float, default=None
        When the command was, by ``perf_counter``.
    """

    def __init__(self, begun: float | None = None) -> None:
        self._events = Events(typer.echo, begun)

    def started(self, request: Request) -> None:
        """Write "started"."""
        self._events.started(request)

    def table(self, table: Table) -> None:
        """Write "table"."""
        self._events.table(table)

    @contextmanager
    def progress(self) -> Iterator[Teller]:
        """Give what writes "progress", "model_begun", "model_finished" and "leader"."""
        yield self._events

    def result(self, result: JobResult) -> None:
        """Wait for the files."""

    def finished(self, result: JobResult, files: Mapping[str, Path]) -> None:
        """Write "finished"."""
        self._events.finished(result, files)

    def compared(self, contest: Contest, table: Table, metric: str) -> None:
        """Write "compared"."""
        comparison: dict[str, Any] = comparison_of(contest, table, metric)
        self._events.compared(comparison)

    def repeated(self) -> None:
        """Say nothing more: the exit code tells."""


def narrator_of(request: Request, *, json: bool) -> Narrator:
    """Choose who tells of a job.

    Parameters
    ----------
    request : Request
    json : bool
        Whether programs listen.

    Returns
    -------
    Narrator
    """
    return Lines(request.begun) if json else Words()

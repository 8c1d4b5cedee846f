"""What a job says to programs while it is at work: events, one object a line.

Their fields are documented in ``events.schema.json``. What goes wrong is told by the command, or
raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from maxmargin.job.outcome import Entry
from maxmargin.job.progress import Progress
from maxmargin.job.record import entries_of, plain
from maxmargin.job.request import Request
from maxmargin.job.result import JobResult
from maxmargin.progress.event import event_line
from maxmargin.tables import Table

_PAUSE = 0.1  # seconds between two reports of progress on the same thing
_DECIMALS = 12  # beyond them is rounding


class Events:
    """Writes what happens as lines of JSON; a ``progress`` of ``maxmargin.job.fit``, too.

    Parameters
    ----------
    write : callable
        Given each line, without its end.
    begun : float, default=None
        When the work was, by ``perf_counter``; now if left out.

    Examples
    --------
    >>> from maxmargin.job import Progress
    >>> tell = Events(print)
    >>> tell(Progress("test rows", "", 1.0, 5.0, 0.0))
    {"event": "progress", "version": 1, "seconds": ..., "model": null, "title": "test rows", ...}
    """

    def __init__(self, write: Callable[[str], object], begun: float | None = None) -> None:
        self._write, self._begun = write, perf_counter() if begun is None else begun
        self._models: set[str] = set()
        self._last = ("", float("-inf"))
        self._leader: tuple[float, bool] = (float("-inf"), False)

    def say(self, event: str, facts: Mapping[str, Any]) -> None:
        """Write an event.

        Parameters
        ----------
        event : str
        facts : mapping
            Its fields.
        """
        self._write(event_line(event, perf_counter() - self._begun, plain(facts)))

    def started(self, request: Request) -> None:
        """Say what was asked for.

        Parameters
        ----------
        request : Request
        """
        job = request.job
        facts = {"command": request.command, "file": request.source["file"]}
        self.say("started", {**facts, "time_budget": job.time_budget, "seed": job.seed})

    def table(self, table: Table) -> None:
        """Say what was read, and what becomes of every column.

        Parameters
        ----------
        table : Table
        """
        schema = table.schema
        facts = {"source": table.source, "rows": table.n_rows, "labelled_rows": len(table.target)}
        facts |= {"target": schema.target, "task": schema.task, "classes": schema.classes}
        columns = [asdict(column) for column in table.columns]
        self.say("table", {**facts, "columns": columns, "notes": table.notes})

    def __call__(self, told: Progress) -> None:
        """Say how far the job is, which models begin and finish, and which one leads.

        Parameters
        ----------
        told : Progress
        """
        if told.result is not None:
            self._result(told.result)
            return
        if told.model and told.model not in self._models:
            self._models.add(told.model)
            self.say("model_begun", {"model": told.model, "title": told.title})
        title, when = self._last
        if told.title == title and told.seconds < when + _PAUSE:
            return
        self._last = told.title, told.seconds
        facts = {"model": told.model or None, "title": told.title, "step": told.step}
        self.say("progress", {**facts, "share": told.share, "seconds_left": told.left})

    def _result(self, entry: Entry) -> None:
        (facts,) = entries_of((entry,))
        head = {"model": facts.pop("name"), "title": entry.title}
        self.say("model_finished", {**head, **facts, "fit_seconds": entry.fit_seconds})
        if entry.run is None:
            return
        place = (round(entry.run.mean, _DECIMALS), entry.name != "baseline")
        if place > self._leader:
            self._leader = place
            facts = {"model": entry.name, "title": entry.title, "mean": entry.run.mean}
            self.say("leader", facts)

    def finished(self, result: JobResult, files: Mapping[str, Path]) -> None:
        """Say how it came out, and where the files are.

        Parameters
        ----------
        result : JobResult
        files : mapping of str to Path
            By what they are.
        """
        places = {name: str(path) for name, path in files.items()}
        facts = {"results": result.record["results"], "notes": result.record["notes"]}
        self.say("finished", {**facts, "files": places})

    def compared(self, comparison: Mapping[str, Any]) -> None:
        """Say how a comparison came out.

        Parameters
        ----------
        comparison : mapping
            As ``comparison_of`` gives it.
        """
        self.say("compared", comparison)

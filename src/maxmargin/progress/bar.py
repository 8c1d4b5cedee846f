"""A progress bar on a terminal and in a notebook, and lines where neither is.

It loads a terminal's library, so it is imported only by those who draw.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from maxmargin.progress.audience import notebook, stderr_is_a_terminal
from maxmargin.progress.duration import duration, time_left


class Report(Protocol):
    """What a bar shows: where some work is."""

    @property
    def title(self) -> str:
        """What is done."""

    @property
    def step(self) -> str:
        """Which part of it."""

    @property
    def share(self) -> float:
        """Of the whole work that is done, between 0 and 1."""

    @property
    def seconds(self) -> float:
        """Since the work began."""

    @property
    def left(self) -> float:
        """Seconds to go; NaN while nothing is known of them."""


Teller = Callable[[Any], object]


@contextmanager
def progress_bar() -> Iterator[Teller]:
    """Show how far work is: a bar on a terminal or in a notebook, else a line for every title.

    Yields
    ------
    callable
        To be called with every report, such as a ``maxmargin.job.Progress``.

    Examples
    --------
    >>> from maxmargin.job import Progress
    >>> with progress_bar() as tell:
    ...     tell(Progress("SVC", "fold 1 of 5", 0.2, 1.0, 4.0))
    """
    if notebook() is not None:
        cell = _NotebookBar()
        yield cell
        cell.end()
    elif stderr_is_a_terminal():
        with _terminal_bar() as tell:
            yield tell
    else:
        yield _BarLines()


@contextmanager
def _terminal_bar() -> Iterator[Teller]:
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[step]}", markup=False, style="dim"),
        BarColumn(),
        TimeElapsedColumn(),
        _TimeLeftColumn(),
        console=Console(stderr=True, highlight=False, markup=False),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=1.0, step="", left=float("nan"), told=bar.get_time())

        def tell(report: Report) -> None:
            fields: dict[str, Any] = {"step": report.step, "left": report.left}
            fields["told"] = bar.get_time()
            bar.update(task, description=report.title, completed=report.share, **fields)

        yield tell


class _TimeLeftColumn(ProgressColumn):
    """The time left, counted down until the next report."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """Draw it."""
        since = task.get_time() - task.fields["told"]
        return Text(time_left(task.fields["left"] - since), style="dim")


class _NotebookBar:
    """The same bar below a cell, drawn by the browser."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._shown = ""
        self._last: Report | None = None

    def __call__(self, report: Report) -> None:
        """Draw a report."""
        self._last = report
        self._show(report.share, [report.title, report.step], report.seconds, report.left)

    def end(self) -> None:
        """Leave a last line."""
        if self._last is not None:
            self._show(1.0, ["done"], self._last.seconds, 0.0)

    def _show(self, share: float, names: list[str], seconds: float, left: float) -> None:
        parts = [*names, f"{100 * share:.0f} %", duration(seconds), time_left(left)]
        words = ", ".join(part for part in parts if part)
        if words == self._shown:
            return
        self._shown = words
        bar = f'<progress value="{share:.3f}" max="1"></progress>'
        data = {"text/html": f"<div>{bar} {escape(words)}</div>", "text/plain": words}
        if self._handle is None:
            from IPython.display import display  # noqa: PLC0415  (there in a notebook alone)

            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)


class _BarLines:
    """A line whenever something else begins."""

    def __init__(self) -> None:
        self._title = ""

    def __call__(self, report: Report) -> None:
        """Write a line if the title is new."""
        if report.title != self._title:
            self._title = report.title
            line = f"{report.seconds:6.1f} s  {report.title} ...  {time_left(report.left)}"
            sys.stderr.write(f"{line.rstrip()}\n")

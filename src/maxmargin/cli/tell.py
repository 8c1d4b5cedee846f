"""What the command line shows: columns before the work, progress during it, results after it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from maxmargin.cli.complaint import shown
from maxmargin.cli.invocation import own_command
from maxmargin.evaluation import Interval, Verdict
from maxmargin.evaluation.run import Run
from maxmargin.job import Entry, Outcome, Progress, TestResult
from maxmargin.job.folder import MODEL
from maxmargin.job.metric import are_unequal, is_of_one_class
from maxmargin.job.progress import Teller
from maxmargin.job.wording import Metric, significant
from maxmargin.progress.bar import progress_bar
from maxmargin.progress.duration import duration, time_left
from maxmargin.tables import Table

COLUMNS = 40  # that are shown of a wide table
PLAIN_WIDTH = 120  # of what is not a terminal

Part = str | tuple[str, str]


def console(*, stderr: bool = False) -> Console:
    """Give a console that takes nothing for markup.

    Parameters
    ----------
    stderr : bool, default=False

    Returns
    -------
    Console
    """
    found = Console(stderr=stderr, highlight=False, markup=False)
    return (
        found
        if found.is_terminal
        else Console(stderr=stderr, highlight=False, markup=False, width=PLAIN_WIDTH)
    )


def say(*parts: Part, stderr: bool = False) -> None:
    """Print one line of plain or styled parts.

    Parameters
    ----------
    *parts : str or tuple of (str, style)
    stderr : bool, default=False
    """
    console(stderr=stderr).print(Text.assemble(*map(_safe, parts)), soft_wrap=True)


def _safe(part: Part) -> Part:
    """Spell out what could steer a terminal, wherever a text came from."""
    if isinstance(part, tuple):
        return _safe_text(part[0]), part[1]
    return _safe_text(part)


def _safe_text(text: str) -> str:
    return shown(str(text).replace("\N{NO-BREAK SPACE}", " "))


def _grid(*heads: str, right: Iterable[str] = ()) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for head in heads:
        grid.add_column(head, justify="right" if head in right else "left", overflow="fold")
    return grid


# before the work


def tell_table(table: Table) -> None:
    """Show the columns, what they are taken for and what becomes of them.

    Parameters
    ----------
    table : Table
    """
    say(
        (shown(table.source), "bold"),
        f": {table.n_rows} rows, predicting ",
        (shown(table.schema.target), "bold"),
        f" ({_target(table)})",
    )
    grid = _grid(
        "column", "holds", "treatment", "missing", "distinct", right=("missing", "distinct")
    )
    for column in table.columns[:COLUMNS]:
        faded = "dim" if column.role == "dropped" else ""
        cells = (column.name, column.kind, column.treatment, column.missing, column.distinct)
        grid.add_row(*(Text(shown(cell), style=faded) for cell in cells))
    console().print(grid)
    if len(table.columns) > COLUMNS:
        say(f"and {len(table.columns) - COLUMNS} more columns")
    for column in table.columns:
        if column.warning:
            say((f"Look at {shown(column.name)!r}: {shown(column.warning)}", "bold red"))
    for note in table.notes:
        say(shown(note))


def _target(table: Table) -> str:
    if table.schema.task == "regression":
        return "a quantity"
    return f"{len(table.schema.classes)} classes"


# during the work


@contextmanager
def progress() -> Iterator[Teller]:
    """Show how far a job is: a bar on a terminal, else a line for every model.

    Yields
    ------
    callable
        To be told of the progress.
    """
    if console(stderr=True).is_terminal:
        with progress_bar() as tell:
            yield tell
    else:
        yield _Lines()


class _Lines:
    """A line whenever something else begins."""

    def __init__(self) -> None:
        self._title = ""

    def __call__(self, told: Progress) -> None:
        if told.title != self._title:
            self._title = told.title
            left = time_left(told.left)
            say(f"{told.seconds:6.1f} s  {told.title} ...  {left}".rstrip(), stderr=True)


# after the work


def tell_entries(entries: Sequence[Entry], metric: str, sought: object = None) -> None:
    """Show the models, the best first; proofs stand apart, they do not say how good a model is.

    Parameters
    ----------
    entries : sequence of Entry
    metric : str
    sought : object, default=None
        The rarer of two classes.
    """
    areas = metric != "roc_auc" and any("roc_auc" in entry.scores for entry in entries)
    meaning = Metric(metric)
    heads = ("model", title(metric, sought), *["AUC"] * areas, "fit", "optimisation")
    grid = _grid(*heads, right=("fit",))
    for entry in entries:
        if entry.run is None:
            behind = entry.status == "behind"
            word = Text("stopped early", style="dim") if behind else Text("no result", "yellow")
            grid.add_row(Text(entry.title), word)
            continue
        area = entry.scores.get("roc_auc")
        grid.add_row(
            Text(entry.title),
            _words(_score_of(entry.run, meaning)),
            *["" if area is None else f"{area:.3f}"] * areas,
            duration(entry.fit_seconds),
            Text(entry.proof, style="dim"),
        )
    console().print(grid)
    for entry in entries:
        if entry.reason:
            color = "dim" if entry.status == "behind" else "yellow"
            say((f"{entry.title}: {shown(entry.reason)}", color))


def _score_of(run: Run, meaning: Metric) -> str:
    """Return the mean over the folds with its deviation, which one fold does not have."""
    spread = meaning.spread(run.deviation)
    return meaning.show(run.mean) + (f" ± {spread}" if spread else "")


def tell_choice(best: Sequence[Entry], verdict: Verdict | None) -> None:
    """Say in words which model is ahead, and whether that means anything.

    Parameters
    ----------
    best : sequence of Entry
        The first, and the second if there is one.
    verdict : Verdict or None
    """
    first = best[0]
    parts: list[Part] = [(first.title, "bold"), " has the best mean"]
    if verdict is not None and len(best) > 1:
        words = verdict.words(first.title, best[1].title)
        parts.append(f"; against {best[1].title} {words}, {verdict.test}")
    say(*parts, ".")


def tell_outcome(outcome: Outcome) -> None:
    """Say what the job found out.

    Parameters
    ----------
    outcome : Outcome
    """
    done = [entry for entry in outcome.entries if entry.run is not None]
    tell_entries(outcome.entries, outcome.metric, outcome.test.sought)
    tell_choice(done[:2], outcome.verdict)
    tell_test(outcome.test, outcome.metric)
    _tell_asked(outcome)
    tell_leaks(outcome.table)
    if are_unequal(outcome.table):
        tell_classes(outcome.test)
    _tell_suspects(outcome)
    for note in outcome.notes:
        say((shown(note), "yellow"))


def _tell_asked(outcome: Outcome) -> None:
    """Say what mistakes cost, and how often intervals held the truth."""
    cost, held = outcome.cost, outcome.intervals
    if cost is not None:
        say(
            f"  {shown(cost.label)} from a probability of {100 * cost.threshold:.1f} % up:"
            f" a row costs {significant(cost.test)} ({cost.missed} missed, {cost.false} false"
            f" alarms); {significant(cost.usual)} at the model's own decision,"
            f" {significant(cost.constant)} without a model"
        )
    if held is not None:
        say(
            f"  intervals for {100 * held.level:g} % of new rows held"
            f" {interval('accuracy', held.coverage)};"
            f" half are at most {significant(held.width)} wide"
        )


def tell_leaks(table: Table) -> None:
    """Warn of features that may hold the target, which no score survives.

    Parameters
    ----------
    table : Table
    """
    for column in table.leaks:
        said = f"Suspected leak: {shown(column.name)!r} {shown(column.warning)}."
        say((said, "bold red"))


def tell_test(test: TestResult, metric: str, rows: str = "test rows") -> None:
    """Say how good the model is on rows that it has not seen, beside guessing.

    Parameters
    ----------
    test : TestResult
    metric : str
    rows : str, default="test rows"
        What they are called.
    """
    result = test.look.result
    assert result is not None
    score = f"{title(metric, test.sought)} {interval(metric, result)}"
    say((f"On {len(test.truth)} {rows}: {score}", "bold"))
    if math.isfinite(test.baseline):
        say(f"  guessing: {_words(Metric(metric).show(test.baseline))}")
    if test.baseline >= (result.low if math.isfinite(result.low) else result.value):
        say(("  That may be no better than guessing.", "bold red"))
    others = [
        f"{title(name, test.sought)} {_words(Metric(name).show(value))}"
        for name, value in test.scores.items()
        if name != metric and math.isfinite(value)
    ]
    say(f"  {', '.join(others)}")


def title(metric: str, sought: object = None) -> str:
    """Say what a metric is called, and of which of two classes it is.

    Parameters
    ----------
    metric : str
    sought : object, default=None
        The class, where there are two.

    Returns
    -------
    str

    Examples
    --------
    >>> title("balanced_accuracy", "yes"), title("average_precision", "yes")
    ('balanced accuracy', 'average precision of yes')
    """
    of = "" if sought is None or not is_of_one_class(metric) else f" of {shown(sought)}"
    return f"{Metric(metric).title}{of}"


def interval(metric: str, found: Interval) -> str:
    """Write a score, with its interval where it has one.

    Parameters
    ----------
    metric : str
    found : Interval

    Returns
    -------
    str

    Examples
    --------
    >>> interval("accuracy", Interval(0.5, 0.25, 0.75))
    '50.0 % (95 % interval 25.0 % to 75.0 %)'
    >>> interval("r2", Interval(0.5, float("nan"), float("nan")))
    '0.500'
    """
    ends = Metric(metric).ends(found) if math.isfinite(found.value) else ""
    return _words(f"{Metric(metric).show(found.value)}{f' ({ends})' if ends else ''}")


def _words(text: str) -> str:
    """Write blanks as a terminal's users type them."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def tell_classes(test: TestResult) -> None:
    """Show how much of each class is found.

    Parameters
    ----------
    test : TestResult
    """
    grid = _grid("class", "rows", "found (recall)", "right when named (precision)", right=("rows",))
    for each in test.classes:
        low = "bold red" if each.recall.value < 0.5 else ""
        recall = Text(interval("recall", each.recall), style=low)
        right = interval("precision", each.precision)
        grid.add_row(Text(shown(each.label)), str(each.rows), recall, right)
    console().print(grid)


def _tell_suspects(outcome: Outcome) -> None:
    worst = outcome.suspects[:5]
    if not worst:
        return
    far = outcome.table.schema.task == "regression"
    say("Rows that look mislabelled:" if not far else "Rows that are furthest off:")
    for each in worst:
        name = f" ({shown(each.id)})" if each.id else ""
        given, said = (
            significant(value, 4) if far else shown(value) for value in (each.given, each.predicted)
        )
        say(f"  row {each.row}{name}: {given}, predicted {said}")


def tell_files(folder: Path, names: Sequence[str]) -> None:
    """Name the files that were written.

    Parameters
    ----------
    folder : Path
    names : sequence of str
    """
    say("written: ", (f"{shown(folder.resolve())}/", "bold cyan"), f" {', '.join(names)}")


def tell_next(folder: Path) -> None:
    """Print the commands to go on with after the demo, ready to paste.

    Parameters
    ----------
    folder : Path
        Where the demo left its files.
    """
    command, model = own_command(), shlex.quote(str(folder / MODEL))
    say()
    say("Train on your own table:       ", (f"{command} fit data.csv --target column", "bold"))
    say("Look at the model just made:   ", (f"{command} info {model}", "bold"))

"""What the command line says while it works."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from maxmargin.cli.complaint import shown
from maxmargin.cli.table import Table
from maxmargin.report import FitReport, Proportion, Scores


def say(*parts: str | tuple[str, str]) -> None:
    """Print one line of plain or styled parts, never broken and never read as markup.

    Parameters
    ----------
    *parts : str or tuple of (str, style)
        What to print.
    """
    Console(highlight=False).print(Text.assemble(*parts), soft_wrap=True)


def waiting(what: str) -> AbstractContextManager[object]:
    """Show a spinner on a terminal while something takes its time.

    Parameters
    ----------
    what : str
        What is going on.

    Returns
    -------
    context manager
        The spinner turns inside it.
    """
    return Console(stderr=True).status(f"{what} ...")


def tell_data(table: Table) -> None:
    """Say what was read and what was left out.

    Parameters
    ----------
    table : Table
        The rows.
    """
    data = table.summary
    say(
        (shown(data.source), "bold"),
        f": {data.n_rows} rows, predicting ",
        (shown(data.target), "bold"),
    )
    if data.n_incomplete:
        say(f"  {data.n_incomplete} rows dropped because a value is missing, {data.n_used} used")
    for note in data.notes:
        say(f"  {shown(note)}")
    for column in data.columns:
        if column.treatment.startswith("dropped"):
            say(f"  column {shown(column.name)!r} {column.treatment}")


def tell_result(report: FitReport) -> None:
    """Say how the fit ended and how good it is.

    Parameters
    ----------
    report : FitReport
        The facts.
    """
    certificate = report.model.certificate_
    good = certificate.status.name == "CERTIFIED"
    say((str(certificate), "green" if good else "yellow"))
    if not good:
        say(("  " + certificate.status.sentence, "yellow"))
    n_support, n_train = int(report.model.n_support_.sum()), report.train.accuracy.total
    _line("support vectors", f"{n_support} of {n_train} rows")
    _line("test accuracy", str(report.test.accuracy), "bold")
    _line("test AUC", _area(report.test), "bold")
    majority, guess = report.test.majority
    _line("guessing", f"{_percent(guess)} (always {shown(majority)})", "dim")
    # No interval: it would speak of new rows, and these the model has seen.
    _line(
        "training",
        f"{_percent(report.train.accuracy)}, AUC {_area(report.train)}: optimistic",
        "dim",
    )


def _line(name: str, value: str, style: str = "") -> None:
    say((f"{name:<19}{value}", style))


def _percent(share: Proportion) -> str:
    return f"{100.0 * share.value:.1f} %"


def _area(scores: Scores) -> str:
    return f"{scores.roc.area:.3f}" if scores.roc else "undefined, all rows are of one class"


def tell_report(path: Path) -> None:
    """Name the report that was written.

    Parameters
    ----------
    path : Path
        Where it is.
    """
    say("report written to  ", (shown(path.resolve()), "bold cyan"))

"""The commands. What they need is imported inside them, so that --help stays quick."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maxmargin.cli.complaint import InputError, complaining

if TYPE_CHECKING:
    from maxmargin.cli.job import Job

DEFAULT_REPORT = Path("maxmargin-report.html")

app = typer.Typer(
    name="maxmargin",
    help="Margin-based learning: fit, judge and report support vector machines.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Kernel(StrEnum):
    """The kernels that have a name on the command line."""

    linear = "linear"
    poly = "poly"
    rbf = "rbf"
    sigmoid = "sigmoid"


ReportOption = Annotated[Path, typer.Option("--report", help="Where the HTML report goes.")]


def main() -> None:
    """Run the command line."""
    app()


def _print_version(wanted: bool) -> None:
    if wanted:
        import maxmargin

        typer.echo(f"maxmargin {maxmargin.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Take the options that stand before any command."""


@app.command()
def fit(
    file: Annotated[Path, typer.Argument(help="A table: .csv, .tsv (both also .gz), .parquet.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    test_size: Annotated[float, typer.Option(help="Share of the rows held out.")] = 0.3,
    kernel: Annotated[Kernel, typer.Option(help="The kernel.")] = Kernel.rbf,
    C: Annotated[float, typer.Option("--C", help="The price of an error.")] = 1.0,
    gamma: Annotated[str, typer.Option(help="Kernel width: scale, auto or a number.")] = "scale",
    degree: Annotated[int, typer.Option(help="Degree of the poly kernel.", min=0)] = 3,
    coef0: Annotated[float, typer.Option(help="Constant of poly and sigmoid.")] = 0.0,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which the fit stops.")
    ] = None,
    report: ReportOption = DEFAULT_REPORT,
    seed: Annotated[int, typer.Option(help="Seed of the split.", min=0)] = 0,
) -> None:
    """Fit a support vector classifier to a table and judge it on rows held out."""
    with complaining():
        from maxmargin.cli.job import Job, parse_gamma

        job = Job(
            file=file,
            target=target,
            test_size=test_size,
            kernel=kernel.value,
            C=C,
            gamma=parse_gamma(gamma),
            degree=degree,
            coef0=coef0,
            time_limit=time_limit,
            seed=seed,
        )
        _fit_and_tell(job, report, job.command)


@app.command()
def demo(report: ReportOption = DEFAULT_REPORT) -> None:
    """Run fit on the Heart data that ship with the package."""
    with complaining():
        from maxmargin.cli.job import Job
        from maxmargin.datasets import heart_path

        _fit_and_tell(Job(heart_path(), target="AHD"), report, "maxmargin demo")


def _fit_and_tell(job: Job, report: Path, command: str) -> None:
    from maxmargin.cli.job import run
    from maxmargin.cli.table import load_table
    from maxmargin.cli.tell import tell_data, tell_report, tell_result, waiting

    _check_report(report, job.file)
    table = load_table(job.file, job.target)
    tell_data(table)
    with waiting("Fitting"):
        result = run(job, table, command)
    tell_result(result)
    result.save(report)
    tell_report(report)


def _check_report(report: Path, file: Path) -> None:
    """Refuse before the work what would fail after it."""
    from maxmargin.report import check_destination

    check_destination(report)
    if report.exists() and file.exists() and report.samefile(file):
        raise InputError("--report names the table itself: choose another file.")

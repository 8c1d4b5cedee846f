"""What a job leaves behind, for programs and for the command alike: one object that knows it all.

The report stands above the job in the layers; the object that hands it out is the one place that
reaches upward, and does so when the report is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from maxmargin.evaluation import Interval
from maxmargin.job.folder import FILES, Folder
from maxmargin.job.frame_model import FrameModel
from maxmargin.job.job import run_job
from maxmargin.job.outcome import Outcome
from maxmargin.job.prediction import defused, predictions_of
from maxmargin.job.progress import Teller, silent
from maxmargin.job.record import cost_of, interval_of, intervals_of, plain, record_of
from maxmargin.job.request import Request
from maxmargin.job.wording import Metric
from maxmargin.storage import save_model
from maxmargin.tables import Table

if TYPE_CHECKING:
    from maxmargin.report.job_report import JobReport


@dataclass(frozen=True, repr=False)
class JobResult:
    """A job that is done.

    Parameters
    ----------
    outcome : Outcome
        All that it found out.
    request : Request
        What was asked for.
    """

    outcome: Outcome
    request: Request

    @property
    def table(self) -> Table:
        """The table as it was read: features, target, and what became of every column."""
        return self.outcome.table

    @property
    def model(self) -> FrameModel:
        """The winner, fitted to all rows that are no test rows."""
        return FrameModel(self.outcome.predictor, self.table.schema, self.request.reading)

    @cached_property
    def report(self) -> JobReport:
        """The report: ``html``, ``markdown`` and ``save(path)``."""
        from maxmargin.report.job_report import JobReport  # noqa: PLC0415  (it draws)

        return JobReport(self.outcome)

    @cached_property
    def predictions(self) -> pl.DataFrame:
        """The test rows with truth and prediction, as in predictions.csv."""
        return predictions_of(self.outcome)

    @property
    def score(self) -> Interval:
        """What models were compared by, on the test rows, with its interval."""
        unknown = float("nan")
        return self.outcome.test.look.result or Interval(unknown, unknown, unknown)

    @property
    def scores(self) -> dict[str, float]:
        """All metrics on the test rows, by scikit-learn's names."""
        return dict(self.outcome.test.scores)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What run.json holds."""
        return record_of(self.outcome, self.request.source)

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know, a sentence each."""
        return (*self.table.notes, *self.outcome.notes)

    def predict(self, data: Any) -> pl.DataFrame:
        """Predict the rows of another table.

        Parameters
        ----------
        data : DataFrame, Arrow table, dict of columns, or path of a file

        Returns
        -------
        DataFrame
            As ``FrameModel.predictions``; ``result.model.predict`` gives the bare labels.
        """
        return self.model.predictions(data)

    def save(self, folder: str | Path, *, raw: bool = False) -> dict[str, Path]:
        """Write the files of the command: all of them, or none.

        Parameters
        ----------
        folder : str or Path
            Made if it is not there. Files of an earlier run in it are replaced, others never.
        raw : bool, default=False
            Whether texts that a spreadsheet would run are written bare into predictions.csv.

        Returns
        -------
        dict of str to Path
            What was written, by "report", "report_markdown", "model", "predictions" and "run".
        """
        target = Folder(Path(folder))
        target.check()
        with target.filling() as part:
            self.report.save(part / FILES["report"])
            self.report.save(part / FILES["report_markdown"])
            value = {
                "pipeline": self.outcome.predictor,
                "typical": self.outcome.typical,
                "schema": self.table.schema,
                "reading": self.request.reading,
            }
            save_model(part / FILES["model"], value, about_of(self.outcome))
            said = self.predictions
            (said if raw or self.request.raw else defused(said)).write_csv(
                part / FILES["predictions"]
            )
            (part / FILES["run"]).write_text(
                json.dumps(self.record, indent=1) + "\n", encoding="utf-8"
            )
        return {what: target.path / name for what, name in FILES.items()}

    def __repr__(self) -> str:
        title, metric = self.outcome[self.outcome.winner].title, Metric(self.outcome.metric)
        ends = metric.ends(self.score)
        words = f"{metric.title} {metric.show(self.score.value)}{f' ({ends})' if ends else ''}"
        words = words.replace("\N{NO-BREAK SPACE}", " ")
        rows = len(self.outcome.test.rows)
        return f"<JobResult {self.table.schema.target!r}: {title}, {words} on {rows} test rows>"

    def _repr_html_(self) -> str:
        """Show the summary in a notebook."""
        return self.report.summary


def carry_out(request: Request, table: Table, tell: Teller = silent) -> JobResult:
    """Do the main job on a table.

    Parameters
    ----------
    request : Request
    table : Table
        That of the request.
    tell : callable
        Told of the progress.

    Returns
    -------
    JobResult
    """
    return JobResult(run_job(request.started(), table, tell, request.command), request)


def about_of(outcome: Outcome) -> Mapping[str, Any]:
    """Say of a model what a reader of its file wants to know.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    mapping
        For JSON.
    """
    winner, table = outcome[outcome.winner], outcome.table
    facts: Mapping[str, Any] = plain(
        {
            "model": winner.title,
            "name": winner.name,
            "params": winner.best_params,
            "proof": winner.proof,
            "metric": outcome.metric,
            "test": interval_of(outcome.test.look.result),
            "sought": outcome.test.sought,
            "cost": cost_of(outcome.cost),
            "intervals": intervals_of(outcome.intervals),
            "test_rows": len(outcome.test.rows),
            "baseline": outcome.test.baseline,
            "train_rows": len(table.target) - len(outcome.test.rows),
            "source": table.source,
            "digest": table.digest,
            "seed": outcome.seed,
            "command": outcome.command,
        }
    )
    return facts

"""The HTML reports of a fit and of a job: one file each that holds everything it shows."""

from maxmargin.inputs.extra import require

require("maxmargin.report", "command", "jinja2", "matplotlib", "polars")

# ruff: noqa: E402  (the sentence about what is missing comes before what is missing)

from maxmargin.report.atomic import WriteError, check_destination, write_atomically
from maxmargin.report.fit_report import FitReport
from maxmargin.report.glass_box import GlassBoxReport
from maxmargin.report.job_report import JobReport
from maxmargin.report.score import Proportion, Scores
from maxmargin.report.summary import Column, DataSummary

__all__ = [
    "Column",
    "DataSummary",
    "FitReport",
    "GlassBoxReport",
    "JobReport",
    "Proportion",
    "Scores",
    "WriteError",
    "check_destination",
    "write_atomically",
]

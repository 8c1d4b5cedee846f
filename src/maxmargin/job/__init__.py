"""The main job: a family of models, tuned, compared fairly, and judged once on test rows."""

from maxmargin.inputs.extra import require

require("maxmargin.job", "command", "polars", "rich")

# ruff: noqa: E402  (the sentence about what is missing comes before what is missing)

from maxmargin.job.budget import parse_budget
from maxmargin.job.call import fit
from maxmargin.job.candidate import Candidate
from maxmargin.job.contest import Contest
from maxmargin.job.events import Events
from maxmargin.job.family import family_of
from maxmargin.job.frame_model import FrameModel
from maxmargin.job.job import Job, Replay, replay_of, run_comparison, run_job
from maxmargin.job.outcome import (
    ClassResult,
    Entry,
    Importance,
    Outcome,
    Suspect,
    TestResult,
)
from maxmargin.job.progress import Progress
from maxmargin.job.result import JobResult
from maxmargin.job.schema import schema_of
from maxmargin.progress.bar import progress_bar

__all__ = [
    "Candidate",
    "ClassResult",
    "Contest",
    "Entry",
    "Events",
    "FrameModel",
    "Importance",
    "Job",
    "JobResult",
    "Outcome",
    "Progress",
    "Replay",
    "Suspect",
    "TestResult",
    "family_of",
    "fit",
    "parse_budget",
    "progress_bar",
    "replay_of",
    "run_comparison",
    "run_job",
    "schema_of",
]

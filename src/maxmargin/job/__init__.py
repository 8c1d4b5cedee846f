"""The main job: a family of models, tuned, compared fairly, and judged once on test rows."""

from maxmargin.job.outcome import (
    ClassResult,
    Entry,
    Importance,
    Outcome,
    Suspect,
    TestResult,
)

__all__ = ["ClassResult", "Entry", "Importance", "Outcome", "Suspect", "TestResult"]

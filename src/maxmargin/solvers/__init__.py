"""Solvers, one file an algorithm; ``run`` holds the only outer loop."""

from maxmargin.solvers.row_cache import RowCache
from maxmargin.solvers.run import Limits, Progress, Solution, Trace, interruptible, run, tell
from maxmargin.solvers.shrinking import Shrinking
from maxmargin.solvers.working_set import WorkingSet

__all__ = [
    "Limits",
    "Progress",
    "RowCache",
    "Shrinking",
    "Solution",
    "Trace",
    "WorkingSet",
    "interruptible",
    "run",
    "tell",
]

"""How far a fit or a search is, and who is told: log, lines, bars and scikit-learn's callbacks."""

from maxmargin.progress.audience import logger
from maxmargin.progress.costs import MeasuredCosts
from maxmargin.progress.time_left import TimeLeft
from maxmargin.progress.work import Work, advance, current, muted, part

__all__ = [
    "MeasuredCosts",
    "TimeLeft",
    "Work",
    "advance",
    "current",
    "logger",
    "muted",
    "part",
]

"""Boosting: stumps, AdaBoost, boosting of any loss, bagging, and their theory as numbers."""

from maxmargin.boosting.columns import Columns
from maxmargin.boosting.rounds import History, Round, Stop
from maxmargin.boosting.split import Split
from maxmargin.boosting.stump import DecisionStump, RegressionStump

__all__ = [
    "Columns",
    "DecisionStump",
    "History",
    "RegressionStump",
    "Round",
    "Split",
    "Stop",
]

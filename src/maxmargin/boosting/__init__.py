"""Boosting: stumps, AdaBoost, boosting of any loss, bagging, and their theory as numbers."""

from maxmargin.boosting.rounds import History, Round, Stop

__all__ = [
    "History",
    "Round",
    "Stop",
]

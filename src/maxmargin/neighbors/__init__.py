"""Nearest neighbours: what scikit-learn's lack."""

from maxmargin.neighbors.condensed import CondensedNeighbors
from maxmargin.neighbors.edited import EditedNeighbors
from maxmargin.neighbors.neighbors_cv import KNeighborsClassifierCV, KNeighborsRegressorCV

__all__ = [
    "CondensedNeighbors",
    "EditedNeighbors",
    "KNeighborsClassifierCV",
    "KNeighborsRegressorCV",
]

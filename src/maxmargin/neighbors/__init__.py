"""Nearest neighbours: what scikit-learn's lack."""

from maxmargin.neighbors.attribute import AttributeSearch, AttributeStep
from maxmargin.neighbors.condensed import CondensedNeighbors
from maxmargin.neighbors.distance import MixedDistance
from maxmargin.neighbors.edited import EditedNeighbors
from maxmargin.neighbors.mixed import MixedNeighborsClassifier, MixedNeighborsRegressor
from maxmargin.neighbors.neighbors_cv import KNeighborsClassifierCV, KNeighborsRegressorCV
from maxmargin.neighbors.tessellation import Tessellation, tessellate

__all__ = [
    "AttributeSearch",
    "AttributeStep",
    "CondensedNeighbors",
    "EditedNeighbors",
    "KNeighborsClassifierCV",
    "KNeighborsRegressorCV",
    "MixedDistance",
    "MixedNeighborsClassifier",
    "MixedNeighborsRegressor",
    "Tessellation",
    "tessellate",
]

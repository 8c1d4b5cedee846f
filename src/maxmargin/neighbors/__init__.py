"""Nearest neighbours: what scikit-learn's lack."""

from typing import TYPE_CHECKING

from maxmargin.inputs.moved import names_of_course
from maxmargin.neighbors.attribute import AttributeSearch, AttributeStep
from maxmargin.neighbors.brute import BruteNeighborsTransformer
from maxmargin.neighbors.condensed import CondensedNeighbors
from maxmargin.neighbors.distance import MixedDistance
from maxmargin.neighbors.edited import EditedNeighbors
from maxmargin.neighbors.hashing import LSHNeighborsTransformer
from maxmargin.neighbors.mixed import MixedNeighborsClassifier, MixedNeighborsRegressor
from maxmargin.neighbors.neighbors_cv import KNeighborsClassifierCV, KNeighborsRegressorCV
from maxmargin.neighbors.tessellation import Tessellation, tessellate

if TYPE_CHECKING:
    from maxmargin.course.dimension import DimensionFacts, dimension_facts
    from maxmargin.course.neighbor_search import (
        SearchCost,
        SearchCosts,
        search_costs,
        search_costs_by_dimension,
    )

__all__ = [
    "AttributeSearch",
    "AttributeStep",
    "BruteNeighborsTransformer",
    "CondensedNeighbors",
    "DimensionFacts",
    "EditedNeighbors",
    "KNeighborsClassifierCV",
    "KNeighborsRegressorCV",
    "LSHNeighborsTransformer",
    "MixedDistance",
    "MixedNeighborsClassifier",
    "MixedNeighborsRegressor",
    "SearchCost",
    "SearchCosts",
    "Tessellation",
    "dimension_facts",
    "search_costs",
    "search_costs_by_dimension",
    "tessellate",
]

__getattr__ = names_of_course(__name__, __all__, "maxmargin.course")

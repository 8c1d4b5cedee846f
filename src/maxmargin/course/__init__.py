"""What only teaches: numbers that explain an idea, and (in ``course.plots``) pictures of it.

No fit and no prediction needs this room. Its names are also names of the rooms that they explain:
``maxmargin.evaluation.bias_variance`` is ``maxmargin.course.bias_variance``.
"""

from maxmargin.course.bias_variance import (
    BiasVariance,
    MemberCorrelation,
    bias_variance,
    member_correlation,
)
from maxmargin.course.counterexample import counterexamples
from maxmargin.course.dimension import DimensionFacts, dimension_facts
from maxmargin.course.economics import FeatureSpace, feature_space
from maxmargin.course.neighbor_search import (
    SearchCost,
    SearchCosts,
    search_costs,
    search_costs_by_dimension,
)
from maxmargin.course.round_errors import RoundErrors, round_errors

__all__ = [
    "BiasVariance",
    "DimensionFacts",
    "FeatureSpace",
    "MemberCorrelation",
    "RoundErrors",
    "SearchCost",
    "SearchCosts",
    "bias_variance",
    "counterexamples",
    "dimension_facts",
    "feature_space",
    "member_correlation",
    "round_errors",
    "search_costs",
    "search_costs_by_dimension",
]

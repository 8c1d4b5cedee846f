"""Pictures that explain an idea, under the same names in ``maxmargin.plots``."""

from maxmargin.course.plots.alpha import AlphaDisplay, alphas
from maxmargin.course.plots.bias_variance import BiasVarianceDisplay, bias_variance
from maxmargin.course.plots.complementarity import SlacknessDisplay, slackness
from maxmargin.course.plots.descent import DescentDisplay, descent
from maxmargin.course.plots.force import ForcesDisplay, forces
from maxmargin.course.plots.margin_distribution import (
    MarginDistributionDisplay,
    margin_distribution,
)
from maxmargin.course.plots.overfitting import OverfittingDisplay, overfitting
from maxmargin.course.plots.population import PopulationDisplay, population_minimisers
from maxmargin.course.plots.rounds import RoundsDisplay, rounds
from maxmargin.course.plots.rounds_table import RoundsTableDisplay
from maxmargin.course.plots.search_costs import SearchDisplay, searches
from maxmargin.course.plots.tree import StumpDisplay, tree
from maxmargin.course.plots.voronoi import VoronoiDisplay, voronoi

__all__ = [
    "AlphaDisplay",
    "BiasVarianceDisplay",
    "DescentDisplay",
    "ForcesDisplay",
    "MarginDistributionDisplay",
    "OverfittingDisplay",
    "PopulationDisplay",
    "RoundsDisplay",
    "RoundsTableDisplay",
    "SearchDisplay",
    "SlacknessDisplay",
    "StumpDisplay",
    "VoronoiDisplay",
    "alphas",
    "bias_variance",
    "descent",
    "forces",
    "margin_distribution",
    "overfitting",
    "population_minimisers",
    "rounds",
    "searches",
    "slackness",
    "tree",
    "voronoi",
]

"""Pictures of margins, losses, curves and rounds, as Display objects in scikit-learn's manner."""

from typing import TYPE_CHECKING

from maxmargin.inputs.extra import require

require("maxmargin.plots", "plots", "matplotlib")

# ruff: noqa: E402  (the sentence about what is missing comes before what is missing)

from maxmargin.evaluation import RocCurve
from maxmargin.inputs.moved import names_of_course
from maxmargin.plots.boundary import BoundaryDisplay, boundary
from maxmargin.plots.calibration import CalibrationDisplay, calibration
from maxmargin.plots.cascade import (
    FirstFeaturesDisplay,
    SurvivalDisplay,
    first_features,
    survival,
)
from maxmargin.plots.detection import (
    DetectionsDisplay,
    DetectorRocDisplay,
    detections,
    detector_roc,
)
from maxmargin.plots.error_curve import ErrorCurveDisplay, error_curves
from maxmargin.plots.evidence import EvidenceDisplay, evidence
from maxmargin.plots.glass_box import (
    ExplanationDisplay,
    PairDisplay,
    TermsDisplay,
    explanation,
    pair,
    terms,
)
from maxmargin.plots.gram import GramDisplay, gram
from maxmargin.plots.hardest import HardestDisplay, hardest
from maxmargin.plots.kernel_weights import KernelWeightsDisplay, kernel_weights
from maxmargin.plots.loss import LossDisplay, losses
from maxmargin.plots.loss_curve import LossCurveDisplay, loss_curves
from maxmargin.plots.margin import MarginDisplay
from maxmargin.plots.path import PathDisplay, path
from maxmargin.plots.precision_recall import PrecisionRecallDisplay, precision_recall
from maxmargin.plots.probability import ProbabilityDisplay, probability_field
from maxmargin.plots.projection import ProjectionDisplay, projection
from maxmargin.plots.roc import roc
from maxmargin.plots.shape import ShapeDisplay, shape_functions
from maxmargin.plots.splits import SplitsDisplay, splits
from maxmargin.plots.subtree import SubtreeDisplay, subtrees
from maxmargin.plots.table_search import TableSearchDisplay, table_search
from maxmargin.plots.telling import TellingDisplay, telling_substrings
from maxmargin.plots.trace import ConvergenceDisplay, convergence
from maxmargin.plots.tuning import TuningDisplay, tuning

if TYPE_CHECKING:
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
    "BoundaryDisplay",
    "CalibrationDisplay",
    "ConvergenceDisplay",
    "DescentDisplay",
    "DetectionsDisplay",
    "DetectorRocDisplay",
    "ErrorCurveDisplay",
    "EvidenceDisplay",
    "ExplanationDisplay",
    "FirstFeaturesDisplay",
    "ForcesDisplay",
    "GramDisplay",
    "HardestDisplay",
    "KernelWeightsDisplay",
    "LossCurveDisplay",
    "LossDisplay",
    "MarginDisplay",
    "MarginDistributionDisplay",
    "OverfittingDisplay",
    "PairDisplay",
    "PathDisplay",
    "PopulationDisplay",
    "PrecisionRecallDisplay",
    "ProbabilityDisplay",
    "ProjectionDisplay",
    "RocCurve",
    "RoundsDisplay",
    "RoundsTableDisplay",
    "SearchDisplay",
    "ShapeDisplay",
    "SlacknessDisplay",
    "SplitsDisplay",
    "StumpDisplay",
    "SubtreeDisplay",
    "SurvivalDisplay",
    "TableSearchDisplay",
    "TellingDisplay",
    "TermsDisplay",
    "TuningDisplay",
    "VoronoiDisplay",
    "alphas",
    "bias_variance",
    "boundary",
    "calibration",
    "convergence",
    "descent",
    "detections",
    "detector_roc",
    "error_curves",
    "evidence",
    "explanation",
    "first_features",
    "forces",
    "gram",
    "hardest",
    "kernel_weights",
    "loss_curves",
    "losses",
    "margin_distribution",
    "overfitting",
    "pair",
    "path",
    "population_minimisers",
    "precision_recall",
    "probability_field",
    "projection",
    "roc",
    "rounds",
    "searches",
    "shape_functions",
    "slackness",
    "splits",
    "subtrees",
    "survival",
    "table_search",
    "telling_substrings",
    "terms",
    "tree",
    "tuning",
    "voronoi",
]

__getattr__ = names_of_course(__name__, __all__, "maxmargin.course.plots")

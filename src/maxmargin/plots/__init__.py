"""Pictures of margins, losses, curves and rounds, as Display objects in scikit-learn's manner."""

from maxmargin.evaluation import RocCurve
from maxmargin.plots.alpha import AlphaDisplay, alphas
from maxmargin.plots.calibration import CalibrationDisplay, calibration
from maxmargin.plots.complementarity import SlacknessDisplay, slackness
from maxmargin.plots.error_curve import ErrorCurveDisplay, error_curves
from maxmargin.plots.force import ForcesDisplay, forces
from maxmargin.plots.hardest import HardestDisplay, hardest
from maxmargin.plots.kernel_weights import KernelWeightsDisplay, kernel_weights
from maxmargin.plots.loss import LossDisplay, losses
from maxmargin.plots.loss_curve import LossCurveDisplay, loss_curves
from maxmargin.plots.margin import MarginDisplay
from maxmargin.plots.margin_distribution import MarginDistributionDisplay, margin_distribution
from maxmargin.plots.path import PathDisplay, path
from maxmargin.plots.precision_recall import PrecisionRecallDisplay, precision_recall
from maxmargin.plots.projection import ProjectionDisplay, projection
from maxmargin.plots.roc import plot_roc as plot_roc  # an earlier name
from maxmargin.plots.roc import roc
from maxmargin.plots.rounds import RoundsDisplay, rounds
from maxmargin.plots.shape import ShapeDisplay, shape_functions
from maxmargin.plots.splits import SplitsDisplay, splits
from maxmargin.plots.trace import ConvergenceDisplay, convergence
from maxmargin.plots.tuning import TuningDisplay, tuning

__all__ = [
    "AlphaDisplay",
    "CalibrationDisplay",
    "ConvergenceDisplay",
    "ErrorCurveDisplay",
    "ForcesDisplay",
    "HardestDisplay",
    "KernelWeightsDisplay",
    "LossCurveDisplay",
    "LossDisplay",
    "MarginDisplay",
    "MarginDistributionDisplay",
    "PathDisplay",
    "PrecisionRecallDisplay",
    "ProjectionDisplay",
    "RocCurve",
    "RoundsDisplay",
    "ShapeDisplay",
    "SlacknessDisplay",
    "SplitsDisplay",
    "TuningDisplay",
    "alphas",
    "calibration",
    "convergence",
    "error_curves",
    "forces",
    "hardest",
    "kernel_weights",
    "loss_curves",
    "losses",
    "margin_distribution",
    "path",
    "precision_recall",
    "projection",
    "roc",
    "rounds",
    "shape_functions",
    "slackness",
    "splits",
    "tuning",
]

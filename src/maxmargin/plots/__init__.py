"""Pictures of margins, losses, curves and rounds, as Display objects in scikit-learn's manner."""

from maxmargin.evaluation import RocCurve
from maxmargin.plots.alpha import AlphaDisplay, alphas
from maxmargin.plots.error_curve import ErrorCurveDisplay, error_curves
from maxmargin.plots.hardest import HardestDisplay, hardest
from maxmargin.plots.loss import LossDisplay, losses
from maxmargin.plots.loss_curve import LossCurveDisplay, loss_curves
from maxmargin.plots.margin import MarginDisplay
from maxmargin.plots.margin_distribution import MarginDistributionDisplay, margin_distribution
from maxmargin.plots.precision_recall import PrecisionRecallDisplay, precision_recall
from maxmargin.plots.roc import plot_roc, roc
from maxmargin.plots.rounds import RoundsDisplay, rounds
from maxmargin.plots.shape import ShapeDisplay, shape_functions
from maxmargin.plots.splits import SplitsDisplay, splits
from maxmargin.plots.trace import ConvergenceDisplay, convergence

__all__ = [
    "AlphaDisplay",
    "ConvergenceDisplay",
    "ErrorCurveDisplay",
    "HardestDisplay",
    "LossCurveDisplay",
    "LossDisplay",
    "MarginDisplay",
    "MarginDistributionDisplay",
    "PrecisionRecallDisplay",
    "RocCurve",
    "RoundsDisplay",
    "ShapeDisplay",
    "SplitsDisplay",
    "alphas",
    "convergence",
    "error_curves",
    "hardest",
    "loss_curves",
    "losses",
    "margin_distribution",
    "plot_roc",
    "precision_recall",
    "roc",
    "rounds",
    "shape_functions",
    "splits",
]

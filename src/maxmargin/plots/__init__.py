"""Pictures of margins, losses and curves, as Display objects in scikit-learn's manner."""

from maxmargin.plots.loss import LossDisplay, losses
from maxmargin.plots.margin import MarginDisplay
from maxmargin.plots.roc import RocCurve, plot_roc
from maxmargin.plots.trace import ConvergenceDisplay, convergence

__all__ = [
    "ConvergenceDisplay",
    "LossDisplay",
    "MarginDisplay",
    "RocCurve",
    "convergence",
    "losses",
    "plot_roc",
]

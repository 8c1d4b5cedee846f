"""Pictures of margins and of curves, as Display objects in scikit-learn's manner."""

from maxmargin.plots.margin import MarginDisplay
from maxmargin.plots.roc import RocCurve, plot_roc

__all__ = ["MarginDisplay", "RocCurve", "plot_roc"]

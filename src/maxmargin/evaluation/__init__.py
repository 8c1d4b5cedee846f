"""Numbers that judge a model on rows: ROC curves and the areas below them."""

from maxmargin.evaluation.roc import RocCurve

__all__ = ["RocCurve"]

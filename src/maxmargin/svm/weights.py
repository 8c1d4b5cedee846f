"""Weights of rows and classes; they live in ``inputs.weights``."""

from maxmargin.inputs.weights import check_sample_weight, weigh_classes

__all__ = ["check_sample_weight", "weigh_classes"]

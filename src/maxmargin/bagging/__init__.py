"""Bagging: votes of classifiers that have each learnt from a bootstrap sample of the rows."""

from maxmargin.bagging.classifier import BaggingClassifier

__all__ = ["BaggingClassifier"]

"""The estimators of margins."""

from maxmargin.svm.svc import SVC

__all__ = ["SVC"]

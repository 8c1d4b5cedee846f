"""Dask in, an ordinary model out (design below)."""
from maxmargin.dask.adaboost import AdaBoostClassifier
from maxmargin.dask.linear import LinearClassifier, LinearSVC, LinearSVR

__all__ = ["AdaBoostClassifier", "LinearClassifier", "LinearSVC", "LinearSVR"]

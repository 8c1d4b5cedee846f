"""Dask in, an ordinary model out (design below)."""

from maxmargin.dask.linear import LinearClassifier, LinearSVC, LinearSVR

__all__ = ["LinearClassifier", "LinearSVC", "LinearSVR"]

"""Kernels: values with an algebra, evaluated in blocks.

>>> from maxmargin.kernels import RBF, Linear
>>> RBF(gamma=0.5) + 0.1 * Linear()
RBF(gamma=0.5) + 0.1 * Linear()
"""

from maxmargin.kernels.algebra import (
    Exponential,
    Normalized,
    Power,
    Product,
    Restricted,
    Scaled,
    Sum,
    exp,
)
from maxmargin.kernels.approximation import FourierFeatures, Nystroem
from maxmargin.kernels.base import Kernel, Prepared
from maxmargin.kernels.counterexample import counterexamples
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.economics import FeatureSpace, feature_space
from maxmargin.kernels.function import FeatureMap, FromFunction
from maxmargin.kernels.points import Points
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.static import Constant
from maxmargin.kernels.stationary import RBF, Laplacian
from maxmargin.kernels.validity import KernelCheck, check

__all__ = [
    "RBF",
    "Constant",
    "Exponential",
    "FeatureMap",
    "FeatureSpace",
    "FourierFeatures",
    "FromFunction",
    "Kernel",
    "KernelCheck",
    "Laplacian",
    "Linear",
    "Normalized",
    "Nystroem",
    "Points",
    "Polynomial",
    "Power",
    "Precomputed",
    "Prepared",
    "Product",
    "Restricted",
    "Scaled",
    "Sigmoid",
    "Sum",
    "check",
    "counterexamples",
    "exp",
    "feature_space",
]

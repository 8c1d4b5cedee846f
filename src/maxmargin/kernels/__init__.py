"""Kernels: values with an algebra, evaluated in blocks.

>>> from maxmargin.kernels import RBF, Linear
>>> RBF(gamma=0.5) + 0.1 * Linear()
RBF(gamma=0.5) + 0.1 * Linear()
"""

from typing import TYPE_CHECKING

from maxmargin.inputs.moved import names_of_course
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
from maxmargin.kernels.base import Kernel, Prepared, Takes
from maxmargin.kernels.categorical import Categorical
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.function import FeatureMap, FromFunction
from maxmargin.kernels.graph import Graph
from maxmargin.kernels.graphlet import Graphlet
from maxmargin.kernels.matern import Matern, RationalQuadratic
from maxmargin.kernels.mismatch import Mismatch
from maxmargin.kernels.points import Points
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.random_walk import RandomWalk
from maxmargin.kernels.repair import RepairedGram, nearest_psd
from maxmargin.kernels.shortest_path import ShortestPath
from maxmargin.kernels.spectrum import Spectrum
from maxmargin.kernels.static import Constant
from maxmargin.kernels.stationary import RBF, Laplacian
from maxmargin.kernels.subsequence import Subsequence
from maxmargin.kernels.tokens import Words
from maxmargin.kernels.transformer import KernelFeatures
from maxmargin.kernels.validity import KernelCheck, check
from maxmargin.kernels.weighted_degree import WeightedDegree
from maxmargin.kernels.weisfeiler_lehman import WeisfeilerLehman

if TYPE_CHECKING:
    from maxmargin.course.counterexample import counterexamples
    from maxmargin.course.economics import FeatureSpace, feature_space

__all__ = [
    "RBF",
    "Categorical",
    "Constant",
    "Exponential",
    "FeatureMap",
    "FeatureSpace",
    "FourierFeatures",
    "FromFunction",
    "Graph",
    "Graphlet",
    "Kernel",
    "KernelCheck",
    "KernelFeatures",
    "Laplacian",
    "Linear",
    "Matern",
    "Mismatch",
    "Normalized",
    "Nystroem",
    "Points",
    "Polynomial",
    "Power",
    "Precomputed",
    "Prepared",
    "Product",
    "RandomWalk",
    "RationalQuadratic",
    "RepairedGram",
    "Restricted",
    "Scaled",
    "ShortestPath",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "Sum",
    "Takes",
    "WeightedDegree",
    "WeisfeilerLehman",
    "Words",
    "check",
    "counterexamples",
    "exp",
    "feature_space",
    "nearest_psd",
]

__getattr__ = names_of_course(__name__, __all__, "maxmargin.course")

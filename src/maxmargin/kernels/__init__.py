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
from maxmargin.kernels.base import Kernel, Prepared
from maxmargin.kernels.counterexample import counterexamples
from maxmargin.kernels.counting import GraphFeatures
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.function import FeatureMap, FromFunction
from maxmargin.kernels.graph import Graph
from maxmargin.kernels.graphlet import Graphlet
from maxmargin.kernels.points import Points
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.random_walk import RandomWalk
from maxmargin.kernels.repair import RepairedGram, nearest_psd
from maxmargin.kernels.shortest_path import ShortestPath
from maxmargin.kernels.static import Constant
from maxmargin.kernels.stationary import RBF, Laplacian
from maxmargin.kernels.validity import KernelCheck, check
from maxmargin.kernels.weisfeiler_lehman import WeisfeilerLehman

__all__ = [
    "RBF",
    "Constant",
    "Exponential",
    "FeatureMap",
    "FromFunction",
    "Graph",
    "GraphFeatures",
    "Graphlet",
    "Kernel",
    "KernelCheck",
    "Laplacian",
    "Linear",
    "Normalized",
    "Points",
    "Polynomial",
    "Power",
    "Precomputed",
    "Prepared",
    "Product",
    "RandomWalk",
    "RepairedGram",
    "Restricted",
    "Scaled",
    "ShortestPath",
    "Sigmoid",
    "Sum",
    "WeisfeilerLehman",
    "check",
    "counterexamples",
    "exp",
    "nearest_psd",
]

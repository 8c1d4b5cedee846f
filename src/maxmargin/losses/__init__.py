"""Losses: values with a value, a derivative, a curvature and a conjugate.

>>> from maxmargin import losses
>>> losses.Hinge().value([2.0, 0.5, -1.0], [1, 1, 1]).tolist()
[0.0, 0.5, 2.0]
>>> losses.named("hinge") == losses.Hinge()
True
"""

from maxmargin.losses.amounts import Gamma, Tweedie
from maxmargin.losses.base import Loss
from maxmargin.losses.choice import named
from maxmargin.losses.margin import (
    Exponential,
    Hinge,
    Logistic,
    MarginLoss,
    ModifiedHuber,
    Squared,
    SquaredHinge,
    ZeroOne,
)
from maxmargin.losses.ranking import PairwiseLogistic, Queries
from maxmargin.losses.regression import (
    AbsoluteError,
    Huber,
    Insensitive,
    Poisson,
    Quantile,
    ResidualLoss,
    SquaredError,
    SquaredInsensitive,
)

__all__ = [
    "AbsoluteError",
    "Exponential",
    "Gamma",
    "Hinge",
    "Huber",
    "Insensitive",
    "Logistic",
    "Loss",
    "MarginLoss",
    "ModifiedHuber",
    "PairwiseLogistic",
    "Poisson",
    "Quantile",
    "Queries",
    "ResidualLoss",
    "Squared",
    "SquaredError",
    "SquaredHinge",
    "SquaredInsensitive",
    "Tweedie",
    "ZeroOne",
    "named",
]

"""Boosting: AdaBoost, boosting of any loss, and their theory as numbers.

What it is made of (``trees``) and bagging can be imported from here too.
"""

from maxmargin.bagging import BaggingClassifier
from maxmargin.boosting.adaboost import AdaBoostClassifier
from maxmargin.boosting.classifier import BoostingClassifier
from maxmargin.boosting.corrective import JointOptimality
from maxmargin.boosting.lpboost import LPBoostClassifier
from maxmargin.boosting.ranker import BoostingRanker
from maxmargin.boosting.regressor import BoostingRegressor
from maxmargin.boosting.soft_margin import Optimality, soft_margin
from maxmargin.boosting.theory import MarginDistribution, alpha_of_error, bound_training_error
from maxmargin.ensembles import History, Round, Stop
from maxmargin.trees import (
    Columns,
    DecisionStump,
    RegressionStump,
    ShapeFunction,
    ShapeFunctions,
    Split,
    StumpEnsemble,
)

__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BoostingClassifier",
    "BoostingRanker",
    "BoostingRegressor",
    "Columns",
    "DecisionStump",
    "History",
    "JointOptimality",
    "LPBoostClassifier",
    "MarginDistribution",
    "Optimality",
    "RegressionStump",
    "Round",
    "ShapeFunction",
    "ShapeFunctions",
    "Split",
    "Stop",
    "StumpEnsemble",
    "alpha_of_error",
    "bound_training_error",
    "soft_margin",
]

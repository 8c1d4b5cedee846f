"""Boosting: stumps, AdaBoost, boosting of any loss, bagging, and their theory as numbers."""

from maxmargin.boosting.adaboost import AdaBoostClassifier
from maxmargin.boosting.bagging import BaggingClassifier
from maxmargin.boosting.classifier import BoostingClassifier
from maxmargin.boosting.columns import Columns
from maxmargin.boosting.ensemble import StumpEnsemble
from maxmargin.boosting.ranker import BoostingRanker
from maxmargin.boosting.regressor import BoostingRegressor
from maxmargin.boosting.rounds import History, Round, Stop
from maxmargin.boosting.shape import ShapeFunction, ShapeFunctions
from maxmargin.boosting.split import Split
from maxmargin.boosting.stump import DecisionStump, RegressionStump
from maxmargin.boosting.theory import MarginDistribution, alpha_of_error, bound_training_error

__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BoostingClassifier",
    "BoostingRanker",
    "BoostingRegressor",
    "Columns",
    "DecisionStump",
    "History",
    "MarginDistribution",
    "RegressionStump",
    "Round",
    "ShapeFunction",
    "ShapeFunctions",
    "Split",
    "Stop",
    "StumpEnsemble",
    "alpha_of_error",
    "bound_training_error",
]

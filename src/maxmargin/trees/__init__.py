"""What a stump or tree is made of: splits, columns in order, criteria, and ensembles of splits."""

from maxmargin.trees.columns import Columns
from maxmargin.trees.shape import ShapeFunction, ShapeFunctions
from maxmargin.trees.source import ColumnSource
from maxmargin.trees.split import Split
from maxmargin.trees.stump import DecisionStump, RegressionStump
from maxmargin.trees.stump_ensemble import StumpEnsemble

__all__ = [
    "ColumnSource",
    "Columns",
    "DecisionStump",
    "RegressionStump",
    "ShapeFunction",
    "ShapeFunctions",
    "Split",
    "StumpEnsemble",
]

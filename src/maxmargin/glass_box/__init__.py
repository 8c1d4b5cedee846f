"""The glass box: boosted shapes of columns and tables of pairs, to be read and edited."""

from maxmargin.glass_box.classifier import GlassBoxClassifier
from maxmargin.glass_box.interpret import from_interpret
from maxmargin.glass_box.model import Explanation, TermView
from maxmargin.glass_box.regressor import GlassBoxRegressor
from maxmargin.glass_box.scorecard import Scorecard, ScoreLine

__all__ = [
    "Explanation",
    "GlassBoxClassifier",
    "GlassBoxRegressor",
    "ScoreLine",
    "Scorecard",
    "TermView",
    "from_interpret",
]

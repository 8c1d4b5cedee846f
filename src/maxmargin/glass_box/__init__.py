"""The glass box: boosted shapes of columns and tables of pairs, to be read and edited."""

from maxmargin.glass_box.classifier import GlassBoxClassifier
from maxmargin.glass_box.model import Explanation, TermView
from maxmargin.glass_box.regressor import GlassBoxRegressor

__all__ = ["Explanation", "GlassBoxClassifier", "GlassBoxRegressor", "TermView"]

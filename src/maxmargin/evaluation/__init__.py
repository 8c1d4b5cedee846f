"""Honest numbers: who was trained and judged on which rows, and what a difference means."""

from maxmargin.evaluation.band import Band, band_of
from maxmargin.evaluation.delong import delong_interval, delong_test
from maxmargin.evaluation.interval import Interval, bootstrap, clopper_pearson, wilson
from maxmargin.evaluation.precision_recall import PrecisionRecallCurve
from maxmargin.evaluation.protocol import Ratio
from maxmargin.evaluation.roc import RocCurve
from maxmargin.evaluation.run import Fold, FoldDone, Run, evaluate
from maxmargin.evaluation.threshold import Threshold, choose_threshold
from maxmargin.evaluation.verdict import Verdict, alpaydin_f, corrected_t, dietterich_t, holm

__all__ = [
    "Band",
    "Fold",
    "FoldDone",
    "Interval",
    "PrecisionRecallCurve",
    "Ratio",
    "RocCurve",
    "Run",
    "Threshold",
    "Verdict",
    "alpaydin_f",
    "band_of",
    "bootstrap",
    "choose_threshold",
    "clopper_pearson",
    "corrected_t",
    "delong_interval",
    "delong_test",
    "dietterich_t",
    "evaluate",
    "holm",
    "wilson",
]

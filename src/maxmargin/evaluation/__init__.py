"""Evaluation: which rows a model was fitted and tested on, and what a difference means."""

from typing import TYPE_CHECKING

from maxmargin.evaluation.band import Band, band_of
from maxmargin.evaluation.comparison import Comparison, compare, judge_runs
from maxmargin.evaluation.delong import delong_interval, delong_test
from maxmargin.evaluation.detector import DetectorEvaluation, evaluate_detector
from maxmargin.evaluation.interval import (
    Interval,
    bootstrap,
    clopper_pearson,
    mean_of_shares,
    student,
    wilson,
)
from maxmargin.evaluation.leave_one_out import LeftOut, leave_one_out
from maxmargin.evaluation.nested import Nested, nested
from maxmargin.evaluation.precision_recall import PrecisionRecallCurve
from maxmargin.evaluation.protocol import RATIOS, Ratio
from maxmargin.evaluation.roc import RocCurve
from maxmargin.evaluation.run import Fold, FoldDone, Run, evaluate
from maxmargin.evaluation.score_interval import score_interval
from maxmargin.evaluation.selection import Selection, select
from maxmargin.evaluation.threshold import Threshold, choose_threshold
from maxmargin.evaluation.trail import Trail, Use
from maxmargin.evaluation.vault import Look, TestVault
from maxmargin.evaluation.verdict import Verdict, alpaydin_f, corrected_t, dietterich_t, holm
from maxmargin.inputs.moved import names_of_course

if TYPE_CHECKING:
    from maxmargin.course.bias_variance import (
        BiasVariance,
        MemberCorrelation,
        bias_variance,
        member_correlation,
    )
    from maxmargin.course.round_errors import RoundErrors, round_errors

__all__ = [
    "RATIOS",
    "Band",
    "BiasVariance",
    "Comparison",
    "DetectorEvaluation",
    "Fold",
    "FoldDone",
    "Interval",
    "LeftOut",
    "Look",
    "MemberCorrelation",
    "Nested",
    "PrecisionRecallCurve",
    "Ratio",
    "RocCurve",
    "RoundErrors",
    "Run",
    "Selection",
    "TestVault",
    "Threshold",
    "Trail",
    "Use",
    "Verdict",
    "alpaydin_f",
    "band_of",
    "bias_variance",
    "bootstrap",
    "choose_threshold",
    "clopper_pearson",
    "compare",
    "corrected_t",
    "delong_interval",
    "delong_test",
    "dietterich_t",
    "evaluate",
    "evaluate_detector",
    "holm",
    "judge_runs",
    "leave_one_out",
    "mean_of_shares",
    "member_correlation",
    "nested",
    "round_errors",
    "score_interval",
    "select",
    "student",
    "wilson",
]

__getattr__ = names_of_course(__name__, __all__, "maxmargin.course")

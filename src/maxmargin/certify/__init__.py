"""The judge: how close a proposed point is to the optimum, in plain NumPy."""

from maxmargin.certify.certificate import Certificate
from maxmargin.certify.crammer_singer import CrammerSingerPoint
from maxmargin.certify.judge import Point, judge, judge_all
from maxmargin.certify.kernel import judge_kernel
from maxmargin.certify.linear import Lengths, LinearPoint
from maxmargin.certify.multiple_kernel import MixturePoint
from maxmargin.certify.status import Status

__all__ = [
    "Certificate",
    "CrammerSingerPoint",
    "Lengths",
    "LinearPoint",
    "MixturePoint",
    "Point",
    "Status",
    "judge",
    "judge_all",
    "judge_kernel",
]

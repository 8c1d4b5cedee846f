"""Optimisation problems as frozen values, each with its primal and dual in symbols."""

from maxmargin.problems.box_qp import BoxQP, Segments, Stack, c_svc
from maxmargin.problems.crammer_singer import CrammerSinger
from maxmargin.problems.kernel import KernelProblem, kernel_problem
from maxmargin.problems.linear import LinearProblem
from maxmargin.problems.multiple_kernel import MultipleKernel
from maxmargin.problems.slack_budget import SlackBudget

__all__ = [
    "BoxQP",
    "CrammerSinger",
    "KernelProblem",
    "LinearProblem",
    "MultipleKernel",
    "Segments",
    "SlackBudget",
    "Stack",
    "c_svc",
    "kernel_problem",
]

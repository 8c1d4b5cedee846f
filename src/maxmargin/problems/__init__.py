"""Optimisation problems as frozen values, each with its primal and dual in symbols."""

from maxmargin.problems.box_qp import BoxQP, c_svc

__all__ = ["BoxQP", "c_svc"]

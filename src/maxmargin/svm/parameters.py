"""Checks of estimator parameters; they live in ``inputs.parameters``."""

from maxmargin.inputs.parameters import ParameterError, check_choice, check_flag, check_number

__all__ = ["ParameterError", "check_choice", "check_flag", "check_number"]

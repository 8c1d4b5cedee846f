"""Checks of estimator parameters, each failing with one sentence."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np


class ParameterError(ValueError, TypeError):
    """A parameter outside its range; scikit-learn's own error is both of these too."""


def check_number(
    owner: str,
    name: str,
    value: Any,
    low: float = -np.inf,
    *,
    above: bool = False,
    whole: bool = False,
    infinite: bool = False,
    otherwise: str = "",
) -> None:
    """Refuse what is not a number at least ``low`` (more than it with ``above``)."""
    kind, noun = (Integral, "a whole number") if whole else (Real, "a number")
    right_kind = isinstance(value, kind) and not isinstance(value, bool | np.bool_)
    bound = f"greater than {low:g}" if above else f"at least {low:g}"
    wanted = noun if low == -np.inf else f"{noun} {bound}"
    wanted += f", {otherwise}" if otherwise else ""
    inside = right_kind and (value > low if above else value >= low)
    if not inside or not (infinite or np.isfinite(float(value))):
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be {wanted}. Got {value!r} instead."
        )


def check_choice(
    owner: str, name: str, value: Any, choices: tuple[str, ...], otherwise: str = ""
) -> None:
    """Refuse what is not one of the choices; ``otherwise`` says what else would do."""
    if not (isinstance(value, str) and value in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        listed += f", {otherwise}" if otherwise else ""
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be one of {listed}. Got {value!r} instead."
        )


def check_flag(owner: str, name: str, value: Any) -> None:
    """Refuse what is not True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be True or False. Got {value!r} instead."
        )

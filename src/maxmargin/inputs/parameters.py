"""Checks of estimator parameters, each failing with one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.ops.clock import ON_INTERRUPT


class ParameterError(ValueError, TypeError):
    """A parameter outside its range; scikit-learn's own error is both of these too."""


def _refuse(owner: str, name: str, wanted: str, value: Any) -> None:
    raise ParameterError(
        f"The {name!r} parameter of {owner} must be {wanted}. Got {value!r} instead."
    )


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
    number = _as_float(value) if right_kind else np.nan
    inside = number > low if above else number >= low
    if inside and (infinite or isfinite(number)):
        return
    bound = f"greater than {low:g}" if above else f"at least {low:g}"
    wanted = noun if low == -np.inf else f"{noun} {bound}"
    _refuse(owner, name, wanted + (f", {otherwise}" if otherwise else ""), value)


def check_share(owner: str, name: str, value: Any) -> None:
    """Refuse what is not a number above 0 and at most 1."""
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not real or not 0.0 < float(value) <= 1.0:
        _refuse(owner, name, "a number above 0 and at most 1", value)


def _as_float(value: Any) -> float:
    """Give NaN for a whole number too large to calculate with."""
    try:
        return float(value)
    except OverflowError:
        return np.nan


def check_choice(
    owner: str, name: str, value: Any, choices: tuple[str, ...], otherwise: str = ""
) -> None:
    """Refuse what is not one of the choices; ``otherwise`` says what else would do."""
    if not (isinstance(value, str) and value in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        _refuse(owner, name, f"one of {listed}{f', {otherwise}' if otherwise else ''}", value)


def check_flag(owner: str, name: str, value: Any) -> None:
    """Refuse what is not True or False."""
    if not isinstance(value, bool | np.bool_):
        _refuse(owner, name, "True or False", value)


# what means the same wherever it stands


def check_shared(model: Any) -> None:
    """Check the parameters that estimators have in common, those of them that this one has."""
    owner, params = type(model).__name__, vars(model)
    for name, check in _SHARED.items():
        if name in params:
            check(owner, name, params[name])


def _check_class_weight(owner: str, name: str, value: Any) -> None:
    if not (value is None or isinstance(value, Mapping)):
        check_choice(owner, name, value, ("balanced",), "a dict of factors by class, or None")


def check_time_limit(owner: str, name: str, value: Any) -> None:
    """Refuse what is neither seconds nor None."""
    if value is not None:
        check_number(owner, name, value, 0.0, infinite=True, otherwise="or None")


def _check_jobs(owner: str, name: str, value: Any) -> None:
    if value is not None:
        check_number(owner, name, value, whole=True, otherwise="such as 1, or -1 for all, or None")


def _check_callback(owner: str, name: str, value: Any) -> None:
    if not (value is None or callable(value)):
        _refuse(owner, name, "None or a function", value)


def _check_verbose(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        check_number(owner, name, value, 0, whole=True, otherwise="True or False")


def _check_random_state(owner: str, name: str, value: Any) -> None:
    try:
        check_random_state(value)
    except ValueError:
        wanted = "None, a whole number from 0 to 2**32 - 1 or a numpy.random.RandomState"
        _refuse(owner, name, wanted, value)


_SHARED: dict[str, Callable[[str, str, Any], None]] = {
    "callback": _check_callback,
    "class_weight": _check_class_weight,
    "n_jobs": _check_jobs,
    "on_interrupt": lambda owner, name, value: check_choice(owner, name, value, ON_INTERRUPT),
    "random_state": _check_random_state,
    "time_limit": check_time_limit,
    "verbose": _check_verbose,
}

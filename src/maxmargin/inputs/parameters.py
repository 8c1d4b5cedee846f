"""Checks of estimator parameters, each failing with one sentence.

An estimator declares its own in ``_parameters``, a dictionary of ``Parameter`` by name; those of
its base classes and those that mean the same in all estimators are added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple

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
    try:
        number = float(value) if right_kind else np.nan
    except OverflowError:  # a whole number too large to calculate with
        number = np.nan
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


Check = Callable[[str, str, Any], None]
"""Raises unless the value of a parameter is allowed, given its owner and its name."""


class Parameter(NamedTuple):
    """What a parameter may be."""

    check: Check
    none: bool = False
    """Whether None is one of its values."""


def numeric(low: float = -np.inf, *, none: bool = False, **rules: Any) -> Parameter:
    """Declare a number; the rules are those of ``check_number``."""
    return Parameter(partial(check_number, low=low, **rules), none)


def one_of(*choices: str, none: bool = False, otherwise: str = "") -> Parameter:
    """Declare one of several words."""
    return Parameter(partial(check_choice, choices=choices, otherwise=otherwise), none)


FLAG = Parameter(check_flag)
SHARE = Parameter(check_share)


def check_declared(model: Any) -> None:
    """Check all declared parameters that the model has."""
    kind, values = type(model), vars(model)
    for name, parameter in _DECLARED.get(kind) or _collect(kind):
        value = values.get(name, ...)
        if value is not ... and not (value is None and parameter.none):
            parameter.check(kind.__name__, name, value)


_DECLARED: dict[type, tuple[tuple[str, Parameter], ...]] = {}


def _collect(kind: type) -> tuple[tuple[str, Parameter], ...]:
    """Return what a class and its bases declare, the bases first, and what all estimators share."""
    found: dict[str, Parameter] = {}
    for each in reversed(kind.__mro__):
        found |= vars(each).get("_parameters", {})
    _DECLARED[kind] = (*found.items(), *_SHARED.items())
    return _DECLARED[kind]


def check_shared(model: Any) -> None:
    """Check the parameters that estimators have in common, those of them that this one has."""
    owner, values = type(model).__name__, vars(model)
    for name, (check, none) in _SHARED.items():
        if name in values and not (none and values[name] is None):
            check(owner, name, values[name])


def _check_class_weight(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        check_choice(owner, name, value, ("balanced",), "a dict of factors by class, or None")


def check_time_limit(owner: str, name: str, value: Any) -> None:
    """Refuse what is neither seconds nor None."""
    if value is not None:
        check_number(owner, name, value, 0.0, infinite=True, otherwise="or None")


def _check_callback(owner: str, name: str, value: Any) -> None:
    if not callable(value):
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


_SHARED: dict[str, Parameter] = {
    "callback": Parameter(_check_callback, none=True),
    "class_weight": Parameter(_check_class_weight, none=True),
    "n_jobs": numeric(none=True, whole=True, otherwise="such as 1, or -1 for all, or None"),
    "on_interrupt": one_of(*ON_INTERRUPT),
    "random_state": Parameter(_check_random_state, none=True),
    "time_limit": Parameter(check_time_limit, none=True),
    "verbose": Parameter(_check_verbose),
}

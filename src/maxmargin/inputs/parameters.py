"""Parameters of estimators, declared as data and checked here; fits that change all or nothing.

An estimator declares its own in ``_parameters``, a dictionary of ``Parameter`` by name; those of
its base classes and those that mean the same in all estimators are added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.ops.clock import ON_INTERRUPT
from maxmargin.progress.callbacks import KEPT_IN
from maxmargin.progress.report import report_fit
from maxmargin.progress.work import AT_WORK

Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(fit: Fit) -> Fit:
    """Undo whatever the method has set on its object when it raises.

    All fits pass through here, so a watched one is reported from here; others skip that layer.
    """

    @wraps(fit)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(self.__dict__)
        try:
            if AT_WORK.get() is None and KEPT_IN not in before:
                return fit(self, *args, **kwargs)
            return report_fit(fit, self, *args, **kwargs)
        except BaseException:
            self.__dict__ = before
            raise

    return guarded  # type: ignore[return-value]


class ParameterError(ValueError, TypeError):
    """A parameter outside its range; scikit-learn's own error is both of these too."""


@dataclass(frozen=True)
class Parameter:
    """The values that a parameter may have: numbers, words, flags, None, or what ``also`` takes."""

    rule: Callable[[str, str, Any], None] | None = None
    """A check by itself, of the owner, the name and the value, where none of the others will do."""
    number: bool = False
    low: float = -inf
    high: float = inf
    above: bool = False
    """Whether ``low`` itself is too low."""
    whole: bool = False
    infinite: bool = False
    choices: tuple[str, ...] = ()
    flag: bool = False
    none: bool = False
    also: Callable[[Any], bool] | None = None
    otherwise: str = ""
    """The end of the sentence that says what is allowed."""

    def check(self, owner: str, name: str, value: Any) -> None:
        """Raise ParameterError with one sentence unless the value is allowed."""
        if value is None and self.none:
            return
        if self.rule is not None:
            self.rule(owner, name, value)
            return
        if value is None:
            allowed = False
        elif isinstance(value, bool | np.bool_):
            allowed = self.flag
        elif isinstance(value, str):
            allowed = value in self.choices
        elif self.number and isinstance(value, Integral if self.whole else Real):
            try:
                size = float(value)
            except OverflowError:  # a whole number too large to calculate with
                size = np.nan
            enough = size > self.low if self.above else size >= self.low
            allowed = enough and size <= self.high and (self.infinite or isfinite(size))
        else:
            allowed = False
        if not (allowed or (self.also is not None and self.also(value))):
            raise ParameterError(
                f"The {name!r} parameter of {owner} must be {self._wanted()}. "
                f"Got {value!r} instead."
            )

    def _wanted(self) -> str:
        """Describe the allowed values."""
        kinds = []
        if self.number:
            bound = f" greater than {self.low:g}" if self.above else f" at least {self.low:g}"
            if self.high < inf:
                bound = f" above {self.low:g} and at most {self.high:g}"
            kinds.append(
                ("a whole number" if self.whole else "a number") + bound * (self.low > -inf)
            )
        elif self.choices:
            kinds.append("one of " + ", ".join(map(repr, self.choices)))
        if self.flag:
            kinds.append("True or False")
        return ", ".join([*kinds, self.otherwise] if self.otherwise else kinds)


def numeric(low: float = -inf, **rules: Any) -> Parameter:
    """Declare a number of at least ``low``, or above it with ``above=True``."""
    return Parameter(number=True, low=low, **rules)


def one_of(*choices: str, **rules: Any) -> Parameter:
    """Declare one of several words."""
    return Parameter(choices=choices, **rules)


FLAG = Parameter(flag=True)
SHARE = numeric(0.0, high=1.0, above=True)


def seed_of(random_state: Any) -> int:
    """Draw a seed; 0 for None, so that a fit without a random state is always the same."""
    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))


check_flag = FLAG.check
check_share = SHARE.check


def check_number(owner: str, name: str, value: Any, low: float = -np.inf, **rules: Any) -> None:
    """Raise unless the value is a number that ``numeric(low, **rules)`` allows."""
    numeric(low, **rules).check(owner, name, value)


def check_choice(
    owner: str, name: str, value: Any, choices: tuple[str, ...], otherwise: str = ""
) -> None:
    """Raise unless the value is one of the choices; ``otherwise`` says what else would do."""
    one_of(*choices, otherwise=otherwise).check(owner, name, value)


def check_declared(model: Any) -> None:
    """Check all declared parameters that the model has."""
    kind, values = type(model), vars(model)
    for name, parameter in _DECLARED.get(kind) or _collect(kind):
        if name in values:
            parameter.check(kind.__name__, name, values[name])


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
    for name, parameter in _SHARED.items():
        if name in values:
            parameter.check(owner, name, values[name])


def _is_seed(value: Any) -> bool:
    try:
        check_random_state(value)
    except ValueError:
        return False
    return True


_SHARED: dict[str, Parameter] = {
    "callback": Parameter(also=callable, none=True, otherwise="None or a function"),
    "class_weight": one_of(
        "balanced",
        also=lambda value: isinstance(value, Mapping),
        none=True,
        otherwise="a dict of factors by class, or None",
    ),
    "n_jobs": numeric(none=True, whole=True, otherwise="such as 1, or -1 for all, or None"),
    "on_interrupt": one_of(*ON_INTERRUPT),
    "random_state": Parameter(
        also=_is_seed,
        none=True,
        otherwise="None, a whole number from 0 to 2**32 - 1 or a numpy.random.RandomState",
    ),
    "time_limit": numeric(0.0, infinite=True, none=True, otherwise="or None"),
    "verbose": numeric(0, whole=True, flag=True),
}

check_time_limit = _SHARED["time_limit"].check

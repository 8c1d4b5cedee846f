"""All or nothing: a fit that fails, or is interrupted, leaves its estimator as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from maxmargin.progress.report import report_fit

Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(fit: Fit) -> Fit:
    """Undo whatever the method has set on its object when it raises.

    The same wrapper reports to whoever watches the fit, since all fits pass through it.
    """

    @wraps(fit)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(self.__dict__)
        try:
            return report_fit(fit, self, *args, **kwargs)
        except BaseException:
            self.__dict__ = before
            raise

    return guarded  # type: ignore[return-value]

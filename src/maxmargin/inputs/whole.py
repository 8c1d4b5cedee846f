"""All or nothing: a fit that fails, or is interrupted, leaves its estimator as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

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

"""Connect a fit with those who watch it: the work around it, and scikit-learn's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from maxmargin.progress.callbacks import fit_with_callbacks, has_callbacks
from maxmargin.progress.work import Work, current, muted


def report_fit(fit: Callable[..., Any], estimator: Any, *args: Any, **kwargs: Any) -> Any:
    """Fit an estimator, so that the work inside is reported to the listener of this fit.

    Parameters
    ----------
    fit : callable
        The method, not bound.
    estimator : estimator
    *args, **kwargs
        As the method takes them.

    Returns
    -------
    object
        What the method returns.
    """
    work, called = current(), partial(fit, estimator, *args, **kwargs)
    watched = has_callbacks(estimator)
    if work is None and not watched:
        return called()
    with _claimed(work) as parent:
        if not watched:
            return called()
        X, y = (*args, None, None)[:2]
        return fit_with_callbacks(estimator, kwargs.get("X", X), kwargs.get("y", y), parent, called)


@contextmanager
def _claimed(work: Work | None) -> Iterator[Work | None]:
    """Claim the task at work for a fit; a fit inside of one that reports already is not heard."""
    if work is None:
        yield None
    elif work.claimed:
        with muted():
            yield None
    else:
        work.claimed = True
        try:
            yield work
        finally:
            work.claimed = False

"""scikit-learn's callbacks on our estimators, where the installed version has them (from 1.9).

Each fit is one task "fit" of a hundred subtasks "percent", so that any callback that counts
subtasks, ``ProgressBar`` among them, shows the share that is done. Callbacks of a search or a
pipeline around the fit arrive in the same way. This is the only file that knows of them; its
imports wait for a fit that has callbacks, because they load a terminal's library.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any, Self

from maxmargin.progress.pickled import Pickled
from maxmargin.progress.work import Work

AVAILABLE = find_spec("sklearn.callback") is not None
KEPT_IN = "_skl_callbacks"
"""The attribute in which scikit-learn keeps the callbacks of an estimator."""
_STEPS = 100

_at_work: ContextVar[tuple[Any, ...]] = ContextVar("callbacks", default=())


class CallbackSupport(Pickled):
    """Lets an estimator take scikit-learn's callbacks; nothing where there are none."""

    if AVAILABLE:

        def set_callbacks(self, *callbacks: Any) -> Self:
            """Set scikit-learn's callbacks, such as ``ProgressBar()``, for later fits.

            Callbacks are experimental in scikit-learn; they are there from version 1.9.

            Parameters
            ----------
            *callbacks : callback instances
                Instead of those set before; none takes them away.

            Returns
            -------
            self : object
            """
            from sklearn.callback import CallbackSupportMixin  # noqa: PLC0415

            CallbackSupportMixin.set_callbacks(self, *callbacks)
            return self

        def _init_callback_context(self, *args: Any, **kwargs: Any) -> Any:
            from sklearn.callback import CallbackSupportMixin  # noqa: PLC0415

            return CallbackSupportMixin._init_callback_context(self, *args, **kwargs)


def has_callbacks(estimator: Any) -> bool:
    """Return whether a fit of the estimator has to call scikit-learn's callbacks.

    Parameters
    ----------
    estimator : estimator

    Returns
    -------
    bool
    """
    own = vars(estimator).get(KEPT_IN, ())
    heard = _at_work.get()  # by whom a fit around this one is watched, of which this is a clone
    new = any(not any(each is other for other in heard) for each in own)
    return new and hasattr(estimator, "_init_callback_context")


def fit_with_callbacks(
    estimator: Any, X: Any, y: Any, parent: Work | None, fit: Callable[[], Any]
) -> Any:
    """Fit an estimator and call its callbacks meanwhile.

    Parameters
    ----------
    estimator : estimator
    X, y
        What it is fitted to, for the callbacks.
    parent : Work or None
        The task that this fit is a piece of.
    fit : callable

    Returns
    -------
    object
        What ``fit`` returns.
    """
    from sklearn.callback import with_callbacks  # noqa: PLC0415

    token = _at_work.set((*_at_work.get(), *vars(estimator)[KEPT_IN]))
    try:
        return _fit(estimator, X, y, parent, fit)
    finally:
        _at_work.reset(token)
        # Around nothing, because its frame around a fit would hide who called the fit: warnings
        # point at that line, and Ctrl-C keeps what there is only for fits that the user called.
        with_callbacks(_nothing)(estimator)


def _nothing(_estimator: Any) -> None:
    """Do nothing, after which callbacks are taken down."""


def _fit(estimator: Any, X: Any, y: Any, parent: Work | None, fit: Callable[[], Any]) -> Any:
    context = estimator._init_callback_context(max_subtasks=_STEPS)
    facts = {"estimator": estimator, "X": X, "y": y}
    context.call_on_fit_task_begin(**facts)
    steps = _Steps(estimator, context, facts)
    with Work(parent, listener=steps).at_work() as work:
        work.claimed, steps.work = True, work
        result = fit()
        work.advance(1.0)
    context.call_on_fit_task_end(**facts, reconstruction_attributes=dict)
    return result


class _Steps:
    """Turns the share that is done into subtasks that begin and end."""

    work: Work

    def __init__(self, estimator: Any, context: Any, facts: dict[str, Any]) -> None:
        self._estimator, self._context, self._facts, self._made = estimator, context, facts, 0

    def __call__(self, share: float) -> None:
        """Make the subtasks up to this share."""
        reached = int(_STEPS * share + 1e-6)
        while self._made < reached:
            self._made += 1
            step = self._context.subcontext(task_name="percent")
            step.call_on_fit_task_begin(**self._facts)
            self.work.stop_asked |= step.call_on_fit_task_end(**self._facts)

"""How a solve can end: a closed list, with the sentence the user reads."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """What the returned point proves.

    Examples
    --------
    >>> Status.CERTIFIED.sentence
    'The optimum of the training problem was found, to the tolerance asked for.'
    """

    CERTIFIED = "The optimum of the training problem was found, to the tolerance asked for."
    STALLED = "Rounding stopped the progress before the tolerance was reached; scale the data."
    ITERATION_LIMIT = "max_iter was reached before the tolerance; the gap says how far it got."
    TIME_LIMIT = "time_limit was reached before the tolerance; the gap says how far it got."
    INTERRUPTED = "The solve was interrupted; this is the best point so far."
    NOT_CONVEX = (
        "The kernel is not positive semidefinite here, so the gap proves nothing about optimality."
    )
    NUMERICAL_ERROR = "The arithmetic left the range of finite numbers; scale the data."

    @property
    def sentence(self) -> str:
        """The meaning in one sentence."""
        return self.value

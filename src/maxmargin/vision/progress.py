"""The progress of training a cascade."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from maxmargin.ops.clock import outside
from maxmargin.progress import TimeLeft


@dataclass(frozen=True)
class CascadeProgress:
    """The progress of training a cascade.

    Parameters
    ----------
    stage, stages : int
        The current stage, from 1, and the number of stages.
    features : int
        In it so far.
    detection, false_positive : float
        Shares of the validation objects and of other validation windows that pass it.
    scanned : int
        Background windows scanned for its negatives.
    rate : float
        Share of these that passed all earlier stages.
    seconds : float
        Seconds since training began.
    left : float
        Estimated seconds left, if further stages take as long as the last; NaN in the first stage.
    done : bool
        Whether the stage is complete.
    """

    stage: int
    stages: int
    features: int
    detection: float
    false_positive: float
    scanned: int
    rate: float
    seconds: float
    left: float
    done: bool

    def __str__(self) -> str:
        rates = f"detects {100 * self.detection:.2f} %, passes {100 * self.false_positive:.1f} %"
        looked = f"{100 * self.rate:.3g} % of {self.scanned:,} windows passed the stages before"
        times = f"{self.seconds:.0f} s"
        if np.isfinite(self.left):
            times += f", about {self.left:.0f} s to go"
        head = f"stage {self.stage} of {self.stages}: {self.features} features"
        return f"{head}, {rates}; {looked}; {times}"


Teller = Callable[[CascadeProgress], object]


def with_printing(callback: Teller | None, verbose: bool) -> Teller:
    """Join a user's callback with printing every stage, for ``verbose=True``."""
    callback, estimate = outside(callback), TimeLeft()

    def tell(progress: CascadeProgress) -> None:
        if np.isfinite(progress.left):
            left = estimate.by_guess(progress.seconds, progress.left)
            progress = replace(progress, left=left)
        if callback is not None:
            callback(progress)
        if verbose and progress.done:
            print(progress, flush=True)  # noqa: T201  (verbose=True asks for it)

    return tell

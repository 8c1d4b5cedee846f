"""What a fit tells while it runs: a line for each look, printed or kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from maxmargin.ops.clock import outside


@dataclass(frozen=True)
class Progress:
    """One line of a trace: both objectives, so that the optimum lies between them."""

    seconds: float
    iterations: int
    primal: float
    dual: float
    violation: float

    @property
    def gap(self) -> float:
        """Primal minus dual."""
        return self.primal - self.dual

    def __str__(self) -> str:
        return (
            f"{self.seconds:8.2f} s  {self.iterations:9d} steps  primal {self.primal:.9g}  "
            f"dual {self.dual:.9g}  gap {self.gap:.2e}  violation {self.violation:.2e}"
        )


Callback = Callable[[Progress], object]


def with_printing(callback: Callback | None, verbose: bool) -> Callback | None:
    """Join a user's callback with printing every line, for ``verbose=True``."""
    callback = outside(callback)
    if not verbose:
        return callback

    def both(progress: Progress) -> None:
        print(progress, flush=True)  # noqa: T201  (verbose=True asks for it)
        if callback is not None:
            callback(progress)

    return both


class Trace:
    """A callback that keeps every line: give it as ``callback`` and draw it.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> trace = Trace()
    >>> model = SVC(callback=trace).fit(*load_mixture(return_X_y=True))
    >>> trace.lines[-1].gap < trace.lines[0].gap
    True
    """

    def __init__(self) -> None:
        self.lines: list[Progress] = []

    def __call__(self, progress: Progress) -> None:
        """Keep the line."""
        self.lines.append(progress)

    def __iter__(self) -> Iterator[Progress]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        last = f", gap {self.lines[-1].gap:.3g} at the end" if self.lines else ""
        return f"Trace({len(self.lines)} lines{last})"

"""How long the job may take, who gets which share of it, and what the first Ctrl-C does.

Models are fitted from cheap to dear. Each may use a share of what is left by its cost; what it does
not use is left to those after it. A model that needs more is put off until the others are done. A
part of the budget is kept for the comparison of the best two, the test rows and the report.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from maxmargin.tables import InputError

DEFAULT = 600.0
KEPT = 0.3  # of the budget: for what comes after the models
LEAST = 0.2  # of what is left for models: for each of them, however cheap it should be
REPORT = 0.1  # of the budget: for what comes after the comparison
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def parse_budget(text: str) -> float | None:
    """Read a time such as "90", "90s", "2m" or "1.5h"; "none" is no limit.

    Parameters
    ----------
    text : str

    Returns
    -------
    float or None
        Seconds.

    Examples
    --------
    >>> parse_budget("2m"), parse_budget("none")
    (120.0, None)
    """
    if text.strip().lower() == "none":
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in _UNITS or float(found[1]) == 0:
        raise InputError(
            f"--time-budget is a time such as 90s, 2m or 1h, or none, and not {text!r}."
        )
    return float(found[1]) * _UNITS[found[2]]


class Budget:
    """The clock of a job.

    Parameters
    ----------
    seconds : float or None
        For all of it; None for no limit.
    spent : float, default=0.0
        How many of them are gone already.
    """

    def __init__(self, seconds: float | None = None, spent: float = 0.0) -> None:
        self.total, self._begun = seconds, perf_counter() - spent
        self.interrupted = False
        self._inside = 0

    @property
    def seconds(self) -> float:
        """Since the job began."""
        return perf_counter() - self._begun

    @property
    def left(self) -> float:
        """Seconds that are left; infinity without a limit."""
        return float("inf") if self.total is None else max(0.0, self.total - self.seconds)

    @property
    def until_report(self) -> float | None:
        """Seconds until the report has to be begun; None for no limit."""
        return None if self.total is None else max(0.0, self.left - REPORT * self.total)

    def share(self, cost: float, to_come: Sequence[float]) -> float | None:
        """Seconds for a model of some cost; None for no limit.

        Parameters
        ----------
        cost : float
        to_come : sequence of float
            Costs of the models after it.

        Returns
        -------
        float or None
        """
        if self.total is None:
            return None
        free = max(0.0, self.left - KEPT * self.total)
        return free * max(LEAST, cost / (cost + sum(to_come)))

    def allows(self, seconds: float) -> bool:
        """Whether something that takes so long leaves time for the report.

        Parameters
        ----------
        seconds : float

        Returns
        -------
        bool
        """
        return self.until_report is None or seconds <= self.until_report

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Let the first Ctrl-C end what is inside; a second one ends everything."""
        self._inside += 1
        try:
            yield
        except KeyboardInterrupt:
            if self.interrupted:
                raise
            self.interrupted = True
        finally:
            self._inside -= 1

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note a first Ctrl-C that comes between models; inside of one it ends that model."""
        usual = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(usual):
            yield
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)

    def _note(self, _number: int, _frame: object) -> None:
        if self._inside or self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True

"""The seconds in which this process has compiled loops, which are not counted as work."""

from __future__ import annotations

from time import perf_counter


class CompileTime:
    """Seconds of compilation, counted while it goes on.

    Attributes
    ----------
    spent : float
        Seconds of compilations that have ended.
    """

    def __init__(self) -> None:
        self.spent = 0.0
        self._since: float | None = None

    def begin(self) -> None:
        """Start to count."""
        self._since = perf_counter()

    def end(self) -> float:
        """Stop to count.

        Returns
        -------
        seconds : float
            Since it was started.
        """
        seconds = 0.0 if self._since is None else perf_counter() - self._since
        self.spent, self._since = self.spent + seconds, None
        return seconds

    @property
    def seconds(self) -> float:
        """All of them so far."""
        since = self._since
        return self.spent + (0.0 if since is None else perf_counter() - since)


compile_time = CompileTime()

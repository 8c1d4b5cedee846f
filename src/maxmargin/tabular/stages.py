"""What is heard of a fit of a machine for a table: which stage is done, and the best so far."""

from __future__ import annotations

from maxmargin.progress import advance
from maxmargin.progress.lines import ProgressLines

PREPARED, SEARCHED = 0.1, 0.6  # shares of a fit that are done after these stages


class Stages:
    """Counts the stages of a fit, and tells of them.

    Parameters
    ----------
    owner : str
    searched : int
        How many stages the search has.
    verbose : int, default=0
        0 logs a line a second, 1 prints one, and 2 prints one after every stage.

    Examples
    --------
    >>> stages = Stages("TableSVC", 3)
    >>> stages.prepared(), stages.searched("0.2 (a kernel)"), stages.share
    (None, None, 0.26666666666666666)
    """

    def __init__(self, owner: str, searched: int, verbose: int = 0) -> None:
        self._lines = ProgressLines(owner, "stages", verbose)
        self._count, self._searched, self._best, self._done = searched, 0, "", 0
        self.share = 0.0

    def prepared(self) -> None:
        """Tell that the columns are prepared."""
        self._tell(1, PREPARED)

    def searched(self, best: str) -> None:
        """Tell that a stage of the search is done, and what is best so far."""
        self._searched, self._best = self._searched + 1, best
        share = self._searched / self._count
        self._tell(1 + self._searched, PREPARED + (SEARCHED - PREPARED) * share)

    def fitted(self) -> None:
        """Tell that the machines are fitted, though time may have cut stages of the search."""
        self._tell(2 + self._count, 1.0)

    def _tell(self, done: int, share: float) -> None:
        self.share = share
        self._lines.report(done, 2 + self._count, share, lambda: self._best)
        advance(share)

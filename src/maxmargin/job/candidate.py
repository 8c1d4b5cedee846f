"""A member of the family of models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.pipeline import Pipeline

from maxmargin.job.wanted import Wanted
from maxmargin.tables import Table


@dataclass(frozen=True)
class Candidate:
    """A member of the family.

    Parameters
    ----------
    name : str
        As ``--models`` calls it.
    title : str
        What people call it.
    build : callable
        Makes the pipeline for a table.
    cost : float
        How much time it is given, compared with the others.
    max_rows : int or None
        Beyond that it is not tried.
    reads_texts : bool
        Whether it takes texts; else they become numbers before it.
    compiles : tuple of str
        Estimators whose loops it needs, by their names in ``maxmargin.warmup``.
    growth : float
        Power of the rows by which the time of a fit grows.
    deepens : str
        The candidate that this one searches deeper, where time is left; empty for the others.
    learns : bool
        Whether a bad trial on few rows says little: it learns more from many rows than others.
    ours : bool
        Whether it is a machine of this package, as ``--models ours`` has them.
    """

    name: str
    title: str
    build: Callable[[Table, Wanted], Pipeline]
    cost: float = 1.0
    max_rows: int | None = None
    reads_texts: bool = False
    compiles: tuple[str, ...] = ()
    growth: float = 1.3
    deepens: str = ""
    learns: bool = False
    ours: bool = True

"""The obvious version of ``ops.cpu.stump_square``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.stump import place_in_run, scan_runs, sum_run
from maxmargin.ops.split_score import square


def _weighed(values: Any, kind: int) -> Any:
    """Put the weights beside the pull: kinds as in ``ops.cpu.stump_square``."""
    if kind == 0:
        return values.reshape(-1, 2)
    return np.stack([values, np.abs(values) if kind == 1 else np.ones_like(values)], axis=1)


def scan_square(values: Any, kind: int, *arguments: Any) -> None:
    """gain[r] = the largest decrease of squares of run r over H, for the runs order[first:stop]."""
    scan_runs(square, (_weighed(values, kind), *arguments))


def place_square(values: Any, kind: int, *arguments: Any) -> int:
    """Find a split of a run as ``place_sign`` does."""
    return place_in_run(square, (_weighed(values, kind), *arguments))


def sum_square(values: Any, kind: int, *arguments: Any) -> None:
    """Add up a part of a run."""
    sum_run(_weighed(values, kind), *arguments)

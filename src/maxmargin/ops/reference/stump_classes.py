"""The obvious version of ``ops.cpu.stump_classes``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.stump import place_in_run, scan_runs, sum_run
from maxmargin.ops.split_score import error, gini


def _one_hot(label: Any, weight: Any, n_classes: int) -> Any:
    return np.where(label[:, None] == np.arange(n_classes), weight[:, None], 0.0)


def scan_classes(label: Any, weight: Any, total: Any, criterion: int, *arguments: Any) -> None:
    """gain[r] = the largest score of run r, for the runs order[first:stop]."""
    values = _one_hot(label, weight, len(total))
    scan_runs(gini if criterion else error, (values, total, *arguments))


def place_classes(label: Any, weight: Any, total: Any, criterion: int, *arguments: Any) -> int:
    """Find a split of a run as ``place_sign`` does."""
    values = _one_hot(label, weight, len(total))
    return place_in_run(gini if criterion else error, (values, total, *arguments))


def sum_classes(label: Any, weight: Any, rows: Any, begin: int, end: int, sums: Any) -> None:
    """Add up a part of a run."""
    sum_run(_one_hot(label, weight, len(sums)), rows, begin, end, sums)

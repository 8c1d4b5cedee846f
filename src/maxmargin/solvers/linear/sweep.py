"""Once through rows or columns in a given order, with a look at the clock now and then.

Compiled loops go through an order and move to its front whoever is worth another visit. Here they
get it in pieces, so that Ctrl-C and a time limit need not wait for the end of a long one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import WORK, pieces
from maxmargin.solvers.run import Limits

Index = NDArray[np.intp]
Visit = Callable[[Index], Any]


def sweep(order: Index, work: float, visit: Visit, limits: Limits) -> tuple[Index, list[Any]]:
    """Visit an order that is so much work, until time is up; ``order`` changes in place.

    ``visit`` takes a piece of it and tells how many stay, which it has moved to the piece's front,
    and what else it found. Returns who stays, and what was found in each piece.
    """
    if work <= WORK:  # as nearly always, and then cutting it up may take as long
        kept, *rest = visit(order)
        return order[:kept], [rest]
    stay, found = 0, []
    for part in pieces(len(order), work):
        if part.start and limits.clock.over():
            break
        some = order[part]
        kept, *rest = visit(some)
        order[stay : stay + kept] = some[:kept]
        stay += kept
        found.append(rest)
    return order[:stay], found

"""A gate for threads inside compiled loops: nobody passes before all have come.

Threads that work on the same rounds meet several times in each, for which handing pieces back to
Python would take longer than the pieces. So they count themselves in one number of an array, and
wait for it; whoever has waited for long gives its core to others in between.
"""

from __future__ import annotations

from typing import Any

from maxmargin.ops.compiler.instruction import call, look, take_next
from maxmargin.ops.loop import njit

OPEN = 1  # the place that says so
_PATIENCE = 2_000  # looks, some tens of microseconds


@njit(cache=True, nogil=True)
def meet(gate: Any, workers: int, rest: int) -> None:
    """Wait until all workers are here; ``rest`` is the address of what gives a core to others.

    Once the gate is open (``gate[OPEN]`` is not 0) nobody waits any more, now or later.
    """
    if workers == 1:
        return
    goal = (take_next(gate) // workers + 1) * workers
    looks = 0
    while look(gate, 0) < goal and look(gate, OPEN) == 0:
        looks += 1
        if looks > _PATIENCE and rest != 0:
            call(rest)

"""The obvious versions of ``ops.cpu.kernel_row``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import COPIED, GIVEN, POWER, RADIAL


def fill_row(
    i: int, kind: int, K: Any, index: Any, XT: Any, norms: Any, params: Any, out: Any
) -> None:
    """Write row i."""
    if kind == COPIED:
        out[:] = K[index[i], index]
        return
    dots = XT[:, i].astype(np.float64) @ XT.astype(np.float64)
    if kind == RADIAL:
        out[:] = np.exp(-params[0] * np.maximum(0.0, norms[i] + norms - 2 * dots))
    elif kind == POWER:
        out[:] = (params[0] * dots + params[1]) ** int(params[2])
    else:
        out[:] = dots


def slot_of(
    i: int,
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
) -> int:
    """Return the line of row i, which is filled if need be; -1 if only the caller can bring it."""
    if slots[i] < 0 and kind != GIVEN:
        slots[i] = taken[0]
        taken[0] += 1
        fill_row(i, kind, K, index, XT, norms, params, store[slots[i]])
    return int(slots[i])


def bring_rows(
    wanted: Any,
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
) -> None:
    """Fill some rows."""
    for i in wanted:
        slot_of(i, store, slots, taken, kind, K, index, XT, norms, params)

"""The obvious version of ``ops.cpu.smo_polish``: a problem at a time."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.ops.kinds import GIVEN, TURNS
from maxmargin.ops.reference.kernel_row import slot_of
from maxmargin.ops.reference.polish import polish
from maxmargin.ops.reference.selection import survey
from maxmargin.ops.reference.smo import smo_pairs, times


def smo_and_polish(
    kind: int,
    K: Any,
    XT: Any,
    norms: Any,
    params: Any,
    diagonal: Any,
    index: Any,
    starts: Any,
    store: Any,
    slots: Any,
    taken: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    product: Any,
    target: Any,
    turns: Any,
    steps: Any,
    flattest: Any,
    exact: float,
    enough: float,
    longest: Any,
    most: int,
) -> None:
    """Take turns on each problem; see ``ops.cpu.smo_polish``."""
    for k, (first, stop) in enumerate(pairwise(starts.tolist())):
        part, q = slice(first, stop), stop - first
        rows, lines = index[part], store[: q * q].reshape(q, q)
        columns, lengths = (XT, norms) if XT is None else (XT[:, rows], norms[rows])
        memory = lines, slots[part], taken[k : k + 1]
        source = *memory, kind, K, rows, columns, lengths, params
        point, box = (beta[part], F[part]), (lower[part], upper[part])
        if len(starts) > 2 and kind != GIVEN:
            slots[part], taken[k] = -1, 0
        for i in np.flatnonzero(beta[part]).tolist():
            slot_of(i, *source)
        if turns[k] == 0 and steps[k] == 0:
            up, low, _, _ = survey(F[part], beta[part], *box)
            target[k] = max(target[k] * (up - low), enough)
        used, groups, left = np.empty(q, bool), np.empty(0, np.int8), most
        while turns[k] < TURNS and left > 0:
            goal = float(target[k]), min(left, int(longest[k]))
            rest: Any = (diagonal[part], *point, *box, *goal, True, used, groups, 1)
            made, flat, _, _ = smo_pairs(*source, *rest)
            left, steps[k] = left - made, steps[k] + made
            flattest[k] = min(flattest[k], flat)
            if left <= 0:
                break
            few = polish(lines, slots[part], *point, *box, True, exact)
            up, low, _, _ = survey(F[part], beta[part], *box)
            turns[k] = TURNS if up - low <= (exact if few else enough) else turns[k] + 1
            target[k] = 0.1 * (up - low) if few else enough
        times(lines, slots[part], beta[part], product[part])

"""Small box QPs with a bias, one after the other in one call: SMO and Newton steps by turns.

Each problem is that of ``smo``, on rows that are filled when wanted (``kernel_row``). SMO finds who
is at a bound, Newton's steps solve for the rest (``polish``); where those make bound variables
violate, SMO goes on to a tenth of that. More free variables than Newton's matrix is made for are
left to SMO, to the tolerance.

A problem of a hundred variables takes some microseconds, less than a call from Python does for each
of its turns; hence all turns of all problems are one call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.kernel_row import _slot_of
from maxmargin.ops.cpu.polish import _polish
from maxmargin.ops.cpu.selection import survey
from maxmargin.ops.cpu.smo import _smo_pairs, times
from maxmargin.ops.kinds import GIVEN, TURNS
from maxmargin.ops.loop import njit

_NO_GROUPS = np.empty(0, np.int8)


@njit(cache=True, nogil=True)
def _columns(XT: Any, index: Any) -> Any:
    """Gather a problem's vectors, a column each, if its rows are made of vectors."""
    if XT is None:
        return None
    own = np.empty((len(XT), len(index)), XT.dtype)
    for k in range(len(XT)):
        source, line = XT[k], own[k]
        for j in range(len(index)):
            line[j] = source[index[j]]
    return own


@njit(cache=True, nogil=True)
def _lengths(norms: Any, index: Any) -> Any:
    """Gather their squared lengths."""
    if norms is None:
        return None
    own = np.empty(len(index), norms.dtype)
    for j in range(len(index)):
        own[j] = norms[index[j]]
    return own


@njit(cache=True, nogil=True)
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
    """Solve the problems whose variables begin at ``starts``; beta and F = p - K beta in place.

    Of each, ``index`` says which rows and columns of the source its variables have, ``target`` to
    which violation SMO goes next (at first, to which share of it) and ``turns`` how many there
    were: as many as there may be where nothing is left to do. At most ``most`` steps are made for
    each, at most ``longest`` of them in a turn, and counted in ``steps``. ``product`` becomes
    K beta, summed anew. Several problems fill their rows into the same memory, so each of them
    begins with none.
    """
    for k in range(len(starts) - 1):
        part = slice(starts[k], starts[k + 1])
        q = starts[k + 1] - starts[k]
        rows, lines, own_slots = index[part], store[: q * q].reshape(q, q), slots[part]
        own, lengths = _columns(XT, rows), _lengths(norms, rows)
        if len(starts) > 2 and kind != GIVEN:
            own_slots[:], taken[k] = -1, 0
        of_one = taken[k : k + 1]
        for i in range(q):  # the rows of what is not 0 are wanted, whoever moved it
            if beta[starts[k] + i] != 0.0:
                _slot_of(i, lines, own_slots, of_one, kind, K, rows, own, lengths, params)
        if turns[k] == 0 and steps[k] == 0:
            up, low, _, _ = survey(F[part], beta[part], lower[part], upper[part])
            target[k] = max(target[k] * (up - low), enough)
        used, left = np.empty(q, np.bool_), most
        while turns[k] < TURNS and left > 0:
            made, flat, _, _ = _smo_pairs(
                lines,
                own_slots,
                of_one,
                kind,
                K,
                rows,
                own,
                lengths,
                params,
                diagonal[part],
                beta[part],
                F[part],
                lower[part],
                upper[part],
                target[k],
                min(left, longest[k]),
                True,
                used,
                _NO_GROUPS,
                1,
            )
            left -= made
            steps[k] += made
            flattest[k] = min(flattest[k], flat)
            if left <= 0:
                break
            few = _polish(
                lines, own_slots, beta[part], F[part], lower[part], upper[part], True, exact
            )
            up, low, _, _ = survey(F[part], beta[part], lower[part], upper[part])
            done = up - low <= (exact if few else enough)
            turns[k] = TURNS if done else turns[k] + 1
            target[k] = 0.1 * (up - low) if few else enough
        times(lines, own_slots, beta[part], product[part])

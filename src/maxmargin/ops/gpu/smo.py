"""Pairs of variables of one working set, chosen by second-order gain (Fan, Chen, Lin 2005).

    max_b  F'd - d'Kd / 2,  d = b - beta,   lower <= b <= upper,   sum_G d = 0 of every group G

On a card one block of a Triton program makes all steps: 3.3 microseconds each for 2,048 variables
on an H200. On torch's CPU device the compiled loop of ``ops.cpu.smo`` makes the same steps.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch

from maxmargin.ops.engine import Engine
from maxmargin.ops.kinds import GIVEN

LARGEST: Final = 2048
"""Variables of a working set: more do not fit into the registers of a block."""
SMALLEST: Final = 16
WARPS: Final = 16
_NOTHING = np.empty(0)


def ascend(
    K: Any, F: Any, beta: Any, box: tuple[Any, Any], groups: Any, tol: float, fraction: float
) -> tuple[Any, int, float]:
    """Optimise a working set; return the new duals, the steps made and the smallest curvature.

    Stops at a violation of ``tol``, or at ``fraction`` of the one that it begins with.

    Parameters
    ----------
    K : tensor of shape (variables, variables)
    F, beta : tensor of shape (variables,)
        Gradient and duals, in double precision; they are not changed.
    box : lower and upper bounds
    groups : tensor of 0 and 1, or None
    """
    most = 100 * max(len(beta), 100)
    if K.is_cuda:
        return ascend_by_program(K, F, beta, box, groups, tol, fraction, most)
    return ascend_by_loop(K, F, beta, box, groups, tol, fraction, most)


def ascend_by_program(
    K: Any,
    F: Any,
    beta: Any,
    box: tuple[Any, Any],
    groups: Any,
    tol: float,
    fraction: float,
    most: int,
) -> tuple[Any, int, float]:
    """Make at most so many steps by the Triton program."""
    from maxmargin.ops.gpu.programs import ascend_pairs  # noqa: PLC0415  (needs Triton)

    q, device = len(beta), K.device
    size = max(SMALLEST, 1 << (q - 1).bit_length())
    whole = torch.zeros((size, size), dtype=K.dtype, device=device)
    whole[:q, :q] = K

    def padded(values: Any, dtype: Any = torch.float64) -> Any:
        out = torch.zeros(size, dtype=dtype, device=device)
        out[:q] = values
        return out

    found, of = padded(beta), padded(0 if groups is None else groups, torch.int32)
    steps = torch.zeros(1, dtype=torch.int32, device=device)
    flattest = torch.zeros(1, dtype=torch.float64, device=device)
    ascend_pairs[(1,)](
        whole, padded(F), found, padded(box[0]), padded(box[1]), of, steps, flattest,
        tol, fraction, most, q=size, GROUPS=1 if groups is None else 2, num_warps=WARPS,
    )  # fmt: skip
    return found[:q], int(steps.item()), float(flattest.item())


def ascend_by_loop(
    K: Any,
    F: Any,
    beta: Any,
    box: tuple[Any, Any],
    groups: Any,
    tol: float,
    fraction: float,
    most: int,
) -> tuple[Any, int, float]:
    """Make at most so many steps by the compiled loop, on tensors of the CPU."""
    values, q = np.ascontiguousarray(K.numpy()), len(beta)
    found, gradient = beta.numpy().copy(), F.numpy().copy()
    lower, upper = (each.numpy().copy() for each in box)
    of = np.empty(0, np.int8) if groups is None else groups.numpy().astype(np.int8)
    count = 1 if groups is None else 2
    target = max(tol, fraction * _violation(gradient, found, lower, upper, of))
    used, slots = np.empty(q, np.bool_), np.arange(q)
    steps, flattest, _, _ = Engine("cpu").smo.smo_pairs(
        values, slots, np.zeros(1, np.int64), GIVEN, None, slots, None, None, _NOTHING,
        values.diagonal().copy(), found, gradient, lower, upper, target, most, True, used,
        of, count,
    )  # fmt: skip
    return torch.from_numpy(found), int(steps), float(flattest)


def _violation(F: Any, beta: Any, lower: Any, upper: Any, groups: Any) -> float:
    members = [groups == g for g in (0, 1)] if len(groups) else [np.ones(len(F), bool)]
    rises, falls = beta < upper, beta > lower
    high = [F[m & rises].max(initial=-1e300) for m in members]
    low = [F[m & falls].min(initial=1e300) for m in members]
    return float(max(a - b for a, b in zip(high, low, strict=True)))

"""The obvious version of ``ops.cpu.subgradient``: w itself, and every factor when it comes."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.dual_coordinate import _row


def pegasos(
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    t: Any,
    norms: Any,
    order: Any,
    weight: float,
    radius: float,
    v: Any,
    short: Any,
    drawn: Any,
    state: Any,
) -> None:
    """Make a step with each row of ``order``; see ``ops.cpu.subgradient.pegasos``."""
    del norms
    s = state[0]
    w = state[1] * v / (weight * s) if s else np.zeros(len(v))
    for i in order:
        x, s = _row(data, indices, indptr, i, constant, len(v)), s + 1.0
        is_short = t[i] * (w @ x) < 1.0
        w = (1.0 - 1.0 / s) * w + is_short * t[i] * x / (weight * s)
        length = float(np.linalg.norm(w))
        w = w * (min(1.0, radius / length) if length else 1.0)
        drawn[i] += 1.0
        short[i] += is_short
    v[:] = weight * s * w
    state[:] = s, 1.0, float(v @ v)

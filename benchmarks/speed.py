"""What this machine can do: matrix products and exponentials a second, on all threads.

A fit that evaluates the kernel rows of its support vectors once, with the product at full speed and
one exponential a value, takes |SV| n (2 d / flops + exponential) seconds: the floor.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.kernels import RBF, Kernel, Linear
from maxmargin.ops.threads import Workers

_TILE = (256, 1_024)  # the solver's own tile: it stays in the processor's cache
_TILES, _COLUMNS = 400, 64


@dataclass(frozen=True)
class Speed:
    flops: float
    exponential: float
    """Seconds a kernel value beyond its matrix product."""

    def floor(self, support: int, rows: int, columns: int) -> float:
        return support * rows * (2 * columns / self.flops + self.exponential)


def _best(call: Callable[[], object], repeats: int = 5) -> float:
    spent = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    return min(spent)


def _seconds_a_value(kernel: Kernel, X: Any) -> float:
    A, B = kernel.prepare(X[: _TILE[0]]), kernel.prepare(X[_TILE[0] :])

    with Workers() as workers:
        outs = [np.empty(_TILE, np.float32) for _ in range(workers.threads)]

        def work(out: Any) -> None:
            for _ in range(_TILES):
                kernel.block(A, B, out)

        spent = _best(lambda: workers.each(work, outs))
    return spent / (len(outs) * _TILES * _TILE[0] * _TILE[1])


def measure(size: int = 2_048) -> Speed:
    random = np.random.default_rng(0)
    A, B = random.standard_normal((2, size, size), dtype=np.float32)
    flops = 2 * size**3 / _best(lambda: A @ B)
    X = random.standard_normal((sum(_TILE), _COLUMNS), dtype=np.float32)
    whole = _seconds_a_value(RBF(gamma=1 / _COLUMNS), X)
    return Speed(flops, max(0.0, whole - _seconds_a_value(Linear(), X)))

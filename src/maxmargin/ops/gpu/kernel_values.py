"""Dot products and distances of rows on a device, dense or sparse, and functions of them."""

from __future__ import annotations

import math
from typing import Any

import torch

from maxmargin.ops.gpu.arrays import DENSE_NUMBERS, SparseRows


def products(A: Any, B: Any) -> Any:
    """Return A B' for rows A and B, sparse on either side."""
    if isinstance(A, SparseRows):
        return _sparse_products(A, B)
    if isinstance(B, SparseRows):
        return _sparse_products(B, A).T
    return A @ B.T


def _sparse_products(A: SparseRows, B: Any) -> Any:
    if not isinstance(B, SparseRows):
        return A.times(B.T.contiguous())
    step = max(1, DENSE_NUMBERS // max(1, B.width))
    parts = [A.times(B[i : i + step].dense().T.contiguous()) for i in range(0, len(B), step)]
    return torch.cat(parts, dim=1)


def squared_distances(A: Any, B: Any, a: Any, b: Any) -> Any:
    """Return |x - y|^2 of all pairs of rows, whose squared lengths are a and b."""
    values = products(A, B).mul_(-2.0).add_(a[:, None]).add_(b[None, :])
    return values.clamp_(min=0.0)


def absolute_distances(A: Any, B: Any) -> Any:
    """Return sums of absolute differences of all pairs of rows."""
    a, b = (X.dense() if isinstance(X, SparseRows) else X for X in (A, B))
    return torch.cdist(a, b, p=1.0)


def exp_of(distances: Any, rate: float) -> Any:
    """Return exp(-rate * distances), in the memory of the distances."""
    rate = min(rate, torch.finfo(distances.dtype).max)
    return distances.mul_(-rate).exp_()


def matern(distances: Any, rate: float, nu: float) -> Any:
    """Return Matérn's function of smoothness 3/2 or 5/2 of rate * distances."""
    s = distances.mul_(min(rate, torch.finfo(distances.dtype).max))
    root = (2.0 * nu * s).sqrt_()
    polynomial = root + 1.0 if nu == 1.5 else s.mul_(5.0 / 3.0).add_(root).add_(1.0)
    near = root.neg_().exp_()
    return torch.where(near == 0.0, 0.0, polynomial.mul_(near))


def rational_quadratic(distances: Any, rate: float, alpha: float) -> Any:
    """Return (1 + rate * distances / alpha) ** -alpha."""
    limit = torch.finfo(distances.dtype).max
    return distances.mul_(min(rate, limit) / alpha).add_(1.0).pow_(-alpha)


def affine_power(values: Any, rate: float, coef0: float, degree: int) -> Any:
    """Return (rate * values + coef0) ** degree."""
    return values.mul_(rate).add_(coef0).pow_(degree)


def constant(c: float, precision: str) -> Any:
    """Return a number that stands for the same value of all pairs of rows."""
    return torch.tensor(c, dtype=getattr(torch, precision))


def columns_at_a_time(rows: int, itemsize: int, budget: int) -> int:
    """Return how many columns of a block of kernel values, with its parts, fit into a budget."""
    return max(1, math.floor(budget / (4 * max(1, rows) * itemsize)))

"""Which variables move next, where their vectors live on a device.

The choice is that of ``solvers.box_qp.working_set``: variables of the last set that are free stay;
from each side of the bias come some of the worst violators and a random sample of all others. A
sample needs no sorting: random keys are drawn and the largest of them taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

_NONE = -1e300


class Box(NamedTuple):
    """A problem's vectors on a device, in double precision."""

    p: Any
    lower: Any
    upper: Any
    groups: Any
    """0 or 1 for each variable, or None."""

    def of(self, chosen: Any) -> Box:
        """Return the vectors of some variables."""
        p, lower, upper = (each[chosen] for each in self[:3])
        return Box(p, lower, upper, None if self.groups is None else self.groups[chosen])


class Level(NamedTuple):
    """Of a group: the largest F that may rise, the smallest that may fall, and the free ones."""

    up: float
    low: float
    total: float
    free: float


def survey(box: Box, F: Any, beta: Any) -> list[Level]:
    """Return the levels of every group, with one copy from the device."""
    rises, falls = beta < box.upper, beta > box.lower
    masks = [None] if box.groups is None else [box.groups == 0, box.groups == 1]
    found = []
    for mask in masks:
        r, f = (rises, falls) if mask is None else (rises & mask, falls & mask)
        free = r & f
        found += [
            torch.where(r, F, _NONE).max(),
            torch.where(f, F, -_NONE).min(),
            torch.where(free, F, 0.0).sum(),
            free.sum().to(torch.float64),
        ]
    values = torch.stack(found).tolist()
    return [Level(*values[first : first + 4]) for first in range(0, len(values), 4)]


def slopes(box: Box, F: Any, beta: Any, biases: list[float]) -> Any:
    """Return how much each variable wants to rise (positive) or fall, at the bias of its group."""
    if box.groups is None:
        away = F - biases[0]
    else:
        away = F - torch.tensor(biases, dtype=F.dtype, device=F.device)[box.groups.long()]
    blocked = ((away > 0) & (beta >= box.upper)) | ((away < 0) & (beta <= box.lower))
    return torch.where(blocked, 0.0, away)


def free_of(box: Box, beta: Any, last: Any, most: int) -> Any:
    """Return the variables of the last set that are free, the latest of them."""
    free = (beta[last] > box.lower[last]) & (beta[last] < box.upper[last])
    return last[free][-most:]


def sample(slope: Any, wanted: int, top: int, generator: Any) -> Any:
    """Return the ``top`` largest positive slopes and a random sample of the other positive ones."""
    worst = torch.topk(slope, min(top, len(slope)))
    worst = worst.indices[worst.values > 0]
    keys = torch.rand(len(slope), device=slope.device, generator=generator)
    keys = torch.where(slope > 0, keys, -1.0)
    keys[worst] = -1.0
    others = torch.topk(keys, min(max(0, wanted - len(worst)), len(slope)))
    return torch.cat([worst, others.indices[others.values >= 0]])


def worst_pair(box: Box, F: Any, beta: Any, group: int) -> Any:
    """Return the pair of a group that violates most."""
    rises, falls = beta < box.upper, beta > box.lower
    if box.groups is not None:
        rises, falls = rises & (box.groups == group), falls & (box.groups == group)
    first, second = torch.where(rises, F, _NONE).argmax(), torch.where(falls, F, -_NONE).argmin()
    return torch.stack([first, second])


def everything(beta: Any) -> Any:
    """Return the numbers of all variables."""
    return torch.arange(len(beta), device=beta.device)


def without(some: Any, others: list[Any]) -> Any:
    """Return the variables that are in none of the others."""
    return some[~torch.isin(some, torch.cat(others))].unique()


def joined(parts: list[Any]) -> Any:
    """Return the variables of all parts, one after the other."""
    return torch.cat(parts)


def summed(rows: Any, steps: Any) -> tuple[Any, Any]:
    """Add up the steps of variables that have the same row: two at most, so in any order."""
    found, place = rows.unique(return_inverse=True)
    return found, steps.new_zeros(len(found)).index_add_(0, place, steps)


def generator(device: Any, seed: int) -> Any:
    """Return random numbers of a device."""
    return torch.Generator(device=device).manual_seed(seed)

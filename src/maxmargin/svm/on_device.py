"""Kernel machines on a card: which fits go there, how they are solved and how they decide.

The problems, their judge and the machine that comes out are those of the CPU; only where kernel
values are evaluated and vectors lie differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import ParameterError
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Prepared
from maxmargin.kernels.on_device import (
    CARD,
    DEVICE,
    check_device_form,
    chosen_device,
    values,
)
from maxmargin.ops.clock import stop_if_over
from maxmargin.problems import CrammerSinger
from maxmargin.solvers import Decomposition
from maxmargin.solvers.kernel_values.memory import Memory, Rows
from maxmargin.solvers.kernel_values.on_device import (
    SHARE_OF_MEMORY,
    DeviceGram,
    DeviceProducts,
    DeviceView,
)
from maxmargin.solvers.plan import Wish

__all__ = [
    "DEVICE",
    "arrange_on_device",
    "chosen_device",
    "design_on",
    "explained",
    "sums_by_class",
    "wish_on",
]

USUAL_CACHE: Final = (200, 1000)
"""Megabytes that estimators have for kernel values by default, which say nothing of a card."""
MULTIPLYING: Final = ("newton", "gradient_descent")
"""Solvers of linear models whose work is products with all rows."""
ROWS_AT_ONCE: Final = 8192
SUPPORT_AT_ONCE: Final = 8192


def arrange_on_device(rows: Rows, tasks: Sequence[Any], recipe: Any) -> Memory:
    """Put the rows of a fit on its card, for a solver that works there."""
    check_device_form(rows.gram.kernel, recipe.device)
    multiplies = getattr(recipe.solver, "multiplies", False)
    if not multiplies and recipe.solver is not Decomposition:
        raise ParameterError(
            f"device={recipe.device!r} needs solver='working_set': the others run on the CPU alone."
        )
    if not multiplies and not all(task.problem.bias for task in tasks):
        raise ParameterError(
            f"device={recipe.device!r} needs intercept='free': machines without a free bias are "
            "solved on the CPU alone."
        )
    device = CARD.device.find_device(recipe.device)
    shared = multiplies or len(tasks) > 1
    matrix = DeviceGram(rows.gram, device, _budget(recipe.memory, device), shared)
    if multiplies:
        return Memory(lambda _segments: DeviceProducts(matrix))

    def view(segments: tuple[int, ...]) -> DeviceView:
        variables = rows.index(segments)
        return DeviceView(matrix, variables[: len(variables) // rows.copies], rows.copies)

    return Memory(view)


def explained(device: str) -> AbstractContextManager[None]:
    """Turn the error of a full card into a sentence, in fits that run on one."""
    if device == "cpu":
        return nullcontext()
    told: AbstractContextManager[None] = CARD.device.out_of_memory_explained(
        "give a smaller cache_size"
    )
    return told


def _budget(memory: int, device: Any) -> int:
    """Return the bytes for kernel values: a share of what is free, if the user gave no number."""
    if memory in [size << 20 for size in USUAL_CACHE]:
        return int(SHARE_OF_MEMORY * CARD.device.free_memory(device))
    return memory


def design_on(name: str, X: Any, constant: float, far: float) -> Any:
    """Put the rows of a linear model on a card."""
    with CARD.device.out_of_memory_explained("fit to fewer rows"):
        return CARD.design.DeviceDesign(X, constant, far, CARD.device.find_device(name))


def wish_on(name: str, wish: Wish, problems: Sequence[Any]) -> Wish:
    """Return the solver of linear problems on a card: one that multiplies with all rows."""
    if any(isinstance(problem, CrammerSinger) or problem.penalty == "l1" for problem in problems):
        raise ParameterError(
            f"device={name!r} needs penalty='l2' and multi_class='ovr': other solvers visit a "
            "coordinate at a time, on the CPU."
        )
    if wish.solver not in ("auto", *MULTIPLYING):
        raise ParameterError(
            f"device={name!r} needs a solver that multiplies with all rows: one of "
            f"{', '.join(map(repr, MULTIPLYING))}. Got {wish.solver!r}."
        )
    return replace(wish, solver="newton" if wish.solver == "auto" else wish.solver, whole=True)


def sums_by_class(
    kernel: Kernel,
    rows: Prepared,
    support: Prepared,
    counts: Sequence[int],
    coefficients: NDArray[np.float64],
    finish: Any,
    name: str,
) -> NDArray[Any]:
    """Finish the sums sum_{i in class c} coefficient_li k(x, x_i) of rows x, as ``decision`` does.

    Shape (rows, classes, lines) before ``finish``.
    """
    check_device_form(kernel, name)
    device = CARD.device.find_device(name)
    upload = partial(CARD.arrays.tree_to_device, device=device)
    known: dict[int, Any] = {}
    with CARD.device.out_of_memory_explained("predict fewer rows at a time"):
        X, Z = upload(rows, known=known), upload(support, known=known)
        weights = CARD.arrays.to_device(coefficients.T, device)
        edges = np.cumsum([0, *counts]).tolist()
        found = []
        for first in range(0, len(rows), ROWS_AT_ONCE):
            stop_if_over()
            some = X[first : first + ROWS_AT_ONCE]
            sums = _sums(kernel, some, Z, edges, weights)
            found.append(finish(CARD.arrays.to_host(sums)))
    return np.concatenate(found)


def _sums(kernel: Kernel, X: Any, Z: Any, edges: list[int], weights: Any) -> Any:
    lines = weights.shape[1]
    total = weights.new_zeros((len(X), len(edges) - 1, lines))
    for c, (low, high) in enumerate(pairwise(edges)):
        for first in range(low, high, SUPPORT_AT_ONCE):
            part = slice(first, min(first + SUPPORT_AT_ONCE, high))
            block = values(kernel, CARD.kernel_values, X, Z[part])
            total[:, c] += block.to(weights.dtype) @ weights[part]
    return total

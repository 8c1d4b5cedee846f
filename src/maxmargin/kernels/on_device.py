"""Kernel values of rows that lie on a device: each kernel of vectors by the engine's verbs.

Rows on a device are the rows that a kernel prepares, with tensors in place of arrays
(``ops.gpu.arrays.tree_to_device``). A kernel that is not registered here has no form for a device.
"""

from __future__ import annotations

import re
from functools import singledispatch
from typing import Any, Final

from maxmargin.inputs.parameters import Parameter, ParameterError
from maxmargin.kernels.algebra import (
    Exponential,
    Mapped,
    Normalized,
    Power,
    Product,
    Restricted,
    Scaled,
    Sum,
)
from maxmargin.kernels.base import Kernel, shown
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.matern import Matern, RadialProfile, RationalQuadratic
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.static import Constant
from maxmargin.kernels.stationary import RBF, Laplacian
from maxmargin.ops.engine import Engine

CARD: Final = Engine("gpu")
_NUMBERED: Final = re.compile(r"cuda:\d{1,3}")
WORTH_A_CARD: Final = 10_000
"""Rows from which ``device="auto"`` takes a card."""

KERNELS = (
    RBF,
    Laplacian,
    Matern,
    RationalQuadratic,
    Linear,
    Polynomial,
    Sigmoid,
    Constant,
    Precomputed,
    Sum,
    Product,
    Scaled,
    Power,
    Exponential,
    Restricted,
    Normalized,
)
"""All kernels with a form for a device. A subclass may compute something else, so it has none."""


def missing_form(kernel: Kernel) -> Kernel | None:
    """Return the first part of a kernel that has no form for a device, or None."""
    if type(kernel) not in KERNELS:
        return kernel
    parts = (part for part in kernel.get_params(deep=False).values() if isinstance(part, Kernel))
    return next((found for part in parts if (found := missing_form(part)) is not None), None)


class NoDeviceFormError(TypeError):
    """A kernel cannot be evaluated on a card."""


def check_device_form(kernel: Any, device: str) -> None:
    """Raise if a part of a kernel has no form for a device."""
    part = missing_form(kernel)
    if part is not None:
        raise NoDeviceFormError(
            f"{part!r} cannot be evaluated with device={device!r}: a card evaluates kernels of "
            "vectors and given matrices. Use device='cpu'."
        )


def _check_device(owner: str, name: str, value: Any) -> None:
    named = isinstance(value, str)
    known = named and (value in ("cpu", "cuda", "auto") or _NUMBERED.fullmatch(value))
    if not known:
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be 'cpu', 'cuda', 'cuda:1' or 'auto'. "
            f"Got {shown(value)} instead."
        )


DEVICE: Final = Parameter(_check_device)
"""Where a fit runs."""


def chosen_device(wish: str, rows: int, kernel: Kernel | None = None) -> str:
    """Return the device of a fit; "auto" takes a card that is there, if there is enough to do."""
    if wish != "auto":
        return wish
    able = kernel is None or missing_form(kernel) is None
    return "cuda" if able and rows >= WORTH_A_CARD and CARD.device.card_is_there() else "cpu"


@singledispatch
def values(kernel: Any, verbs: Any, A: Any, B: Any) -> Any:  # noqa: ARG001
    """Return the matrix k(A, B) on the device of the rows.

    Parameters
    ----------
    kernel : Kernel
    verbs : module
        ``ops.gpu.kernel_values``.
    A, B : prepared rows
        With tensors for arrays.
    """
    raise TypeError(f"{kernel!r} has no form for a device.")


@values.register
def _rbf(kernel: RBF, verbs: Any, A: Any, B: Any) -> Any:
    return verbs.exp_of(_squared(verbs, A, B), kernel.rate)


@values.register
def _laplacian(kernel: Laplacian, verbs: Any, A: Any, B: Any) -> Any:
    return verbs.exp_of(verbs.absolute_distances(A.X, B.X), kernel.rate)


@values.register
def _matern(kernel: Matern, verbs: Any, A: Any, B: Any) -> Any:
    return verbs.matern(_distances(kernel, verbs, A, B), kernel.rate, kernel.nu)


@values.register
def _rational_quadratic(kernel: RationalQuadratic, verbs: Any, A: Any, B: Any) -> Any:
    return verbs.rational_quadratic(_distances(kernel, verbs, A, B), kernel.rate, kernel.alpha)


def _distances(kernel: RadialProfile, verbs: Any, A: Any, B: Any) -> Any:
    if kernel.distance == "absolute":
        return verbs.absolute_distances(A.X, B.X)
    return _squared(verbs, A, B)


def _squared(verbs: Any, A: Any, B: Any) -> Any:
    return verbs.squared_distances(A.X, B.X, A.sq_norms, B.sq_norms)


@values.register
def _linear(kernel: Linear, verbs: Any, A: Any, B: Any) -> Any:  # noqa: ARG001
    return verbs.products(A.X, B.X)


@values.register
def _polynomial(kernel: Polynomial, verbs: Any, A: Any, B: Any) -> Any:
    dots = verbs.products(A.X, B.X)
    return verbs.affine_power(dots, kernel.rate, float(kernel.coef0), int(kernel.degree))


@values.register
def _sigmoid(kernel: Sigmoid, verbs: Any, A: Any, B: Any) -> Any:
    return verbs.products(A.X, B.X).mul_(kernel.rate).add_(float(kernel.coef0)).tanh_()


@values.register
def _constant(kernel: Constant, verbs: Any, A: Any, B: Any) -> Any:  # noqa: ARG001
    return verbs.constant(float(kernel.c), A.dtype.name)


@values.register
def _precomputed(kernel: Precomputed, verbs: Any, A: Any, B: Any) -> Any:  # noqa: ARG001
    return A.K[A.ids][:, B.ids]


@values.register
def _sum(kernel: Sum, verbs: Any, A: Any, B: Any) -> Any:
    left = values(kernel.left, verbs, A.left, B.left)
    return left + values(kernel.right, verbs, A.right, B.right)


@values.register
def _product(kernel: Product, verbs: Any, A: Any, B: Any) -> Any:
    left = values(kernel.left, verbs, A.left, B.left)
    return left * values(kernel.right, verbs, A.right, B.right)


@values.register
def _mapped(kernel: Mapped, verbs: Any, A: Any, B: Any) -> Any:
    inside = values(kernel.kernel, verbs, A, B)
    if isinstance(kernel, Scaled):
        return inside.mul_(float(kernel.weight))
    if isinstance(kernel, Power):
        return inside.pow_(int(kernel.exponent))
    return inside.exp_()


@values.register
def _restricted(kernel: Restricted, verbs: Any, A: Any, B: Any) -> Any:
    return values(kernel.kernel, verbs, A, B)


@values.register
def _normalized(kernel: Normalized, verbs: Any, A: Any, B: Any) -> Any:
    inside = values(kernel.kernel, verbs, A.rows, B.rows)
    return inside * A.factors[:, None] * B.factors[None, :]


def rows_times(kernel: Kernel, basis: Any, turn: Any, name: str) -> Any:
    """Return a function from prepared rows to k(rows, basis) times a matrix, made on a card."""
    check_device_form(kernel, name)
    arrays, device = CARD.arrays, CARD.device.find_device(name)
    there, matrix = arrays.tree_to_device(basis, device), arrays.to_device(turn, device)

    def made(rows: Any) -> Any:
        with CARD.device.out_of_memory_explained("give fewer landmarks"):
            found = values(kernel, CARD.kernel_values, arrays.tree_to_device(rows, device), there)
            return arrays.to_host(found.to(matrix.dtype) @ matrix)

    return made

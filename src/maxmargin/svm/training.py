"""Rows made ready for a kernel machine: checked, their kernel chosen, its matrix on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from maxmargin.inputs.items import check_items
from maxmargin.inputs.labels import number_classes, weigh_classes
from maxmargin.inputs.vectors import check_vectors, far_mean, warn_of_scales
from maxmargin.inputs.weights import check_sample_weight
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Shift, Takes
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.points import ScaleError

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class KernelView:
    """How a kernel sees rows: with its numbers resolved, and a common shift taken off."""

    kernel: Kernel
    shift: NDArray[Any] | None = None
    """Taken off every row before the kernel sees it, where rows lie far from the origin."""
    double: bool = False
    """Whether rows of single precision are seen in double precision."""

    def moved(self, X: Any) -> Any:
        """Return rows as the kernel sees them."""
        X = X.astype(np.float64) if self.double and X.dtype == np.float32 else X
        return X if self.shift is None else X - self.shift

    def in_double(self) -> KernelView:
        """Return the same rows in double precision."""
        shift = None if self.shift is None else self.shift.astype(np.float64)
        return KernelView(self.kernel, shift, double=True)

    def gram(self, X: Any, offset: float = 0.0) -> Gram:
        """Prepare rows for the kernel."""
        far = 0.0 if self.shift is None else float(np.linalg.norm(self.shift.astype(np.float64)))
        try:
            gram = Gram.of(self.kernel, self.moved(X), offset, far)
            if self.kernel.takes is Takes.VECTORS:
                gram.rounding  # noqa: B018  (finds rows that are too large; of items it costs too much)
            return gram
        except ScaleError as error:
            raise ValueError(
                f"The dual coefficients or intercepts are not finite. {error}"
            ) from None


@dataclass(frozen=True)
class Training:
    """What a kernel machine is made of."""

    X: Any
    """The rows, found by position: an array, a CSR matrix or a list of items."""
    label: Index
    """The number of each row's class."""
    classes: NDArray[Any]
    class_weight: Vector
    weight: Vector | None
    """Of each row; those without a positive one are left out."""
    seen: KernelView
    gram: Gram
    intercept: str = "free"
    """"free", "regularized" (the kernel is then k + 1) or "none"."""
    target: Vector | None = None
    """What each row's value should be, for a regression."""

    @property
    def offset(self) -> float:
        """What is added to the kernel in place of a free bias."""
        return 1.0 if self.intercept == "regularized" else 0.0

    def __len__(self) -> int:
        return len(self.label)

    def of(self, rows: Index | None, sides: Labels) -> Training:
        """Look at some of the rows (all for None), which belong to other classes."""
        facts = {name: getattr(sides, name) for name in Labels.__dataclass_fields__}
        if rows is None:
            return replace(self, **facts)
        return replace(self, X=take(self.X, rows), gram=self.gram.reordered(rows), **facts)

    def stored(self, matrix: NDArray[Any]) -> Training:
        """Stand for the same rows with their matrix evaluated."""
        return replace(self, gram=self.gram.stored(matrix))

    def in_double(self) -> Training:
        """Look at the same rows in double precision."""
        if getattr(self.X, "dtype", None) != np.float32:
            return self
        X = self.X.astype(np.float64)
        return replace(self, X=X, seen=self.seen.in_double(), gram=self._gram_in_double(X))

    def gram_in_double(self, rows: Index) -> Gram:
        """Make some rows ready for the kernel in double precision."""
        return self._gram_in_double(take(self.X, rows).astype(np.float64))

    def _gram_in_double(self, X: Any) -> Gram:
        return self.seen.in_double().gram(X, self.offset)


def take(X: Any, rows: Any) -> Any:
    """Take rows by position from what ``check_rows`` gave."""
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def check_rows(model: Any, kernel: Kernel, X: Any, **rules: Any) -> Any:
    """Check X by what the kernel takes; of items that only it can check, their columns."""
    if kernel.takes_items(X):
        return check_items(model, X, rules.get("reset", True))
    if sparse.issparse(X) and kernel.takes is Takes.MATRIX:
        raise TypeError("Sparse precomputed kernels are not supported; pass X.toarray().")
    return check_vectors(model, X, **rules)


def prepare(
    model: Any, kernel: Kernel, X: Any, y: Any, sample_weight: Any, intercept: str
) -> Training:
    """Check the data of a fit, resolve the kernel on them and make them ready for it."""
    given = X
    if kernel.takes_items(X):
        X = check_items(model, X, True)
        check_consistent_length(X, y)
    else:
        X, y = check_rows(model, kernel, X, y=y)
        if kernel.takes is Takes.MATRIX and X.shape[0] != X.shape[1]:
            raise ValueError(
                "Precomputed matrix must be a square matrix. "
                f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        if kernel.adds_columns:
            warn_of_scales(type(model).__name__, X, given)
    sides = model._check_labels(y, sample_weight)
    kernel = kernel.resolved(named_columns(given, X), sides.weight)
    makes_good = intercept == "free" and getattr(model, "_balanced", True)
    return ready(centred(kernel, X, sides.weight, makes_good), X, sides, intercept)


def named_columns(given: Any, X: Any) -> Any:
    """Return a table that was given, whose columns have names, and otherwise the checked rows."""
    return given if hasattr(given, "columns") else X


def ready(seen: KernelView, X: Any, sides: Labels, intercept: str = "free") -> Training:
    """Make checked rows ready for a kernel that is chosen."""
    facts = sides.label, sides.classes, sides.class_weight, sides.weight
    offset = 1.0 if intercept == "regularized" else 0.0
    return Training(X, *facts, seen, seen.gram(X, offset), intercept, sides.target)


@dataclass(frozen=True)
class Labels:
    """To which class each row belongs, and how much it counts."""

    label: Index
    classes: NDArray[Any]
    class_weight: Vector
    weight: Vector | None
    target: Vector | None = None

    @classmethod
    def of(cls, class_weight: Any, y: Any, sample_weight: Any, every_class: bool = True) -> Labels:
        """Check labels and weights, and whether they leave more than one class."""
        classes, label, labels = number_classes(y)
        class_weight = weigh_classes(class_weight, classes, labels)
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, label, classes=every_class)
        return cls(label, classes, class_weight, weight)

    @classmethod
    def of_one(cls, target: Vector, sample_weight: Any) -> Labels:
        """Check the weights of rows without classes."""
        label, weight = np.zeros(len(target), dtype=np.intp), None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, label, classes=False)
        return cls(label, np.zeros(1), np.ones(1), weight, target)


def centred(kernel: Kernel, X: Any, weight: Vector | None, free_bias: bool) -> KernelView:
    """Subtract the mean from X if it is most of X and the kernel does not depend on it.

    Distances do not change, but |x|^2 + |y|^2 - 2 <x, y> loses no digits to the offset; and a free
    bias makes good what products change.
    """
    minds = kernel.shift > (Shift.BIAS if free_bias else Shift.NOTHING)
    vectors = kernel.takes is Takes.VECTORS and X.dtype.kind == "f"
    if minds or not vectors or sparse.issparse(X):
        return KernelView(kernel)
    return KernelView(kernel, far_mean(X if weight is None else X[weight > 0]))

"""A fitted kernel machine as a frozen value: plain arrays and a kernel, which decide.

With support vectors x_i of K classes, coefficients beta_l and intercepts b, a problem's value is

    f(x) = sum_i beta_i k(x, x_i) + b,

positive for its positive class. Problems are pairs of classes, whose coefficients lie in K - 1
lines as LIBSVM has them, or classes against the rest, one line each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.container import count_rows
from maxmargin.kernels.base import Takes
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.precomputed import Columns, Numbered, Precomputed
from maxmargin.svm import decision
from maxmargin.svm.decision import Finish
from maxmargin.svm.on_device import sums_by_class
from maxmargin.svm.training import KernelView

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class KernelMachine:
    """Support vectors with their coefficients, and what is decided by them."""

    seen: KernelView
    rows: NDArray[np.int32]
    """The support vectors' places in the training data, class after class."""
    support: Any
    """The support vectors themselves; nothing where the kernel is a given matrix."""
    counts: NDArray[np.int32]
    """How many of them each class has."""
    coefficients: Vector
    intercepts: Vector
    by_pairs: bool
    n_rows: int
    """Rows of the training data."""
    offset: float = 0.0
    """Added to the kernel instead of a free bias; the intercepts hold what it adds."""
    everything: Any = None
    """All training rows, which a user's function of two sets is given, as scikit-learn does."""

    def __restored__(self) -> None:
        """Check what was read: compiled loops trust that every support vector has its numbers."""
        lines = self.n_classes - 1 if self.by_pairs else len(self.intercepts)
        problems = self.n_classes * (self.n_classes - 1) // 2 if self.by_pairs else lines
        shapes = (self.coefficients, (lines, len(self.rows))), (self.intercepts, (problems,))
        fitting = all(each.shape == shape and each.dtype == "=f8" for each, shape in shapes)
        counted = self.rows.ndim == self.counts.ndim == 1 and self.counts.min(initial=0) >= 0
        within = ((self.rows >= 0) & (self.rows < self.n_rows)).all()
        if not (fitting and counted and within and self.counts.sum() == len(self.rows)):
            raise ValueError("The support vectors of a stored machine do not fit together.")
        if self.seen.kernel.takes is not Takes.MATRIX and count_rows(self.support) != len(
            self.rows
        ):
            raise ValueError("A stored machine does not have as many support vectors as it says.")

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.counts)

    @cached_property
    def prepared(self) -> Any:
        """The support vectors as the kernel wants them."""
        return self.seen.kernel.prepare(self.seen.moved(self.support))

    @cached_property
    def _by_column(self) -> Vector:
        """The coefficients of a support vector side by side, as decisions read them."""
        return np.asfortranarray(self.coefficients)

    @cached_property
    def weights(self) -> Vector:
        """Weights of the columns for a linear kernel, w = sum_i beta_i x_i, one line a problem."""
        return self.weights_of(self.seen.moved(self.support))

    def weights_of(self, rows: Any) -> Vector:
        """Return the weights of the columns of other rows that stand for the support vectors."""
        if not self.by_pairs:
            return np.asarray((rows.T @ self.coefficients.T).T)
        edges = np.cumsum([0, *self.counts])
        parts = [
            np.asarray((rows[a:b].T @ self.coefficients[:, a:b].T).T) for a, b in pairwise(edges)
        ]
        return decision.pair_values(np.stack(parts).transpose(2, 0, 1), np.zeros(1)).T

    def shifted_intercepts(self) -> Vector:
        """Return the intercepts for rows as the user has them: the kernel may see them shifted."""
        shift = self.seen.shift
        if shift is None or not self.seen.kernel.linear:
            return self.intercepts
        return self.intercepts - self.weights @ shift.astype(np.float64)

    def decide(
        self, X: Any, finish: Finish, n_jobs: int | None, device: str = "cpu"
    ) -> NDArray[Any]:
        """Finish the values of all problems, shape (rows, problems), a few rows at a time."""
        if self.seen.kernel.linear:
            product = np.asarray(self.seen.moved(X) @ self.weights.T, dtype=np.float64)
            return finish(product + self.intercepts)
        if len(self.rows) == 0 or len(self.intercepts) == 0:  # nothing to add up, or no problem
            return finish(np.tile(self.intercepts, (count_rows(X), 1)))
        rows, support = self._pair(X)

        def values(sums: Vector) -> NDArray[Any]:
            if self.by_pairs:
                return finish(decision.pair_values(sums, self.intercepts))
            return finish(sums.sum(axis=1) + self.intercepts)

        counts, coefficients = self.counts.tolist(), self._by_column
        kernel = self.seen.kernel if self.everything is None else Precomputed()
        if device != "cpu":
            facts = kernel, rows, support, counts, self.coefficients
            return sums_by_class(*facts, values, device)
        return decision.by_class(kernel, rows, support, counts, coefficients, values, n_jobs)

    def products(self, gram: Gram, places: Index, n_jobs: int | None) -> Vector:
        """K beta of every problem for all rows of a Gram matrix, the support at these places."""
        if len(places) == 0:
            return np.zeros((len(gram), len(self.intercepts)))
        nothing = np.zeros(1)

        def finish(sums: Vector) -> Vector:
            return decision.pair_values(sums, nothing) if self.by_pairs else sums.sum(axis=1)

        counts, support = self.counts.tolist(), gram.rows[places]
        facts = gram.kernel, gram.rows, support, counts, self.coefficients
        return decision.by_class(*facts, finish, n_jobs)

    def _pair(self, X: Any) -> tuple[Any, Any]:
        """Make new rows and the support vectors ready for the kernel."""
        kernel = self.seen.kernel
        if isinstance(X, Columns):
            return X.pair()
        if self.everything is not None:
            K = kernel(X, self.everything)
            return Numbered(K, np.arange(len(K))), Numbered(K, self.rows.astype(np.intp))
        if kernel.takes is not Takes.MATRIX:
            return kernel.prepare_new(self.seen.moved(X), self.prepared), self.prepared
        rows = kernel.prepare(X)
        if rows.K.shape[1] != self.n_rows:
            raise ValueError(
                f"X.shape[1] = {rows.K.shape[1]} should be equal to {self.n_rows}, "
                "the number of samples at training time"
            )
        return rows, Numbered(rows.K, self.rows.astype(np.intp))

    # what the values mean

    def numbers(self, values: Vector, break_ties: bool = False) -> Index:
        """Return the number of the class that values speak for: by vote, or the largest."""
        return decision.numbers(values, self.n_classes, self.by_pairs, break_ties)

    def confidences(self, values: Vector) -> Vector:
        """Return one value a class; of two classes only the second one's, f(x)."""
        return decision.confidences(values, self.n_classes, self.by_pairs)

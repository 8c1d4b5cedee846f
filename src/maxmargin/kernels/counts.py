"""Kernels that count: items as sparse rows of how often each feature occurs in them.

The features are those that some training item has; they are the vocabulary, in a fixed order. New
items have the same columns: what only they have is equal to nothing in the training set, and
counts in their own k(x, x) alone.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Columns
from maxmargin.kernels.pieces import oblong
from maxmargin.kernels.points import FloatArray, Rows, row_major
from maxmargin.kernels.rounding import units
from maxmargin.kernels.sequences import Letters, SequenceKernel, Sequences, as_sequences
from maxmargin.ops.engine import engine_of

# Share of the items that have a feature from which a dense product is faster than a list of them:
# an addition by a list takes about as long as twenty in a product of matrices.
_CROWDED = 0.2


@dataclass(frozen=True, eq=False)
class Counts:
    """Rows of features, in the columns of a vocabulary: those that many items have apart."""

    common: NDArray[np.float64]
    """Dense columns of features that many training items have."""
    rare: Any
    """The other columns, as a CSR matrix."""
    places: NDArray[np.intp]
    """The column in the vocabulary of each of these, the common ones first."""
    squares: NDArray[np.float64]
    """|phi(x)|^2 of each row, of what is not in the vocabulary too."""
    vocabulary: Any

    @classmethod
    def of(cls, matrix: Any, vocabulary: Any) -> Counts:
        """Part the columns by how many rows have them."""
        holders = np.bincount(matrix.indices, minlength=matrix.shape[1])
        crowded = holders > _CROWDED * matrix.shape[0]
        places = np.concatenate([np.flatnonzero(crowded), np.flatnonzero(~crowded)])
        width = int(crowded.sum())
        return cls(*_parted(matrix, places, width), places, _squares(matrix), vocabulary)

    def like(self, matrix: Any, squares: NDArray[np.float64]) -> Counts:
        """Part the columns of other rows in the same way."""
        width = self.common.shape[1]
        return Counts(*_parted(matrix, self.places, width), self.places, squares, self.vocabulary)

    def __len__(self) -> int:
        return len(self.squares)

    def __getitem__(self, rows: Rows) -> Counts:
        parts = self.common[rows], self.rare[rows]
        return Counts(*parts, self.places, self.squares[rows], self.vocabulary)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Double precision."""
        return np.dtype(np.float64)

    @cached_property
    def lists(self) -> Any:
        """Who has each of the rare features (CSC)."""
        return self.rare.tocsc()

    @property
    def whole(self) -> bool:
        """Whether all features are whole numbers."""
        parts = self.common, self.rare.data
        return all(np.array_equal(part, np.rint(part)) for part in parts)

    @property
    def longest(self) -> int:
        """The most features that a row can have."""
        return self.common.shape[1] + int(np.diff(self.rare.indptr).max(initial=0))


def _parted(matrix: Any, places: NDArray[np.intp], width: int) -> tuple[Any, Any]:
    if width == 0:
        return np.empty((matrix.shape[0], 0)), matrix
    return matrix[:, places[:width]].toarray(), matrix[:, places[width:]]


class CountingKernel(SequenceKernel):
    """The dot product of counts of features; a subclass says what is counted.

    Positive semidefinite, because sum_ij z_i z_j <phi(x_i), phi(x_j)> = |sum_i z_i phi(x_i)|^2.
    """

    @property
    def psd(self) -> bool:
        """True: a dot product of features (Shawe-Taylor and Cristianini 2004, proposition 3.7)."""
        return True

    @abstractmethod
    def _learn(self, sequences: Sequences) -> tuple[Any, Any]:
        """List what is counted, with its ``letters`` and ``names``, and count it (CSR)."""

    @abstractmethod
    def _count(self, sequences: Sequences, vocabulary: Any) -> Any:
        """Count what is in a vocabulary (CSR)."""

    def _letters(self) -> Letters:
        """Return the letters whose numbers are known beforehand."""
        return ()

    def prepare(self, X: Any) -> Counts:
        """List what is counted in the items, and count it."""
        vocabulary, matrix = self._learn(as_sequences(X, self._letters()))
        return Counts.of(matrix, vocabulary)

    def prepare_new(self, X: Any, training: Counts) -> Counts:
        """Count what is in the training set's vocabulary."""
        sequences = as_sequences(X, training.vocabulary.letters)
        own = _squares(self._learn(sequences)[1])
        return training.like(self._count(sequences, training.vocabulary), own)

    def fill(self, A: Counts, B: Counts, out: FloatArray) -> None:
        """Multiply dense columns as matrices, and sparse ones by lists of who has a feature."""
        fresh = A.common.shape[1] == 0
        if not fresh:
            np.matmul(A.common, B.common.T, out=out)
        a, b = A.rare, B.lists
        rows, who = (a.data, a.indices, a.indptr), (b.data, b.indices, b.indptr)
        verbs = engine_of(out).string_lists
        verbs.add_by_lists(*rows, *who, b.shape[0], fresh, *row_major(out))

    def _evaluate(self, A: Counts, B: Counts) -> FloatArray:
        # Sums of whole numbers are exact, hence symmetric; a mirror would cost more than it saves.
        return oblong(self, A, B) if A.whole else super()._evaluate(A, B)

    def diagonal(self, A: Counts) -> FloatArray:
        """Return |phi(x)|^2."""
        return A.squares.copy()

    def errors(self, A: Counts) -> NDArray[np.float64]:
        """Those of a dot product of as many numbers as a row has features."""
        return np.sqrt(units(A.longest) * A.squares)

    def _features(self, A: Counts) -> Any:
        features = sparse.hstack([sparse.csr_matrix(A.common), A.rare], format="csr")
        features = features[:, np.argsort(A.places)]
        features.sort_indices()
        return features

    def _feature_names(self, A: Counts, columns: Columns = None) -> list[str]:  # noqa: ARG002
        names: list[str] = A.vocabulary.names
        return names


def _squares(matrix: Any) -> NDArray[np.float64]:
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    sums = np.bincount(row, np.square(matrix.data), matrix.shape[0])
    return sums.astype(np.float64, copy=False)

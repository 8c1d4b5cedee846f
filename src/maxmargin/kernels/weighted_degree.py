"""The weighted degree kernel: common substrings at the same place, or nearly so.

    k(x, y) = sum_d beta_d sum_{|i - j| <= shifts} w_|i-j| [x_i ... x_{i+d-1} = y_j ... y_{j+d-1}],
    beta_d = 2 (k - d + 1) / (k (k + 1)),  d = 1 ... k,      w_0 = 1,  w_s = 1 / (2 (s + 1))

(Raetsch and Sonnenburg, "Accurate splice site prediction for Caenorhabditis elegans", 2004; with
shifts Raetsch, Sonnenburg and Schoelkopf, "RASE", Bioinformatics 21, 2005).

A run of r equal letters holds r - d + 1 common substrings of d letters. So the r-th letter of a run
adds beta_1 + ... + beta_min(r, k): one look at a pair of letters does for all d.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.base import check_count
from maxmargin.kernels.points import FloatArray, row_major
from maxmargin.kernels.rounding import units
from maxmargin.kernels.sequences import (
    SequenceKernel,
    Sequences,
    as_sequences,
    between_looks,
)
from maxmargin.ops.clock import pieces, stop_if_over
from maxmargin.ops.engine import engine_of


class WeightedDegree(SequenceKernel):
    """Common substrings of up to k letters at the same place, or a few places away.

    Parameters
    ----------
    k : int, default=3
        The length of the longest substring.
    shifts : int, default=0
        How many places apart equal substrings may lie.

    Notes
    -----
    For strings that are aligned, such as windows around a site of DNA. They need not be of one
    length: nothing equals what lies beyond an end. Without shifts the features are the pairs of a
    place and a substring; they are not written out. A pair of strings costs (2 shifts + 1) |x|
    operations, whatever k is.

    Examples
    --------
    >>> WeightedDegree(2)(["ab", "bb", "ba"]).round(3).tolist()
    [[1.667, 0.667, 0.0], [0.667, 1.667, 0.667], [0.0, 0.667, 1.667]]
    """

    def __init__(self, k: int = 3, shifts: int = 0) -> None:
        self.k = k
        self.shifts = shifts
        self._check_params()

    def _check_params(self) -> None:
        check_count(self, "k", self.k, low=1)
        check_count(self, "shifts", self.shifts)

    @property
    def psd(self) -> bool:
        """True.

        For each substring the kernel is a quadratic form of where it lies, with the Toeplitz matrix
        of w. That is positive semidefinite if 1 + sum_{s <= shifts} cos(s t) / (s + 1) is nowhere
        negative (Herglotz), and it is at least 1/2 (Rogosinski and Szegoe, Math. Z. 28, 1928: the
        sum with 1/2 in place of 1 is nowhere negative, wherever it ends).
        """
        return True

    @property
    def _gains(self) -> NDArray[np.float64]:
        """What the r-th letter of a run adds, for r = 0 ... k."""
        degrees = np.arange(self.k, 0, -1)
        return np.concatenate([[0.0], np.cumsum(2.0 * degrees / (self.k * (self.k + 1)))])

    @property
    def _weights(self) -> NDArray[np.float64]:
        """Of substrings that lie s = 0 ... shifts places apart."""
        return np.concatenate([[1.0], 0.5 / np.arange(2, self.shifts + 2)])

    def prepare(self, X: Any) -> Sequences:
        """Take letters by number."""
        return as_sequences(X)

    def prepare_new(self, X: Any, training: Sequences) -> Sequences:
        """Take letters by their numbers in the training set."""
        return as_sequences(X, training.letters)

    def fill(self, A: Sequences, B: Sequences, out: FloatArray) -> None:
        """Walk along the runs of equal letters of every pair."""
        verbs, longest = engine_of(out).string_runs, max(1, int(A.lengths.max(initial=0)))
        for rows, columns in between_looks(A, B, (2 * self.shifts + 1) / longest):
            a, b, part = A[rows], B[columns], out[rows, columns]
            strings = a.codes, a.starts, b.codes, b.starts
            verbs.runs_block(*strings, self._gains, self._weights, *row_major(part))

    def diagonal(self, A: Sequences) -> FloatArray:
        """Walk along the runs of every string with itself."""
        values = np.empty(len(A))
        verbs = engine_of(values).string_runs
        for rows in pieces(len(A), float(2 * self.shifts + 1) * len(A.codes)):
            stop_if_over()
            part = A[rows]
            own = part.codes, part.starts
            verbs.runs_diagonal(*own, self._gains, self._weights, values[rows])
        return values

    def errors(self, A: Sequences) -> NDArray[np.float64]:
        """Those of a sum of as many numbers as there are pairs of letters to look at."""
        pairs = int(A.lengths.max(initial=0)) * (2 * self.shifts + 1)
        return np.sqrt(units(pairs) * self.diagonal(A))

    def _given_params(self) -> dict[str, Any]:
        given = super()._given_params()
        return given if self.shifts else {"k": self.k}

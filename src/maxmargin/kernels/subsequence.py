"""The gap-weighted subsequence kernel.

Letters i_1 < ... < i_k of x spell u, and weigh decay^(i_k - i_1 + 1): the longer the stretch of x
they lie in, the less. With phi_u(x) the sum of these weights,

    k(x, y) = sum over all words u of k letters  phi_u(x) phi_u(y)

(Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins, "Text classification using string kernels",
JMLR 2, 2002, pages 419 to 444). Their recursion evaluates it in k |x| |y| steps: with K'_0 = 1, for
prefixes s a of x and t of y, a being a letter,

    K''_i(s a, t b) = decay K''_i(s a, t) + [a = b] decay^2 K'_{i-1}(s, t),
    K'_i(s a, t)    = decay K'_i(s, t) + K''_i(s a, t),
    k(s a, t)       = k(s, t) + sum_j [t_j = a] decay^2 K'_{k-1}(s, t_1 ... t_{j-1}).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.base import check_count, check_finite
from maxmargin.kernels.points import FloatArray, row_major
from maxmargin.kernels.sequences import (
    SequenceKernel,
    Sequences,
    as_sequences,
    between_looks,
)
from maxmargin.ops.clock import WORK, pieces, stop_if_over
from maxmargin.ops.engine import engine_of

_NONE = -1  # a letter that equals no other


class Subsequence(SequenceKernel):
    """Common subsequences of k letters, gaps allowed but not for free.

    Parameters
    ----------
    k : int, default=3
        The length of a subsequence.
    decay : float, default=0.5
        What each letter of the stretch that it lies in costs, above 0 and at most 1.

    Notes
    -----
    The features are all words of k letters, far too many to be written out; a pair of strings costs
    k |x| |y| operations. Values shrink like decay^(2k): take ``.normalized()``.

    Examples
    --------
    The example of Lodhi et al.: c-a of "cat" and of "car" weigh decay^2 each.

    >>> Subsequence(2, decay=0.5)(["cat", "car", "bat"]).tolist()
    [[0.140625, 0.0625, 0.0625], [0.0625, 0.140625, 0.0], [0.0625, 0.0, 0.140625]]
    """

    def __init__(self, k: int = 3, decay: float = 0.5) -> None:
        self.k = k
        self.decay = decay
        self._check_params()

    def _check_params(self) -> None:
        check_count(self, "k", self.k, low=1)
        check_finite(self, "decay", self.decay)
        if not 0 < self.decay <= 1:
            raise ValueError(f"Subsequence needs 0 < decay <= 1, got {self.decay!r}.")

    @property
    def psd(self) -> bool:
        """True: the dot product of the features phi (Lodhi et al. 2002)."""
        return True

    def prepare(self, X: Any) -> Sequences:
        """Take letters by number."""
        return as_sequences(X)

    def prepare_new(self, X: Any, training: Sequences) -> Sequences:
        """Take letters by their numbers in the training set."""
        return as_sequences(X, training.letters)

    def fill(self, A: Sequences, B: Sequences, out: FloatArray) -> None:
        """Run the recursion for every pair, several strings of about one length side by side."""
        order = np.argsort(B.lengths, kind="stable")
        ordered, values = B[order], np.empty((len(A), len(B)))
        verbs = engine_of(values).string_subsequence
        for rows, columns in between_looks(A, ordered, self.k):
            a, b, part = A[rows], ordered[columns], values[rows, columns]
            if self.k * len(a.codes) * len(b.codes) > 2 * WORK and len(a) == 1:
                part[0] = self._long_row(a.codes, b)
                continue
            strings = a.codes, a.starts, b.codes, b.starts
            verbs.subsequence_block(*strings, self.k, float(self.decay), *row_major(part))
        out[:, order] = values

    def _long_row(self, s: NDArray[np.int32], B: Sequences) -> NDArray[np.float64]:
        """Run the recursion for a long string, with looks at the clock between its letters."""
        longest = int(B.lengths.max(initial=0))
        lanes, total = np.full((longest, len(B)), _NONE, np.int32), np.zeros(len(B))
        for j, (first, last) in enumerate(pairwise(B.starts.tolist())):
            lanes[: last - first, j] = B.codes[first:last]
        state = np.zeros((self.k, longest + 1, len(B)))
        state[0] = 1.0
        go_on = engine_of(total).string_subsequence.subsequence_part
        for part in pieces(len(s), float(self.k) * len(s) * lanes.size):
            stop_if_over()
            go_on(s[part], lanes, self.k, float(self.decay), state, total)
        return total

    def diagonal(self, A: Sequences) -> FloatArray:
        """Run the recursion for every string with itself."""
        values, work = np.empty(len(A)), self.k * np.square(A.lengths.astype(np.float64))
        verbs = engine_of(values).string_subsequence
        long = work > WORK
        for i in np.flatnonzero(long):
            values[i] = self._long_row(A[i : i + 1].codes, A[i : i + 1])[0]
        short = np.flatnonzero(~long)
        for part in pieces(len(short), float(work[short].sum())):
            stop_if_over()
            some, own = A[short[part]], np.empty(len(short[part]))
            verbs.subsequence_diagonal(some.codes, some.starts, self.k, float(self.decay), own)
            values[short[part]] = own
        return values

    def errors(self, A: Sequences) -> NDArray[np.float64]:
        """Those of sums and products of positive terms, at most 4 |x| + 4 k of them in a chain."""
        longest = float(A.lengths.max(initial=0))
        return np.sqrt((4 * longest + 4 * self.k) * self.diagonal(A))

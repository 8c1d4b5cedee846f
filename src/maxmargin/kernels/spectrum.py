"""The spectrum kernel: common substrings.

    k(x, y) = sum_u decay^(2 |u|) #(u in x) #(u in y),    u of the lengths shortest to k.

With one length it is the p-spectrum kernel of Leslie, Eskin and Noble ("The spectrum kernel: a
string kernel for SVM protein classification", PSB 2002), with all up to k the blended one of
Shawe-Taylor and Cristianini ("Kernel Methods for Pattern Analysis", 2004, section 11.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

from scipy import sparse

from maxmargin.kernels.base import check_count, check_finite
from maxmargin.kernels.counts import CountingKernel
from maxmargin.kernels.sequences import Letters, Sequences
from maxmargin.kernels.substrings import Substrings, count_substrings, find_substrings


@dataclass(frozen=True, eq=False, slots=True)
class Lengths:
    """Substrings of several lengths."""

    parts: tuple[Substrings, ...]

    @property
    def letters(self) -> Letters:
        """Those of the items."""
        return self.parts[0].letters

    @property
    def names(self) -> list[str]:
        """Write the substrings out, the shortest first."""
        return list(chain.from_iterable(part.names for part in self.parts))


class Spectrum(CountingKernel):
    """Count common substrings of k letters, or of up to k.

    Parameters
    ----------
    k : int, default=3
        The length of a substring, in letters; for lists of tokens, in tokens.
    shortest : int, optional
        Substrings of the lengths from this one to k; of k alone where it is not given.
    decay : float, default=1.0
        A substring of d letters has the feature decay^d times how often it occurs.

    Notes
    -----
    The features are counts, one a substring that occurs in the training items; a string shorter
    than the substrings has none, and k(x, y) = 0. Letters and substrings that are new in a later
    item count in its own k(x, x) alone. Preparing n letters costs O(n log n), a block of values one
    addition for each substring that two strings share.

    Examples
    --------
    >>> Spectrum(2)(["abab", "ab", "ba"]).tolist()
    [[5.0, 2.0, 1.0], [2.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    >>> Spectrum(1)([["to", "be", "to"], ["to", "do"]]).tolist()
    [[5.0, 2.0], [2.0, 2.0]]
    """

    def __init__(self, k: int = 3, shortest: int | None = None, decay: float = 1.0) -> None:
        self.k = k
        self.shortest = shortest
        self.decay = decay
        self._check_params()

    def _check_params(self) -> None:
        check_count(self, "k", self.k, low=1)
        check_finite(self, "decay", self.decay)
        if self.decay <= 0:
            raise ValueError(f"Spectrum needs decay > 0, got {self.decay!r}.")
        if self.shortest is not None:
            check_count(self, "shortest", self.shortest, low=1)
            if self.shortest > self.k:
                raise ValueError(
                    f"Spectrum needs shortest <= k, got shortest={self.shortest} and k={self.k}."
                )

    def _learn(self, sequences: Sequences) -> tuple[Lengths, Any]:
        lengths = range(self.k if self.shortest is None else self.shortest, self.k + 1)
        pairs = [find_substrings(sequences, length) for length in lengths]
        listed = tuple(pair[0] for pair in pairs)
        return Lengths(listed), self._joined(listed, [pair[1] for pair in pairs])

    def _count(self, sequences: Sequences, vocabulary: Lengths) -> Any:
        parts = [count_substrings(sequences, listed) for listed in vocabulary.parts]
        return self._joined(vocabulary.parts, parts)

    def _joined(self, listed: tuple[Substrings, ...], parts: list[Any]) -> Any:
        for each, part in zip(listed, parts, strict=True):
            part.data *= float(self.decay) ** each.codes.shape[1]
        return parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr")

    def _given_params(self) -> dict[str, Any]:
        given = super()._given_params()
        return given if self.decay != 1 else {n: v for n, v in given.items() if n != "decay"}

"""Kernels of sequences on the words of a text."""

from __future__ import annotations

import re
from typing import Any

from maxmargin.kernels.algebra import Unary
from maxmargin.kernels.base import Columns, Kernel
from maxmargin.kernels.points import FloatArray
from maxmargin.kernels.sequences import as_strings
from maxmargin.kernels.spectrum import Spectrum


class Words(Unary):
    r"""A kernel of sequences on the words of texts: by default their common words.

    Parameters
    ----------
    kernel : Kernel, default=Spectrum(1)
        Of lists of tokens. ``Spectrum(1)`` is the bag of words, ``Spectrum(2)`` counts pairs of
        words in a row, ``Subsequence(2)`` pairs with others in between.
    pattern : str, default=r"\w+"
        A regular expression; what it finds are the words, from left to right.
    lowercase : bool, default=True
        Whether words are compared in lower case.

    Notes
    -----
    Lists of tokens are taken as they are. The features are those of the kernel inside.

    Examples
    --------
    >>> Words()(["To be or not to be", "to do", "Nothing"]).tolist()
    [[10.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
    """

    def __init__(
        self, kernel: Kernel | None = None, pattern: str = r"\w+", lowercase: bool = True
    ) -> None:
        self.kernel = Spectrum(1) if kernel is None else kernel
        self.pattern = pattern
        self.lowercase = lowercase
        self._check_params()

    def _check_params(self) -> None:
        super()._check_params()
        try:
            re.compile(self.pattern)
        except (TypeError, re.error) as error:
            raise ValueError(
                f"Words needs a regular expression for pattern, got {self.pattern!r} ({error})."
            ) from None

    def _split(self, X: Any) -> list[Any]:
        """Cut texts into words; lists of tokens are cut already."""
        found, lower = re.compile(self.pattern), self.lowercase
        items = as_strings(X)
        if any(isinstance(item, bytes) for item in items):
            raise ValueError("Words takes texts, and X holds bytes; decode them first.")
        texts = (
            (item.lower() if lower else item) if isinstance(item, str) else item for item in items
        )
        return [found.findall(text) if isinstance(text, str) else text for text in texts]

    def resolved(self, X: Any, weight: Any = None) -> Words:
        """Resolve the kernel inside on the words."""
        return Words(self.kernel.resolved(self._split(X), weight), self.pattern, self.lowercase)

    def prepare(self, X: Any) -> Any:
        """Cut texts into words; the kernel inside sees nothing else."""
        return self.kernel.prepare(self._split(X))

    def prepare_new(self, X: Any, training: Any) -> Any:
        """Cut texts into words; the kernel inside sees nothing else."""
        return self.kernel.prepare_new(self._split(X), training)

    def fill(self, A: Any, B: Any, out: FloatArray) -> None:
        """Take the block of the kernel inside."""
        self.kernel.fill(A, B, out)

    def diagonal(self, A: Any) -> FloatArray:
        """Take the diagonal of the kernel inside."""
        return self.kernel.diagonal(A)

    def errors(self, A: Any) -> Any:
        """Those of the kernel inside."""
        return self.kernel.errors(A)

    def _features(self, A: Any) -> Any:
        return self.kernel._features(A)

    def _feature_names(self, A: Any, columns: Columns = None) -> list[str]:
        return self.kernel._feature_names(A, columns)

    def _given_params(self) -> dict[str, Any]:
        usual = {"kernel": Spectrum(1), "pattern": r"\w+", "lowercase": True}
        given = self.get_params(deep=False)
        return {name: value for name, value in given.items() if value != usual[name]}

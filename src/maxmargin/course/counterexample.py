"""Three similarities that look like kernels and are not, each with items that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.kernels.base import Kernel
from maxmargin.kernels.dot import Sigmoid
from maxmargin.kernels.function import FromFunction

# Found by search, the fewest strings we know of: six and eight letters b, and one letter a among
# six or seven letters b. (All 31 strings over two letters of length at most four show it too;
# those of length at most three do not.)
_STRINGS = ["b" * 6, "b" * 8] + ["b" * i + "a" + "b" * (n - i) for n in (6, 7) for i in range(7)]


@dataclass(frozen=True, eq=False)
class Counterexample:
    """A similarity and items on which its Gram matrix has a negative eigenvalue."""

    name: str
    kernel: Kernel
    X: Any


def counterexamples() -> tuple[Counterexample, ...]:
    """Return tanh(1 + <x, y>), exp(-edit distance) and 1 - |x - y|^2, with items that refute each.

    Examples
    --------
    >>> from maxmargin.kernels import check, counterexamples
    >>> for example in counterexamples():
    ...     result = check(example.kernel, example.X)
    ...     print(f"{example.name}: {result.smallest_eigenvalue:.3f} on {result.n} items")
    tanh(1 + <x, y>): -0.013 on 2 items
    exp(-edit distance): -0.009 on 16 items
    1 - |x - y|^2: -2.000 on 2 items
    """
    return (
        Counterexample("tanh(1 + <x, y>)", Sigmoid(gamma=1.0, coef0=1.0), np.array([[1.0], [2.0]])),
        Counterexample("exp(-edit distance)", FromFunction(exp_edit_distance), list(_STRINGS)),
        Counterexample("1 - |x - y|^2", FromFunction(one_minus_square), np.array([[0.0], [2.0]])),
    )


def one_minus_square(x: Any, y: Any) -> float:
    """1 - |x - y|^2: similar to exp(-|x - y|^2) nearby, but unbounded below."""
    return float(1 - np.sum((np.asarray(x) - np.asarray(y)) ** 2))


def exp_edit_distance(a: str, b: str) -> float:
    """exp(-d) with the edit distance d, which is no squared distance of any feature space."""
    return float(np.exp(-edit_distance(a, b)))


def edit_distance(a: str, b: str) -> int:
    """Count the fewest insertions, deletions and replacements that turn one string into the other.

    Examples
    --------
    >>> edit_distance("kitten", "sitting")
    3
    """
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
        above = row
    return above[-1]

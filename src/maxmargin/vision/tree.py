"""Weak classifiers of a cascade: small trees, mostly stumps, and the stages they add up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

_CODES = 256


@dataclass(frozen=True)
class Tree:
    """A tree of a few nodes, each of which splits on one feature.

    Parameters
    ----------
    feature : tuple of int
        The feature of each node.
    left, right : tuple of int
        Child of each node: a later node, or leaf -k for an entry k <= 0.
    leaves : tuple of float
        Values of the leaves, one more than there are nodes. Like all numbers of a cascade they are
        float32.
    threshold : tuple of float, default=()
        Values below it go left, for Haar features.
    codes : tuple of int, default=()
        For LBP features: bit c of a node's number says whether code c goes left.

    Examples
    --------
    >>> from maxmargin.vision import Tree
    >>> Tree.stump(3, 0.5, -1.0, 1.0)
    Tree(feature=(3,), left=(0,), right=(-1,), leaves=(-1.0, 1.0), threshold=(0.5,), codes=())
    """

    feature: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    leaves: tuple[float, ...]
    threshold: tuple[float, ...] = ()
    codes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("leaves", "threshold"):
            object.__setattr__(self, name, _of_float32(getattr(self, name)))
        self.__restored__()

    def __restored__(self) -> None:
        """Raise for nodes that lead nowhere or in a circle."""
        n = len(self.feature)
        questions = self.codes if self.codes else self.threshold
        if n == 0 or {len(self.left), len(self.right), len(questions), len(self.leaves) - 1} != {n}:
            raise ValueError("A tree needs a question and two ways for each of its nodes.")
        for node, ways in enumerate(zip(self.left, self.right, strict=True)):
            for way in ways:
                if not (node < way < n or -n <= way <= 0):
                    raise ValueError(
                        f"Node {node} of a tree leads to {way}, which is not below it."
                    )
        if not all(0 <= codes < 1 << _CODES for codes in self.codes):
            raise ValueError("A set of codes must be a number of 256 bits.")

    @classmethod
    def stump(cls, feature: int, threshold: float, below: float, above: float) -> Tree:
        """Ask one question about a Haar feature.

        Parameters
        ----------
        feature : int
        threshold : float
        below, above : float
            The value where the feature is below the threshold, and where it is not.

        Returns
        -------
        tree : Tree
        """
        return cls((int(feature),), (0,), (-1,), (below, above), threshold=(threshold,))

    @classmethod
    def of_codes(cls, feature: int, codes: Iterable[int], inside: float, outside: float) -> Tree:
        """Ask whether the code of an LBP feature is one of some.

        Parameters
        ----------
        feature : int
        codes : iterable of int
        inside, outside : float
            The value where it is, and where it is not.

        Returns
        -------
        tree : Tree
        """
        mask = sum(1 << code for code in {int(code) for code in codes})
        return cls((int(feature),), (0,), (-1,), (inside, outside), codes=(mask,))


@dataclass(frozen=True)
class Stage:
    """A stage of a cascade: trees whose sum decides whether a window passes.

    Parameters
    ----------
    threshold : float
        A window whose sum is smaller is rejected.
    trees : tuple of Tree

    Examples
    --------
    >>> from maxmargin.vision import Stage, Tree
    >>> len(Stage(0.5, (Tree.stump(3, 0.5, -1.0, 1.0),)).trees)
    1
    """

    threshold: float
    trees: tuple[Tree, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", _of_float32([self.threshold])[0])
        object.__setattr__(self, "trees", tuple(self.trees))
        self.__restored__()

    def __restored__(self) -> None:
        """Raise for a stage that decides nothing."""
        if not self.trees:
            raise ValueError("A stage needs at least one tree.")


def _of_float32(numbers: Iterable[float]) -> tuple[float, ...]:
    """Round numbers to the precision in which cascades calculate and are stored."""
    with np.errstate(over="ignore"):
        rounded = np.array(list(numbers), dtype=np.float64).astype(np.float32)
    if not np.isfinite(rounded).all():
        raise ValueError("Thresholds and leaves must be finite numbers of float32.")
    return tuple(rounded.tolist())

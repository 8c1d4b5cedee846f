"""The best split for class labels, whatever their number: by weighted error or Gini's index.

For two classes the least error is the largest edge |sum w t h|, and Gini's criterion is that of
least squares with targets t; both scan one or two sums instead of one for each class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.threads import Scratch
from maxmargin.trees.columns import Columns
from maxmargin.trees.split import Split

Vector = NDArray[np.float64]


class LabelSearch:
    """Labels of the rows of some columns, searched with the weights of one round after the other.

    Parameters
    ----------
    columns : Columns
    label : ndarray of int of shape (rows,)
        Class numbers 0, 1, ...
    n_classes : int
    criterion : {"error", "gini"}
    """

    def __init__(
        self, columns: Columns, label: NDArray[np.integer], n_classes: int, criterion: str
    ) -> None:
        self._columns, self._label, self._criterion = columns, label.astype(np.intp), criterion
        self._n_classes = n_classes
        self._t = np.where(label == 1, 1.0, -1.0)
        self._scratch = Scratch(len(self._t), np.float64)

    def best(self, weight: Vector) -> Split:
        """Find the best split for these weights; its leaves are as ``leaf_classes`` reads them."""
        if self._n_classes > 2:
            return self._columns.best_classes(self._label, weight, self._n_classes, self._criterion)
        signed = np.multiply(weight, self._t, out=self._scratch.memory())
        if self._criterion == "gini":
            return self._columns.best_square(signed, weight, "gini")
        return self._columns.best_sign(signed)


def leaf_classes(split: Split, n_classes: int) -> tuple[int, int]:
    """Return the class indices of a split's sides; for two classes leaves are signs."""
    if n_classes > 2:
        return int(split.left), int(split.right)
    return int(split.left > 0), int(split.right > 0)

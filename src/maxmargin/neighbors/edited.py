"""Editing: rows that their neighbours contradict go, so that one neighbour is enough.

Wilson's rule ("Asymptotic properties of nearest neighbor rules using edited data", IEEE
Transactions on Systems, Man, and Cybernetics 2, 1972) drops every row that its k nearest other rows
get wrong, all rows being judged by all. Tomek ("An experiment with the edited nearest-neighbor
rule", 1976) does it again with what is left until nothing goes.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.parameters import all_or_nothing, check_flag, check_number
from maxmargin.neighbors.reduced import ReducedNeighbors
from maxmargin.neighbors.table import leave_one_out_pieces
from maxmargin.neighbors.vote import vote_for_each_k
from maxmargin.ops.clock import Clock, watch
from maxmargin.progress import advance

Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


class EditedNeighbors(ReducedNeighbors):
    """A nearest-neighbour classifier on the rows whose label their neighbours confirm.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number of neighbours that vote on each row. Ties go to the first class, and rows at equal
        distances count in the order of the data.
    repeat : bool, default=False
        Repeat on the remaining rows until none is misclassified or at most ``n_neighbors`` are
        left.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in ``KNeighborsClassifier``, which predicts.
    time_limit : float, default=None
        Seconds after which all rows not yet checked are kept.

    Attributes
    ----------
    edited_indices_ : ndarray of shape (rows kept,)
        Indices of the rows kept, in order.
    n_kept_ : int
    n_passes_ : int
        Number of passes; the last may be incomplete.
    complete_ : bool
        Whether there was time for all rows.
    estimator_ : KNeighborsClassifier
        One neighbour among the rows kept, minus ``centre_``; its classes are indices.
    centre_ : ndarray of shape (columns,) or None
        The median of the rows if brute force computes Euclidean distances from products, which
        would lose digits far from 0; otherwise None.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn. A class may have lost all of its rows; it is then never predicted.

    Examples
    --------
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.neighbors import EditedNeighbors
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = EditedNeighbors().fit(X, y)
    >>> model.n_kept_, round(model.score(X, y), 3)
    (163, 0.865)
    """

    _indices = "edited_indices_"

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        repeat: bool = False,
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.repeat = repeat
        super().__init__(algorithm, leaf_size, p, metric, metric_params, n_jobs, time_limit)

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Drop the rows that their neighbours get wrong.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
            More than ``n_neighbors`` rows.
        y : array-like of shape (rows,)
            Class labels.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        rows, numbers = self._read(X, y, at_least=2)
        self._refuse_few(len(numbers))
        with watch(self.time_limit) as clock:
            search = self._search(rows, numbers, self.n_neighbors)
            kept = self._judge(rows, numbers, search, clock)
        self._refuse_none(kept)
        self._keep(rows, numbers, kept, search)
        return self

    def _judge(self, rows: Any, numbers: Index, search: Any, clock: Clock) -> Index:
        """Return the rows that are left after one pass, or after all."""
        kept, self.n_passes_, again = np.arange(len(numbers)), 0, True
        while again:
            agreed, self.complete_ = self._agreed(search, rows[kept], numbers[kept], clock)
            kept, self.n_passes_ = kept[agreed], self.n_passes_ + 1
            again = self.repeat and self.complete_ and not agreed.all()
            again = again and len(kept) > self.n_neighbors
            if again:
                search = self._search(rows[kept], numbers[kept], self.n_neighbors)
        return kept

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        super()._check_parameters()
        check_number(owner, "n_neighbors", self.n_neighbors, 1, whole=True)
        check_flag(owner, "repeat", self.repeat)

    def _agreed(self, search: Any, rows: Any, numbers: Index, clock: Clock) -> tuple[Mask, bool]:
        """Return which rows their neighbours confirm, and whether there was time to check all."""
        agreed, left = np.ones(len(numbers), dtype=bool), len(numbers)
        for some, table in leave_one_out_pieces(search, rows, self.n_neighbors):
            labels = numbers[table.indices]
            won = vote_for_each_k(labels, np.ones(labels.shape), len(self.classes_))
            agreed[some], left = won[:, -1] == numbers[some], left - len(some)
            advance(1.0 - left / len(numbers))
            if clock.over():
                break
        return agreed, left == 0

    def _refuse_few(self, n_rows: int) -> None:
        if n_rows <= self.n_neighbors:
            raise ValueError(
                f"{n_rows} rows are too few for {self.n_neighbors} neighbours of each; "
                f"give EditedNeighbors a smaller n_neighbors than {self.n_neighbors}, or more rows."
            )

    def _refuse_none(self, kept: Index) -> None:
        if len(kept) == 0:
            raise ValueError(
                f"No row is left: the {self.n_neighbors} nearest others of each have another "
                "label; use another n_neighbors, or CondensedNeighbors."
            )

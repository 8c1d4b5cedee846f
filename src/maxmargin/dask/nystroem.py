"""Nystroem features on a cluster: landmarks from all partitions, features where the rows are."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.dask.cluster import connect
from maxmargin.dask.collection import is_collection
from maxmargin.dask.estimator import OnCluster, lazy, with_client
from maxmargin.dask.reading import place_features
from maxmargin.dask.rows import Rows
from maxmargin.inputs.parameters import all_or_nothing
from maxmargin.kernels.approximation import Nystroem as LocalNystroem
from maxmargin.ops.clock import watch

_POOL = 20
"""Rows drawn for each landmark, of which the local class chooses."""


def draw(rows: Rows, share: float, seed: int) -> Any:
    """Draw a share of a partition's rows."""
    rng = np.random.default_rng([seed, rows.number])
    count = min(len(rows), int(np.ceil(share * len(rows))))
    return rows.X[np.sort(rng.choice(len(rows), count, replace=False))]


@with_client
class Nystroem(OnCluster, LocalNystroem):
    """``maxmargin.kernels.Nystroem`` for Dask collections.

    ``fit`` draws twenty rows of all partitions for each landmark and chooses the landmarks among
    them; ``transform`` of a collection is lazy. Parameters are those of the local class, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    components_, normalization_, n_features_in_, feature_names_in_
        As in the local class; ``component_indices_`` are places among the rows drawn.

    Examples
    --------
    >>> from maxmargin.dask import Nystroem
    >>> Nystroem(n_components=50).n_components
    50
    """

    local: ClassVar = LocalNystroem
    transform: Any = lazy("transform", lambda model: (len(model.normalization_),))

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Choose the landmarks.

        Parameters
        ----------
        X : dask Array or DataFrame of shape (rows, columns)
        y : ignored

        Returns
        -------
        self : object
        """
        self._check_parameters()
        with watch() as clock, connect(self.client, clock) as cluster:
            placed = place_features(cluster, X)
            self._note_columns(placed)
            share = min(1.0, _POOL * self.n_components / placed.rows)
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            drawn = cluster.ask(placed.table, "draw landmarks", draw, share, seed)
        local = self._local_copy()
        local.fit(np.concatenate([part for part in drawn if len(part)]))
        columns, names = vars(self).get("feature_names_in_"), self.get_params(deep=False)
        self.__dict__.update({k: v for k, v in vars(local).items() if k not in names})
        if columns is not None:
            self.feature_names_in_ = columns
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Choose the landmarks and return the features, lazily for a collection."""
        if not is_collection(X):
            return super().fit_transform(X, y, **fit_params)
        return self.fit(X, y).transform(X)

"""What fits on a cluster do first: read partitions, and weigh classes by counts of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.dask.cluster import Cluster
from maxmargin.dask.collection import TableOnCluster, place_rows
from maxmargin.inputs.labels import weigh_classes
from maxmargin.ops.clock import TimeUp

Vector = NDArray[np.float64]


def read_table(cluster: Cluster, X: Any, y: Any, weight: Any, labels: bool) -> TableOnCluster:
    """Read the partitions; where time is up meanwhile there is no model to keep."""
    try:
        return place_rows(cluster, X, y, weight, labels)
    except TimeUp:
        if cluster.clock.expired:
            raise TimeoutError(
                f"time_limit={cluster.clock.time_limit} was reached before the partitions were "
                "read; give more time, or persist the collections first."
            ) from None
        if cluster.clock.interrupted:
            raise KeyboardInterrupt from None
        raise


def place_features(cluster: Cluster, X: Any) -> TableOnCluster:
    """Read partitions that have no targets."""
    return place_rows(cluster, X, None, None, False)


def class_factors(
    class_weight: Any, classes: NDArray[Any], placed: TableOnCluster
) -> Vector | None:
    """Return the factor of each class; "balanced" counts the rows of all partitions."""
    if class_weight is None:
        return None
    count = placed.class_rows(classes)
    if isinstance(class_weight, str) and class_weight == "balanced":
        balanced: Vector = count.sum() / (len(classes) * count)
        return balanced
    return weigh_classes(class_weight, classes, classes)

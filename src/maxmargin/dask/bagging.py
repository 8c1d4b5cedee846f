"""Bagging on a cluster: each member's bag is drawn from all partitions and learnt by one worker."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from maxmargin.bagging.bag import ClassifierBags
from maxmargin.bagging.classifier import BaggingClassifier as LocalBaggingClassifier
from maxmargin.dask.cluster import Cluster, connect
from maxmargin.dask.collection import TableOnCluster
from maxmargin.dask.estimator import OnCluster, by_class, label, lazy, one, with_client
from maxmargin.dask.reading import read_table
from maxmargin.dask.rows import Rows
from maxmargin.ensembles.members import by_place
from maxmargin.ensembles.rounds import Round, RoundLimits, boost, with_printing
from maxmargin.inputs.labels import refuse_one_class
from maxmargin.inputs.parameters import all_or_nothing
from maxmargin.ops.clock import watch

Vector = NDArray[np.float64]

_DRAWS = 20
"""Bags to draw until one has all classes."""
_HIGHEST = int(np.iinfo(np.int32).max)


def total_weight(rows: Rows) -> float:
    """Sum the weights of a partition."""
    return float(rows.weights.sum())


def draw_part(
    rows: Rows, count: int, seed: int, replace: bool, classes: NDArray[Any]
) -> tuple[Any, NDArray[np.intp]]:
    """Draw a partition's part of a bag, with class numbers."""
    rng = np.random.default_rng([seed, rows.number])
    p = None if rows.weight is None else rows.weight / rows.weight.sum()
    some = np.sort(rng.choice(len(rows), count, replace=replace, p=p)) if count else slice(0, 0)
    return rows.X[some], np.searchsorted(classes, rows.y[some])


def learn_member(
    estimator: Any, parts: list[tuple[Any, NDArray[np.intp]]], seed: int, n_classes: int
) -> Any:
    """Fit a member to a bag; None if the bag lacks a class."""
    full = [part for part in parts if len(part[1])]
    label_of = np.concatenate([part[1] for part in full])
    if len(np.unique(label_of)) < n_classes:
        return None
    X = np.concatenate([part[0] for part in full])
    bags = ClassifierBags(estimator, X, label_of, n_classes)
    return bags.learn(np.arange(len(X)), seed)


class ClusterBags:
    """Makes a member a round, as many side by side as there are threads."""

    def __init__(
        self,
        cluster: Cluster,
        placed: TableOnCluster,
        model: Any,
        learner: Any,
        classes: NDArray[Any],
    ) -> None:
        self._cluster, self._placed, self._learner = cluster, placed, learner
        self._classes, self._replace = classes, bool(model.bootstrap)
        self._random = check_random_state(model.random_state)
        self._share = np.array(cluster.ask(placed.table, "weights", total_weight))
        whole = isinstance(model.max_samples, int | np.integer)
        size = model.max_samples if whole else model.max_samples * placed.rows
        self._size, self._wanted = max(1, int(size)), int(model.n_estimators)
        self.members: list[Any] = []
        self._ready: list[Any] = []
        self._at_once = max(1, sum(cluster.threads().values()))

    def round(self) -> Round:
        """Add one member."""
        if not self._ready:
            count = min(self._at_once, self._wanted - len(self.members))
            self._ready = self._learn(count)
        self.members.append(self._ready.pop(0))
        return Round(len(self.members))

    def _learn(self, count: int) -> list[Any]:
        found: list[Any] = [None] * count
        for _ in range(_DRAWS):
            missing = [k for k, member in enumerate(found) if member is None]
            if not missing:
                return found
            title = f"member {len(self.members) + 1} of {self._wanted}"
            tasks = [self._bag(title) for _ in missing]
            made = self._cluster.run(title, learn_member, tasks)
            for k, member in zip(missing, made, strict=True):
                found[k] = member
        raise ValueError(
            f"{_DRAWS} bags of {self._size} rows did not have all classes; raise max_samples."
        )

    def _bag(self, title: str) -> tuple[Any, ...]:
        """Draw a bag: how many rows of each partition, and these rows where they lie."""
        seed = int(self._random.randint(_HIGHEST))
        rng = np.random.default_rng(seed)
        if self._replace:
            counts = rng.multinomial(self._size, self._share / self._share.sum())
        else:
            rows = np.array([each.rows for each in self._placed.summaries])
            counts = rng.multivariate_hypergeometric(rows, min(self._size, int(rows.sum())))
        state = (seed, self._replace, self._classes)
        parts = self._cluster.spread(
            self._placed.table, f"{title}: bag", draw_part, counts.tolist(), *state
        )
        return self._learner, parts, seed, len(self._classes)

    def keep(self, n_rounds: int) -> None:
        """Drop the later members."""
        del self.members[n_rounds:]


@with_client
class BaggingClassifier(OnCluster, LocalBaggingClassifier):
    """``maxmargin.BaggingClassifier`` for Dask collections.

    The rows of a bag come from all partitions, and one worker learns from them: a bag has to fit
    into its memory (``max_samples``). Parameters are those of ``maxmargin.BaggingClassifier``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    classes_, estimators_, stop_
        As in the local class.

    Examples
    --------
    >>> from maxmargin.dask import BaggingClassifier
    >>> BaggingClassifier(n_estimators=5, max_samples=1000).max_samples
    1000
    """

    local: ClassVar = LocalBaggingClassifier
    predict: Any = lazy("predict", one, label)
    predict_proba: Any = lazy("predict_proba", by_class)
    predict_log_proba: Any = lazy("predict_log_proba", by_class)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members to bags of Dask collections.

        Parameters
        ----------
        X : dask Array or DataFrame of shape (rows, columns)
        y : dask Array or Series of shape (rows,)
        sample_weight : dask Array or Series of shape (rows,), default=None
            Relative probability of drawing each row; needs bootstrap=True.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        self._check_on_cluster(sample_weight)
        keep = self.on_interrupt == "keep"
        with (
            watch(self.time_limit, self.on_interrupt) as clock,
            connect(self.client, clock, keep) as cluster,
        ):
            placed = read_table(cluster, X, y, sample_weight, True)
            self._note_columns(placed)
            self.is_categorical_ = None
            self.classes_ = placed.classes()
            refuse_one_class(self.classes_)
            self.n_classes_ = len(self.classes_)
            learner = by_place(self._learner(), getattr(self, "feature_names_in_", None))
            bags = ClusterBags(cluster, placed, self, learner, self.classes_)
            limits = RoundLimits(
                int(self.n_estimators), clock, with_printing(self.callback, self.verbose)
            )
            self.stop_ = boost(bags, limits)
        self.estimator_ = self._learner()
        self._store(bags.members)
        return self

    def _check_on_cluster(self, sample_weight: Any) -> None:
        wrong = [name for name in ("oob_score", "warm_start") if getattr(self, name)]
        if sample_weight is not None and not self.bootstrap:
            wrong.append("sample_weight with bootstrap=False")
        if wrong:
            raise ValueError(
                f"On a cluster BaggingClassifier does not do {wrong[0]}; use "
                "maxmargin.BaggingClassifier."
            )

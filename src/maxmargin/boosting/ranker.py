"""Boosting of rankings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from maxmargin.boosting.additive_fit import AdditiveFit
from maxmargin.boosting.additive_model import Vector
from maxmargin.boosting.objective import Objective, PairObjective, sum_over_rows
from maxmargin.boosting.training_set import Index, TargetRows, Targets, ValidationArguments
from maxmargin.ensembles.rounds import Callback
from maxmargin.inputs.parameters import all_or_nothing, check_choice
from maxmargin.inputs.table import FROM_DTYPE
from maxmargin.inputs.weights import read_weight
from maxmargin.losses import Loss, PairwiseLogistic, Queries
from maxmargin.losses.choice import LABEL_LOSSES, NUMBER_LOSSES
from maxmargin.ops.threads import Workers

_PAIRWISE = PairwiseLogistic.name


class BoostingRanker(AdditiveFit):
    """Ranking by gradient descent in the space of functions.

    The scores order the rows of each query by relevance. The pairwise logistic loss is summed over
    all pairs of rows of a query that differ in relevance.

    Parameters
    ----------
    loss : "pairwise_logistic", PairwiseLogistic, str or Loss, default="pairwise_logistic"
        A regression loss, such as "squared_error" or your own, is a sum over rows instead.
    estimator : regressor, classifier or None, default=None
        The weak learner: None is the regression stump, ``DecisionTreeRegressor(max_depth=3)`` a
        small tree. A classifier, such as ``DecisionStump()``, returns -1 or +1. Learners other than
        maxmargin's stumps must take ``sample_weight``.
    n_estimators : int, default=100
        Largest number of rounds; ``stop_`` says why there may be fewer.
    learning_rate : float, default=0.1
        Factor of every step.
    step : {"auto", "leaves", "line_search"} or float, default="auto"
        Step length: a separate step for each leaf, a line search, or a constant. "auto" is "leaves"
        for regression stumps and trees, "line_search" otherwise.
    init : {"constant", "zero", "first"}, default="constant"
        Start of the sum: the best constant, 0, or the first member h_1 with coefficient 1, without
        a search.
    validation_fraction : float, default=0.1
        Share of the queries held out if ``n_iter_no_change`` is given.
    n_iter_no_change : int, default=None
        Stop if the loss on the validation set has not fallen for this many rounds. Whatever ends
        the fit, the model is then that of the round with the lowest loss. None uses no validation
        set.
    tol : float, default=1e-4
        Smallest decrease of the loss that counts.
    warm_start : bool, default=False
        Let ``fit`` add rounds to the existing ones. The result is bit for bit that of a single fit.
        Other data, or other values of parameters that the existing rounds depend on, raise an
        error.
    time_limit : float, default=None
        Seconds after which no new round is started, and no further column is sorted for stumps.
    on_interrupt : {"raise", "keep"}, default="raise"
        Effect of Ctrl-C: raise KeyboardInterrupt and leave the model as it was before ``fit``, or
        end the fit with a warning and keep the rounds so far. Inside a search, a pipeline or
        another ensemble it always raises.
    callback : callable, default=None
        Called with a ``Round`` after each round; the fit ends if it returns True. See ``History``.
    verbose : int, default=0
        Print a line for every round.
    n_jobs : int, default=None
        Number of threads; None uses all cores. The result does not depend on it.
    categorical_features : array-like, "from_dtype" or None, default="from_dtype"
        The categorical columns; see ``DecisionStump``. Stumps split sets of categories. Trees get
        category numbers in sorted order, and unknown categories as missing values.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight on each side of a stump's split, not counting missing
        values. It is passed to trees too, and ignored by learners without leaves.
    random_state : int, RandomState instance or None, default=None
        Seed for the validation set and members with a ``random_state``.

    Attributes
    ----------
    constants_ : ndarray of shape (1,)
        Start value of the scores; 0 for the pairwise loss.
    coefficients_ : ndarray of shape (rounds, 1)
        Of the members; with steps by leaves the learning rate.
    estimators_ : ndarray of shape (rounds, 1)
        The members.
    n_estimators_ : int
        Their number.
    descent_ : recarray of shape (rounds,)
        ``before``, ``first_order``, ``after``, ``slope``, ``pull``, ``edge`` and ``cosine``: every
        round as a descent step on the mean loss; several functions count as one step.
    train_loss_, validation_loss_ : ndarray of shape (rounds,)
        Mean loss of a pair after every round; nan without a validation set.
    history_ : History
        The rounds of the model, without those that early stopping dropped.
    stop_ : Stop
        Why the fit ended.
    feature_importances_ : ndarray of shape (features,)
        Share of each feature in the total gain of the members' splits.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import BoostingRanker
    >>> X = np.array([[0.1], [0.9], [0.4], [0.2], [0.3]])
    >>> model = BoostingRanker(n_estimators=20).fit(X, [0, 2, 1, 0, 1], qid=[1, 1, 1, 2, 2])
    >>> model.score(X, [0, 2, 1, 0, 1], qid=[1, 1, 1, 2, 2])
    1.0
    """

    def __init__(
        self,
        loss: str | Loss | PairwiseLogistic = _PAIRWISE,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        step: str | float = "auto",
        init: str = "constant",
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        warm_start: bool = False,
        time_limit: float | None = None,
        on_interrupt: str = "raise",
        callback: Callback | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        categorical_features: Any = FROM_DTYPE,
        min_weight_fraction_leaf: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.step = step
        self.init = init
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.random_state = random_state

    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        qid_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            What the weak learner takes; for stumps, NaN is a missing value.
        y : array-like of shape (rows,)
            Relevances: larger is better.
        qid : array-like of shape (rows,), default=None
            The query of each row, as any label; rows of one query need not be adjacent. None means
            one query for all rows.
        sample_weight : array-like of shape (rows,), default=None
            At least 0. The weight of a pair is the product of its rows' weights, so a row of weight
            2 counts as two rows.
        X_val, y_val, qid_val : array-like, default=None
            Validation rows to use instead of held-out queries: their loss is recorded in every
            round, and ends the fit with ``n_iter_no_change``.
        sample_weight_val : array-like of shape (rows,), default=None
            Their weights.

        Returns
        -------
        self : object
        """
        watched = ValidationArguments(X_val, y_val, sample_weight_val, (qid_val,))
        return self._fit(X, y, sample_weight, watched, qid)

    def _is_pairwise(self) -> bool:
        named = isinstance(self.loss, str) and self.loss == _PAIRWISE
        return named or isinstance(self.loss, PairwiseLogistic)

    def _check_loss(self, owner: str) -> None:
        if self._is_pairwise():
            return
        if isinstance(self.loss, str) and self.loss not in LABEL_LOSSES + NUMBER_LOSSES:
            check_choice(owner, "loss", self.loss, (_PAIRWISE, *NUMBER_LOSSES))
        super()._check_loss(owner)

    def _targets(self, y: NDArray[Any], reset: bool, *groups: Any) -> Targets:  # noqa: ARG002
        y = np.asarray(y, dtype=np.float64)
        return y, _query_numbers(groups[0], len(y))

    def _read_watched(self, watched: ValidationArguments) -> TargetRows:
        sample = super()._read_watched(watched)
        if not self._is_pairwise():
            return sample
        y, query = sample.targets
        if Queries.of(y, query, sample.weight).pairs == 0:
            raise ValueError(
                "There is no pair to watch: in no query of X_val do two rows differ in relevance; "
                "check y_val, qid_val and sample_weight_val."
            )
        return sample

    def _check_targets(self, sample: TargetRows) -> None:
        if not self._is_pairwise():
            self._loss().check_targets(sample.targets[0][sample.rows])
        elif Queries.of(sample.targets[0], sample.targets[1], sample.weight).pairs == 0:
            raise ValueError(
                f"There is no pair to put in order (n_samples={len(sample.weight)}): in no query "
                "do two rows differ in relevance; check y, qid and sample_weight."
            )

    def _hold_out(self, sample: TargetRows) -> tuple[Index, Index]:
        """Hold out whole queries; rows, if there is only one query."""
        training, held = self._draw(sample)
        y, query = sample.targets
        weight = sample.weight
        parts = [Queries.of(y[part], query[part], weight[part]) for part in (training, held)]
        if self._is_pairwise() and not all(part.pairs for part in parts):
            raise ValueError(
                f"validation_fraction={self.validation_fraction} leaves no pair to learn from or "
                "to validate on; give more queries or another fraction."
            )
        return training, held

    def _draw(self, sample: TargetRows) -> Any:
        rows = sample.rows
        query = sample.targets[1][rows]
        labels = np.unique(query)
        if len(labels) == 1:
            return super()._hold_out(sample)
        rng = np.random.RandomState(self._seed)
        count = min(max(1, round(self.validation_fraction * len(labels))), len(labels) - 1)
        held = np.isin(query, rng.permutation(labels)[:count])
        return rows[~held], rows[held]

    def _objectives(self, sample: TargetRows, workers: Workers) -> list[Objective]:
        (y, query), weight = sample.targets, sample.weight
        if not self._is_pairwise():
            return [sum_over_rows(self._loss(), y, weight, workers)]
        loss = self.loss if isinstance(self.loss, PairwiseLogistic) else PairwiseLogistic()
        return [PairObjective(loss, Queries.of(y, query, weight), weight, workers)]

    def predict(self, X: Any) -> Vector:
        """Score rows: within a query, larger is better.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        scores : ndarray of shape (rows,)
        """
        return self._raw(X)[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Score rows after every round.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Yields
        ------
        scores : ndarray of shape (rows,)
        """
        for raw in self._staged_raw(X):
            yield raw[:, 0]

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """Return the share of pairs of a query that scores order correctly; a tie counts one half.

        1 is perfect and 1/2 chance; for relevances 0 and 1 and one query it is the area under the
        ROC curve. ``sklearn.metrics.ndcg_score`` takes the scores of a query too.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
        y : array-like of shape (rows,)
            Relevances.
        qid : array-like of shape (rows,), default=None
            The query of each row; None is one query for all.
        sample_weight : array-like of shape (rows,), default=None

        Returns
        -------
        score : float
        """
        scores = self.predict(X)
        y = column_or_1d(y)
        check_consistent_length(scores, y)
        weight = read_weight(sample_weight, len(y))
        queries = Queries.of(y, _query_numbers(qid, len(y)), weight)
        if queries.pairs == 0:
            raise ValueError(
                "There is no pair to judge: in no query do two rows differ in relevance."
            )
        return queries.accuracy(scores)


def _query_numbers(qid: Any, n_rows: int) -> NDArray[np.intp]:
    if qid is None:
        return np.zeros(n_rows, dtype=np.intp)
    labels = column_or_1d(qid)
    if len(labels) != n_rows:
        raise ValueError(
            f"qid must name the query of each of the {n_rows} rows. Got {len(labels)} of them."
        )
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)

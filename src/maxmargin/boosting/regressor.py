"""Boosting of any loss for targets that are numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from maxmargin.boosting.additive_fit import AdditiveFit
from maxmargin.boosting.additive_model import Vector
from maxmargin.boosting.objective import Objective, sum_over_rows
from maxmargin.boosting.training_set import TargetRows, Targets, ValidationArguments
from maxmargin.ensembles.rounds import Callback
from maxmargin.inputs.parameters import ParameterError, all_or_nothing, check_choice
from maxmargin.inputs.table import FROM_DTYPE
from maxmargin.losses import Loss, MarginLoss
from maxmargin.losses.choice import LABEL_LOSSES, NUMBER_LOSSES
from maxmargin.ops.threads import Workers


class BoostingRegressor(RegressorMixin, AdditiveFit):
    """Regression by gradient descent in the space of functions, for any differentiable loss.

    Parameters
    ----------
    loss : str or Loss, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", or a
        value of ``maxmargin.losses`` such as ``Quantile(0.9)``, ``Huber(level=0.9)`` (whose delta
        follows the residuals, as in scikit-learn) or one's own.
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
        Share of the rows held out if ``n_iter_no_change`` is given.
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
    corrective : bool, default=False
        Fit the coefficients of all members again after each round, to the least mean loss with
        ``ridge`` over nonnegative coefficients (fully corrective boosting), for convex and smooth
        losses. ``step`` and ``learning_rate`` then only shape the members and start the search.
        Needs 8 bytes for each row, round and function, and time that grows with the square of the
        number of rounds.
    ridge : float, default=1e-6
        With ``corrective=True``: for each member, ridge / 2 times the square of its coefficient
        times the mean square of its values times the initial mean curvature of the loss is added to
        the mean loss, which then always has a minimum. At least 1e-12.

    Attributes
    ----------
    constants_ : ndarray of shape (1,)
        What F begins with.
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
        Mean loss after every round; nan without a validation set.
    history_ : History
        The rounds of the model, without those that early stopping dropped.
    stop_ : Stop
        Why the fit ended.
    optimality_ : list of JointOptimality
        With ``corrective=True``, for each function: the mean loss with ridge, and its lower bound
        over all coefficients of these members.
    feature_importances_ : ndarray of shape (features,)
        Share of each feature in the total gain of the members' splits.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import BoostingRegressor
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> y = np.where(X[:, 0] > 0.5, 3.0, 1.0)
    >>> model = BoostingRegressor(n_estimators=50).fit(X, y)
    >>> model.predict([[0.2], [0.9]]).round(2)
    array([1.01, 2.99])
    """

    def __init__(
        self,
        loss: str | Loss = "squared_error",
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
        corrective: bool = False,
        ridge: float = 1e-6,
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
        self.corrective = corrective
        self.ridge = ridge

    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            What the weak learner takes; for stumps, NaN is a missing value.
        y : array-like of shape (rows,)
            Targets.
        sample_weight : array-like of shape (rows,), default=None
            At least 0; rows of weight 0 are left out.
        X_val, y_val : array-like of shape (rows, columns) and (rows,), default=None
            Validation rows to use instead of held-out ones: their loss is recorded in every round,
            and ends the fit with ``n_iter_no_change``.
        sample_weight_val : array-like of shape (rows,), default=None
            Their weights.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight, ValidationArguments(X_val, y_val, sample_weight_val))

    def _check_loss(self, owner: str) -> None:
        if isinstance(self.loss, str) and self.loss not in LABEL_LOSSES + NUMBER_LOSSES:
            check_choice(owner, "loss", self.loss, NUMBER_LOSSES)
        super()._check_loss(owner)
        if isinstance(self._loss(), MarginLoss):
            raise ParameterError(
                f"The 'loss' parameter of {owner} must be one of numbers; {self._loss().name} is "
                "one of labels -1 and +1. Use 'squared_error', or BoostingClassifier."
            )

    def _targets(self, y: NDArray[Any], reset: bool, *groups: Any) -> Targets:  # noqa: ARG002
        return (np.asarray(y, dtype=np.float64),)

    def _known_targets(self, y: NDArray[Any], *groups: Any) -> Targets:  # noqa: ARG002
        t = np.asarray(y, dtype=np.float64)
        self._loss().check_targets(np.append(t, 1.0))  # all 0 is enough to watch
        return (t,)

    def _check_targets(self, sample: TargetRows) -> None:
        self._loss().check_targets(sample.targets[0][sample.rows])

    def _objectives(self, sample: TargetRows, workers: Workers) -> list[Objective]:
        return [sum_over_rows(self._loss(), sample.targets[0], sample.weight, workers)]

    def predict(self, X: Any) -> Vector:
        """Predict targets.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
            F, or for the Poisson loss the mean e^F.
        """
        return self._loss().response(self._raw(X)[:, 0])

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Predict targets after every round.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Yields
        ------
        values : ndarray of shape (rows,)
        """
        for raw in self._staged_raw(X):
            yield self._loss().response(raw[:, 0])

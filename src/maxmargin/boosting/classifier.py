"""Boosting of any loss for two or more classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from maxmargin import losses
from maxmargin.boosting.additive_fit import AdditiveFit
from maxmargin.boosting.additive_model import Vector
from maxmargin.boosting.objective import Objective, sum_over_rows
from maxmargin.boosting.training_set import TargetRows, Targets, ValidationArguments
from maxmargin.boosting.weak_learner import known_numbers
from maxmargin.ensembles.rounds import Callback
from maxmargin.inputs.labels import check_labels, refuse_one_class, weigh_classes
from maxmargin.inputs.parameters import ParameterError, all_or_nothing, check_choice
from maxmargin.inputs.table import FROM_DTYPE
from maxmargin.losses import Loss
from maxmargin.losses.choice import LABEL_LOSSES, NUMBER_LOSSES
from maxmargin.losses.probability import class_probabilities, gives_probabilities
from maxmargin.ops.pieces import Pieces
from maxmargin.ops.threads import Workers
from maxmargin.trees.shape import ShapeFunctions, chosen_class

Array = NDArray[Any]

_LOSSES = tuple(name for name in LABEL_LOSSES if name != losses.ZeroOne.name)


class _IfProbable:
    """A method that exists if the loss gives probabilities; otherwise the error says why.

    That of scikit-learn's ``available_if`` has the reason only in its cause.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def __get__(self, model: Any, owner: Any = None) -> Any:
        if model is None:
            return self._method
        try:
            gives_probabilities(model)
        except (AttributeError, TypeError, ValueError) as why:
            raise AttributeError(
                f"This {type(model).__name__!r} has no attribute {self._method.__name__!r}: {why}"
            ) from None
        return MethodType(self._method, model)


class BoostingClassifier(ClassifierMixin, AdditiveFit):
    """Classification by gradient descent in the space of functions, for any differentiable loss.

    With ``loss="exponential", estimator=DecisionStump(), init="zero", learning_rate=1`` it is
    AdaBoost, round for round. With more than two classes there is one function for each class
    against the rest; they share the sorted columns and get a member each in every round.

    Parameters
    ----------
    loss : str or Loss, default="logistic"
        "logistic", "exponential", "squared_hinge", "modified_huber", "squared", "hinge", or a loss
        object from ``maxmargin.losses`` or your own, for targets -1 and +1.
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
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of rows for each class; "balanced" gives all classes equal weight.
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
    classes_ : ndarray
        The labels.
    constants_ : ndarray of shape (functions,)
        Start value of each F: one function for two classes, otherwise one for each class.
    coefficients_ : ndarray of shape (rounds, functions)
        Coefficients of the members: the learning rate if each leaf has a step, 0 for an unused
        member.
    estimators_ : ndarray of shape (rounds, functions)
        The members.
    n_estimators_ : int
        The number of rounds.
    descent_ : recarray of shape (rounds,)
        ``before``, ``first_order``, ``after``, ``slope``, ``pull``, ``edge`` and ``cosine``: every
        round as a descent step on the mean loss; several functions count as one step.
    train_loss_, validation_loss_ : ndarray of shape (rounds,)
        Mean loss after every round, summed over functions; nan without a validation set.
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
    >>> from maxmargin.boosting import BoostingClassifier
    >>> from maxmargin.datasets import load_heart
    >>> X, y = load_heart(return_X_y=True)
    >>> model = BoostingClassifier(n_estimators=50).fit(X, y)
    >>> bool((model.train_loss_[1:] < model.train_loss_[:-1]).all())
    True
    """

    classes_: Array
    _takes_numbers = False

    def __init__(
        self,
        loss: str | Loss = "logistic",
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
        class_weight: Any = None,
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
        self.class_weight = class_weight
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
            Class labels.
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
            check_choice(owner, "loss", self.loss, _LOSSES)
        super()._check_loss(owner)
        try:
            self._loss().check_targets(np.array([-1.0, 1.0]))
        except ValueError:
            raise ParameterError(
                f"The 'loss' parameter of {owner} must take labels -1 and +1, which "
                f"{self._loss().name} does not. Use one of {', '.join(map(repr, _LOSSES))}."
            ) from None

    def _targets(self, y: Array, reset: bool, *groups: Any) -> Targets:  # noqa: ARG002
        labels = check_labels(y)
        classes = np.unique(labels)
        refuse_one_class(classes)
        if not reset and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"A warm start needs the classes of the earlier fit, {self.classes_.tolist()}. "
                f"Got {classes.tolist()}."
            )
        self.classes_ = classes
        return (np.searchsorted(classes, labels),)

    def _known_targets(self, y: Array, *groups: Any) -> Targets:  # noqa: ARG002
        return (known_numbers(self.classes_, check_labels(y), "y_val"),)

    def _factors(self, targets: Targets) -> Vector:
        label = targets[0]
        factors: Vector = weigh_classes(self.class_weight, self.classes_, self.classes_[label])
        return factors[label]

    def _check_targets(self, sample: TargetRows) -> None:
        if len(np.unique(sample.targets[0][sample.rows])) < len(self.classes_):
            raise ValueError(
                "Invalid input - all samples of a class have zero weight, so that less than "
                f"{len(self.classes_)} classes are left; leave these rows out, or one class weighs "
                "nothing."
            )

    def _signs(self, label: Array) -> list[Vector]:
        """Targets -1 and +1: one list for two classes, otherwise one for each against the rest."""
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [np.where(label == k, 1.0, -1.0) for k in positive]

    def _objectives(self, sample: TargetRows, workers: Workers) -> list[Objective]:
        signs = self._signs(sample.targets[0])
        loss = self._loss()
        return [sum_over_rows(loss, t, sample.weight, workers) for t in signs]

    def _split_targets(self, targets: Targets) -> Array:
        return targets[0]

    def _train_error(self, sample: TargetRows, workers: Workers) -> Callable[[list[Vector]], float]:
        label, weight = sample.targets[0], sample.weight / sample.weight.sum()
        pieces = Pieces(len(label), workers)

        def error(z: list[Vector]) -> float:
            def wrong(a: int, b: int) -> tuple[float]:
                some = [values[a:b] for values in z]
                predicted = some[0] > 0 if len(z) == 1 else np.argmax(some, axis=0)
                return (float(weight[a:b] @ (predicted != label[a:b])),)

            return pieces.sum(wrong)[0]

        return error

    # what a fitted model does

    def _shaped(self, raw: Vector) -> Vector:
        return raw[:, 0] if len(self.classes_) == 2 else raw

    def _labels(self, values: Vector) -> Array:
        numbers = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        labels: Array = self.classes_[numbers]
        return labels

    def decision_function(self, X: Any) -> Vector:
        """Evaluate F.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        values : ndarray
            (rows,) for two classes, positive for ``classes_[1]``; otherwise (rows, classes).
        """
        return self._shaped(self._raw(X))

    def predict(self, X: Any) -> Array:
        """Predict the class: by the sign of F, or the class with the largest one.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        return self._labels(self.decision_function(X))

    @_IfProbable
    def predict_proba(self, X: Any) -> Vector:
        """Estimate class probabilities; for several classes, of each against the rest, normalised.

        1 / (1 + exp(-F)) for the logistic loss, with 2F for the exponential one, and (1 + F) / 2
        within [0, 1] for the squared ones; the hinge says nothing about probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        return class_probabilities(losses.named(self.loss), self.decision_function(X))

    @_IfProbable
    def predict_log_proba(self, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[Vector]:
        """Evaluate F after every round.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Yields
        ------
        values : ndarray of shape (rows,) or (rows, classes)
        """
        for raw in self._staged_raw(X):
            yield self._shaped(raw)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predict classes after every round.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Yields
        ------
        labels : ndarray of shape (rows,)
        """
        for values in self.staged_decision_function(X):
            yield self._labels(values)

    @_IfProbable
    def staged_predict_proba(self, X: Any) -> Iterator[Vector]:
        """Estimate class probabilities after every round.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Yields
        ------
        p : ndarray of shape (rows, classes)
        """
        for values in self.staged_decision_function(X):
            yield class_probabilities(losses.named(self.loss), values)

    def shape_functions(self, label: Any = None) -> ShapeFunctions:
        """Return the model as a constant plus one step function of each feature.

        Parameters
        ----------
        label : object, default=None
            With more than two classes, the class whose functions are returned.

        Returns
        -------
        shapes : ShapeFunctions
            ``shapes.sum(X)`` is the decision function, up to rounding.
        """
        shapes = super().shape_functions()
        number = chosen_class(self.classes_, label)
        return shapes if number is None else self._shape(number)

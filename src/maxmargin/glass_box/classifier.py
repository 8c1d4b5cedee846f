"""The glass box for two or more classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from maxmargin import losses
from maxmargin.ensembles.rounds import Callback
from maxmargin.glass_box.fit import GlassBoxFit, Training
from maxmargin.glass_box.objective import Objective, objective_of_labels
from maxmargin.glass_box.optimal import refit_labels
from maxmargin.inputs.labels import check_labels, refuse_one_class, weigh_classes
from maxmargin.inputs.parameters import ParameterError, all_or_nothing, check_choice
from maxmargin.inputs.table import FROM_DTYPE
from maxmargin.losses import Loss
from maxmargin.losses.choice import LABEL_LOSSES, NUMBER_LOSSES
from maxmargin.losses.probability import class_probabilities

Vector = NDArray[np.float64]

_LOSSES = tuple(
    name for name in LABEL_LOSSES if name not in (losses.ZeroOne.name, losses.Hinge.name)
)


class GlassBoxClassifier(ClassifierMixin, GlassBoxFit):
    """Classification by a sum of shapes, one of each column, and tables of a few pairs.

    A generalised additive model with interactions, learnt by boosting in small steps in several
    bags, each of which holds out other rows. What it decides by can be read: ``terms_``,
    ``explain``, ``maxmargin.plots.terms``.

    Parameters
    ----------
    loss : str or Loss, default="logistic"
        "logistic", for several classes with the softmax; or "exponential", "squared_hinge",
        "modified_huber" or "squared", each class against the rest.
    n_estimators : int, default=2000
        Rounds of columns at most, and as many of pairs; see ``stop_``.
    learning_rate : float, default=0.2
        Factor of every step.
    sharpness : int, default=1
        A column's step is the mean of all cuts of its bins in two, weighed by their gains to this
        power: 0 makes shapes as smooth as can be, a large one takes the best cut alone.
    n_bags : int or "auto", default="auto"
        Bags, whose mean is the model. Each holds out other rows. "auto" is 8, and 4 from 10,000
        rows on.
    pairs : "auto", "none", int or list of pairs, default="auto"
        How many pairs of columns to learn, or which ones. "auto" is at most three times the
        columns, with several classes as many as columns, and only pairs that promise a gain.
    exclude : list, default=None
        Columns and pairs of columns that no term may have.
    monotone : dict or list, default=None
        By column 1 where the decision must not fall with it, -1 where it must not rise.
    max_bins : int, default=254
        Bins of a column.
    max_pair_bins : int, default=32
        Bins of a column in a pair.
    min_weight_leaf : float, default=4
        Weight of the rows of a leaf at least.
    n_iter_no_change : int or None, default=50
        Stop when the loss of the rows held out has not fallen for so many rounds, and return to the
        best round. None makes all rounds.
    tol : float, default=5e-4
        By which share of the loss before the first round it must fall to count.
    refit : {"optimal"} or None, default=None
        "optimal" fits all terms again together, on the bins and pairs that boosting has chosen, to
        the optimum of the loss with ``ridge``; ``certificate_`` says how near. For two classes.
    ridge : float, default=1.0
        With ``refit="optimal"``: half of it times the squared values of all bins is added to the
        total loss.
    time_limit : float, default=None
        Seconds after which no further round is begun.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the rounds so far and a warning.
    callback : callable, default=None
        Called with a ``Round`` after each one, of which True stops.
    verbose : int, default=0
        Print a line for every round.
    warm_start : bool, default=False
        Go on where the fit before stopped, with the same rows: with more rounds, or after a time
        limit. It has to be set for the fit before, too, which then keeps what each bag has learnt.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    categorical_features : array-like, "from_dtype" or None, default="from_dtype"
        Which columns are categorical: indices, names or a mask; by default those of a DataFrame
        that hold categories or texts.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of rows by class.
    random_state : int, RandomState instance or None, default=0
        Seeds which rows each bag holds out.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    constants_ : ndarray of shape (functions,)
        What the sum begins with: one function for two classes, otherwise one for each.
    terms_ : list of TermView
        The terms, the most important first: name, kind, bins, values, standard errors, importance.
    term_names_, term_importances_
        In the order in which they are added.
    feature_importances_ : ndarray of shape (columns,)
        Share of each column in the sizes of the terms.
    history_ : History
        The rounds of the model: those of columns, then those of pairs.
    validation_loss_ : ndarray
        After each of them, the mean loss of the rows held out.
    stop_ : Stop
        Why there are no more of them.
    certificate_ : Certificate
        With ``refit="optimal"``: the value of the objective, and what no shapes on these bins are
        below.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import GlassBoxClassifier
    >>> from maxmargin.datasets import load_heart
    >>> X, y = load_heart(return_X_y=True)
    >>> model = GlassBoxClassifier().fit(X, y)
    >>> explanation = model.explain(X[:2])
    >>> bool((explanation.sum() == model.decision_function(X[:2])).all())
    True
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        loss: str | Loss = "logistic",
        *,
        n_estimators: int = 2000,
        learning_rate: float = 0.2,
        sharpness: int = 1,
        n_bags: int | str = "auto",
        pairs: Any = "auto",
        exclude: Any = None,
        monotone: Any = None,
        max_bins: int = 254,
        max_pair_bins: int = 32,
        min_weight_leaf: float = 4.0,
        n_iter_no_change: int | None = 50,
        tol: float = 5e-4,
        refit: str | None = None,
        ridge: float = 1.0,
        time_limit: float | None = None,
        on_interrupt: str = "raise",
        callback: Callback | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        categorical_features: Any = FROM_DTYPE,
        class_weight: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.loss = loss
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.sharpness = sharpness
        self.n_bags = n_bags
        self.pairs = pairs
        self.exclude = exclude
        self.monotone = monotone
        self.max_bins = max_bins
        self.max_pair_bins = max_pair_bins
        self.min_weight_leaf = min_weight_leaf
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.refit = refit
        self.ridge = ridge
        self.time_limit = time_limit
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            NaN is a missing value.
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            At least 0; rows of weight 0 are left out.
        groups : array-like of shape (rows,), default=None
            Rows of a group are held out together.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight, groups)

    def _check_loss(self, owner: str) -> None:
        if isinstance(self.loss, str) and self.loss not in LABEL_LOSSES + NUMBER_LOSSES:
            check_choice(owner, "loss", self.loss, _LOSSES)
        loss = self._loss()
        if loss.name not in _LOSSES:
            raise ParameterError(
                f"The 'loss' parameter of {owner} must be one of "
                f"{', '.join(map(repr, _LOSSES))}: smooth, of labels -1 and +1. Got {loss.name!r} "
                "instead."
            )

    def _targets(self, y: NDArray[Any]) -> NDArray[Any]:
        labels = check_labels(y)
        self.classes_ = np.unique(labels)
        refuse_one_class(self.classes_)
        return np.searchsorted(self.classes_, labels)

    def _check_targets(self, y: NDArray[Any]) -> None:
        if len(np.unique(y)) < len(self.classes_):
            raise ValueError(
                "Invalid input - all samples of a class have zero weight, so that less than "
                f"{len(self.classes_)} classes are left; leave these rows out, or one class weighs "
                "nothing."
            )

    def _factors(self, y: NDArray[Any]) -> Vector:
        factors: Vector = weigh_classes(self.class_weight, self.classes_, self.classes_[y])
        return factors[y]

    def _strata(self, y: NDArray[Any]) -> NDArray[Any]:
        return y

    def _objective(self, training: Training) -> Objective:
        label, weight = training.y, training.weight
        return objective_of_labels(self._loss(), label, len(self.classes_), weight)

    def _refit(self, training: Training) -> Any:
        if len(self.classes_) > 2:
            raise ParameterError(
                "refit='optimal' of GlassBoxClassifier is for two classes; y has "
                f"{len(self.classes_)}. Use refit=None, or OneVsRestClassifier around it."
            )
        signs = np.where(training.y == 1, 1.0, -1.0)
        rows = training.codes, signs, training.weight
        return refit_labels(self._terms, *rows, self._loss(), **self._refit_options())

    def decision_function(self, X: Any) -> Vector:
        """Add up the terms.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        values : ndarray
            (rows,) for two classes, positive for ``classes_[1]``; otherwise (rows, classes).
        """
        raw = self._raw(X)
        return raw[0] if len(self.classes_) == 2 else np.ascontiguousarray(raw.T)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class: by the sign of the sum, or the class with the largest one.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        values = self.decision_function(X)
        numbers = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[numbers]
        return labels

    def predict_proba(self, X: Any) -> Vector:
        """Estimate class probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        values, loss = self.decision_function(X), self._loss()
        if values.ndim == 2 and loss == losses.Logistic():
            shares: Vector = softmax(values, axis=1)
            return shares
        return class_probabilities(loss, values)

    def predict_log_proba(self, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

"""The glass box for quantities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from maxmargin.ensembles.rounds import Callback
from maxmargin.glass_box.fit import GlassBoxFit, Training
from maxmargin.glass_box.objective import Objective, objective_of_numbers, pairs_of, ranking
from maxmargin.glass_box.optimal import refit_numbers
from maxmargin.inputs.parameters import ParameterError, all_or_nothing, check_choice
from maxmargin.inputs.table import FROM_DTYPE
from maxmargin.inputs.targets import check_targets
from maxmargin.inputs.weights import read_weight
from maxmargin.losses import Loss, MarginLoss, PairwiseLogistic, SquaredError
from maxmargin.losses.choice import LABEL_LOSSES, NUMBER_LOSSES

Vector = NDArray[np.float64]

_MOST = 1e150  # its square is below the largest number


class GlassBoxRegressor(RegressorMixin, GlassBoxFit):
    """Regression by a sum of shapes, one of each column, and tables of a few pairs.

    A generalised additive model with interactions, learnt by boosting in small steps in several
    bags, each of which holds out other rows. What it predicts by can be read: ``terms_``,
    ``explain``, ``maxmargin.plots.terms``.

    Parameters
    ----------
    loss : str or Loss, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie", a
        value of ``maxmargin.losses`` such as ``Quantile(0.9)``, or "pairwise_logistic" for
        rankings: the ``groups`` of ``fit`` are then queries, and y is the relevance of their rows.
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
        the optimum of the loss with ``ridge``; ``certificate_`` says how near. For the squared
        error.
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
    random_state : int, RandomState instance or None, default=0
        Seeds which rows each bag holds out.

    Attributes
    ----------
    constants_ : ndarray of shape (1,)
        What the sum begins with.
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
    >>> import numpy as np
    >>> from maxmargin import GlassBoxRegressor
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> model = GlassBoxRegressor().fit(X, np.where(X[:, 0] > 0.5, 3.0, 1.0))
    >>> model.predict([[0.2, 0.5], [0.9, 0.5]]).round(1)
    array([1., 3.])
    >>> model.terms_[0].name
    'x0'
    """

    def __init__(
        self,
        loss: str | Loss = "squared_error",
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
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            NaN is a missing value.
        y : array-like of shape (rows,)
            Targets.
        sample_weight : array-like of shape (rows,), default=None
            At least 0; rows of weight 0 are left out.
        groups : array-like of shape (rows,), default=None
            Rows of a group are held out together.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight, groups)

    def _is_ranking(self) -> bool:
        """Whether rows of a group are put in order."""
        return isinstance(self.loss, str) and self.loss == PairwiseLogistic.name

    def _check_loss(self, owner: str) -> None:
        if self.refit is not None and self.loss not in ("squared_error", SquaredError()):
            raise ParameterError(
                "refit='optimal' of GlassBoxRegressor is for loss='squared_error'. Got "
                f"{self.loss!r} instead."
            )
        if self._is_ranking():
            return
        if isinstance(self.loss, str) and self.loss not in LABEL_LOSSES + NUMBER_LOSSES:
            check_choice(owner, "loss", self.loss, (*NUMBER_LOSSES, PairwiseLogistic.name))
        if isinstance(self._loss(), MarginLoss):
            raise ParameterError(
                f"The 'loss' parameter of {owner} must be one of numbers; {self._loss().name} is "
                "one of labels -1 and +1. Use 'squared_error', or GlassBoxClassifier."
            )

    def _targets(self, y: NDArray[Any]) -> NDArray[Any]:
        return check_targets(y)

    def _check_targets(self, y: NDArray[Any]) -> None:
        if not self._is_ranking():
            self._loss().check_targets(y)
        size = float(np.abs(y).max())
        if size > _MOST:
            raise ValueError(
                f"y reaches {size:.3g}, and the squares of such numbers overflow; divide y by "
                f"{size:.0e} first."
            )

    def _strata(self, y: NDArray[Any]) -> NDArray[Any]:
        return np.zeros(len(y), np.intp)

    def _objective(self, training: Training) -> Objective:
        if self._is_ranking():
            return ranking(training.y, training.groups, training.weight)
        return objective_of_numbers(self._loss(), training.y, training.weight)

    def _refit(self, training: Training) -> Any:
        rows = training.codes, training.y, training.weight
        return refit_numbers(self._terms, *rows, **self._refit_options())

    def predict(self, X: Any) -> Vector:
        """Predict targets.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
            The sum F of the terms; for the Poisson, gamma and Tweedie losses the mean e^F.
        """
        raw = self._raw(X)[0]
        return raw if self._is_ranking() else self._loss().response(raw)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> float:
        """Return R^2, or of a ranking the share of pairs of a group in the right order.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
        y : array-like of shape (rows,)
        sample_weight : array-like of shape (rows,), default=None
        groups : array-like of shape (rows,), default=None
            Of a ranking, the query of each row; None is one query for all.

        Returns
        -------
        score : float
        """
        if not self._is_ranking():
            return float(super().score(X, y, sample_weight))
        z = self.predict(X)
        return pairs_of(check_targets(y), groups, read_weight(sample_weight, len(z))).accuracy(z)

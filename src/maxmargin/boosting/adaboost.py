"""AdaBoost: weak learners in turn, each on the rows that those before it got wrong.

Freund and Schapire, J. Comput. Syst. Sci. 55, 1997; for several classes SAMME (Zhu, Zou, Rosset and
Hastie, Stat. Interface 2, 2009). The algorithm is in ``samme.py``, its theory in
``theory.py``, the loop in ``ensembles/rounds.py`` and what a fitted model does in ``vote.py``.
"""

from __future__ import annotations

from contextlib import ExitStack
from copy import copy, deepcopy
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.boosting.corrective import CORRECTIVE_PARAMETERS, refuse_first
from maxmargin.boosting.corrective_rounds import CorrectiveRounds
from maxmargin.boosting.samme import Samme
from maxmargin.boosting.stump_rounds import StumpRounds
from maxmargin.boosting.theory import Vector, bound_by_loss, bound_training_error, descent_of
from maxmargin.boosting.training_set import (
    Index,
    RowVotes,
    TrainingSet,
    ValidationArguments,
    set_aside,
)
from maxmargin.boosting.vote import StagedVote
from maxmargin.boosting.vote_fit import VoteFit
from maxmargin.boosting.weak_learner import (
    PresortedStump,
    check_weak_learner,
    known_numbers,
)
from maxmargin.ensembles.continuation import fingerprint, refuse_other_data, refuse_other_problem
from maxmargin.ensembles.members import own_copy
from maxmargin.ensembles.rounds import (
    ROUND_PARAMETERS,
    Callback,
    History,
    Round,
    RoundLimits,
    Stop,
    boost,
    with_printing,
)
from maxmargin.inputs.labels import check_labels
from maxmargin.inputs.parameters import FLAG, Parameter, all_or_nothing, check_declared, one_of
from maxmargin.inputs.routing import members_params
from maxmargin.inputs.table import FROM_DTYPE, naming_strings
from maxmargin.inputs.weights import read_weight
from maxmargin.ops.clock import Clock, watch
from maxmargin.ops.threads import Workers
from maxmargin.trees.bucketed import BucketedColumns
from maxmargin.trees.stump import LEAF_SHARE, DecisionStump

_BEFORE = {"init": "zero", "corrective": False, "ridge": None}  # of models without these
_CONTINUES = (
    "warm_start=True continues with the same classes and kind of estimator; set warm_start=False "
    "to begin anew."
)


class AdaBoostClassifier(StagedVote, VoteFit):
    """AdaBoost, with its theory as numbers.

    Replaces scikit-learn's class: it has the same parameters and fitted attributes, and with the
    same weak learner the same values. The default weak learner is the stump of least weighted
    error; scikit-learn's is the stump of least Gini index.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner; None is ``DecisionStump()``. ``DecisionStump(criterion="gini")`` splits
        as scikit-learn's trees of depth one do. Any classifier whose ``fit`` takes
        ``sample_weight`` works, and with ``resample=True`` any classifier.
    n_estimators : int, default=50
        Largest number of rounds; ``stop_`` says why there may be fewer.
    learning_rate : float, default=1.0
        Factor of the coefficients.
    random_state : int, RandomState instance or None, default=None
        Seed for members with a ``random_state``, the validation set and ``resample``.
    resample : bool, default=False
        Fit each member to n rows drawn with replacement, with the weights as probabilities, instead
        of passing weights. Errors are still weighted errors over all rows.
    validation_fraction : float, default=0.1
        Share of the rows, stratified by class, held out if ``n_iter_no_change`` is given.
    n_iter_no_change : int, default=None
        Stop if the error on the validation set has not fallen for this many rounds. Whatever ends
        the fit, the model is then that of the round with the lowest error. None uses no validation
        set.
    tol : float, default=1e-4
        Smallest decrease of the error that counts.
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
        Number of threads that search for stumps; None uses all cores. The result does not depend on
        it.
    categorical_features : array-like, "from_dtype" or None, default="from_dtype"
        Categorical columns for the default stump. If you pass a ``DecisionStump`` as ``estimator``,
        set its parameter instead.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight on each side of a stump's split, not counting missing
        values. It is passed to trees too, and ignored by learners without leaves.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of rows for each class; "balanced" gives all classes equal weight.
    init : {"zero", "first"}, default="zero"
        Start of the sum: 0, or the first member h_1 with coefficient 1, without a search or
        learning rate.
    corrective : bool, default=False
        Refit the coefficients of all members after each round: minimise the mean exponential loss
        with ``ridge`` over nonnegative coefficients (fully corrective boosting). For two classes
        only. ``learning_rate`` has no effect. Needs 8 bytes for each row and round, and time that
        grows with the square of the number of rounds.
    ridge : float, default=1e-6
        With ``corrective=True``, ridge / 2 times the sum of squared coefficients is added to the
        mean loss. A minimum then exists even if the members separate all rows. At least 1e-12.

    Attributes
    ----------
    estimator_ : classifier
        The weak learner.
    estimators_ : sequence of classifiers
        The members; stumps are created on access.
    estimator_weights_ : ndarray of shape (rounds,)
        Their coefficients in scikit-learn's scale: learning_rate times log((1 - e) / e) plus
        log(classes - 1). A member without errors is the last; its coefficient is 1.0 more than the
        sum of all others, so that they cannot outvote it.
    alphas_ : ndarray of shape (rounds,)
        Half of these: for two classes the 1/2 log((1 - e) / e) of the theory, times learning_rate.
    estimator_errors_ : ndarray of shape (rounds,)
        Weighted error e of each member.
    bounds_ : recarray of shape (rounds,)
        ``edge``, ``z``, ``product``, ``exponential``, ``geometric``, ``n_geometric`` and ``error``:
        the training error after every round and its bounds; see ``bound_training_error``.
    descent_ : recarray of shape (rounds,)
        ``before``, ``first_order``, ``after``, ``slope``, ``pull``, ``edge`` and ``cosine``: every
        round as a descent step on the exponential loss, for two classes. h and the gradient have
        one entry for each training row.
    weights_ : ndarray of shape (rows,)
        Weights after the last round of the rows given to ``fit``, with sum 1; 0 for validation rows
        and rows of sample weight 0.
    history_ : History
        The rounds of the model, without those that early stopping dropped.
    stop_ : Stop
        Why the fit ended.
    optimality_ : JointOptimality
        With ``corrective=True``, the mean loss with ridge, and its lower bound over all
        coefficients of these members. If weak learners are searched exactly, ``history_`` also has
        a ``gap``: no vote of any weak learners with the same sum of coefficients has a mean loss
        that is lower by more.
    classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_
        As in scikit-learn.

    Notes
    -----
    If the first member is no better than chance, ``fit`` raises an error, as in scikit-learn; a
    later one ends the fit.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> X, y = load_ten_points(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> model.alphas_.round(4)
    array([0.4236, 0.6496, 0.9229])
    >>> model.score(X, y)
    1.0
    """

    _parameters: ClassVar[dict[str, Parameter]] = {
        **ROUND_PARAMETERS,
        **CORRECTIVE_PARAMETERS,
        "init": one_of("zero", "first"),
        "resample": FLAG,
        "min_weight_fraction_leaf": LEAF_SHARE,
    }
    _validation_seed: int | None
    _problem: dict[str, Any]
    _data: str

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: Any = None,
        resample: bool = False,
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
        init: str = "zero",
        corrective: bool = False,
        ridge: float = 1e-6,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.resample = resample
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
        self.init = init
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
        **fit_params: Any,
    ) -> Self:
        """Fit the ensemble.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            What the weak learner takes; for stumps, NaN is a missing value.
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Weights of the first round, at least 0; rows of weight 0 are left out.
        X_val, y_val : array-like of shape (rows, columns) and (rows,), default=None
            Validation rows to use instead of held-out ones: their error is recorded in every round,
            and ends the fit with ``n_iter_no_change``.
        sample_weight_val : array-like of shape (rows,), default=None
            Their weights.
        **fit_params : dict
            With metadata routing, the metadata that the weak learner's ``fit`` has requested.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        given = ValidationArguments(X_val, y_val, sample_weight_val)
        with naming_strings(X), watch(self.time_limit, self.on_interrupt) as clock:
            earlier = self._earlier() if self.warm_start else None
            params = members_params(self, fit_params) if fit_params else {}
            data = self._reduce(X, y, sample_weight, params, earlier is None)
            validation = self._read_watched(given) if given.given else None
            self._begin(earlier, data, validation)
            rows = data.rows(len(self.classes_))
            if self.n_iter_no_change is not None and validation is None:
                rows, held_out = self._hold_out(data, rows)
                validation = data.part(held_out)
            with ExitStack() as stack:
                booster = self._booster(data.part(rows), validation, clock, stack)
                stop, history = self._boost(booster, earlier, clock)
            if self._draws():  # others may draw from theirs meanwhile
                self._random_state = own_copy(self._random_state)
            self._recover(booster, stop, history)
        self.weights_ = np.zeros(len(data.y))
        self.weights_[rows] = booster.weight / booster.weight.sum()
        return self

    # validate

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_declared(self)
        if self.corrective:
            refuse_first(self)
        if self.estimator is not None:
            check_weak_learner(owner, self.estimator, self.resample, self.categorical_features)

    def _earlier(self) -> Self | None:
        """Return the model that a warm start continues, if there is one."""
        if not hasattr(self, "estimators_"):
            return None
        made = len(self.estimators_)
        if self.n_estimators < made:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least the {made} rounds made so far "
                "with warm_start=True; set warm_start=False to begin anew."
            )
        if (type(self._weak()) is DecisionStump) != (self._stumps is not None):
            raise ValueError(_CONTINUES)
        return copy(self)

    def _read_watched(self, watched: ValidationArguments) -> TrainingSet:
        """Read the validation rows that were passed to ``fit``."""
        X, labels = self._read_rows(watched.X, watched.y, False)
        label = known_numbers(self.classes_, check_labels(labels), "y_val")
        weight = read_weight(watched.sample_weight, len(label), "sample_weight_val")
        rows = np.flatnonzero(weight > 0)
        return TrainingSet(X, labels, label, weight, {}).part(rows)

    def _begin(self, earlier: Self | None, data: TrainingSet, given: TrainingSet | None) -> None:
        """Note what is begun; what goes on must be the same."""
        if self.corrective and len(self.classes_) > 2:
            raise ValueError(
                f"corrective=True of AdaBoostClassifier fits two classes, and y has "
                f"{len(self.classes_)}; give OneVsRestClassifier(AdaBoostClassifier("
                "corrective=True)) or BoostingClassifier(corrective=True), which take several."
            )
        aside = self.n_iter_no_change is not None and given is None
        problem = {
            "categorical_features": self.categorical_features,
            "validation_fraction": self.validation_fraction if aside else None,
            "init": self.init,
            "corrective": self.corrective,
            "ridge": self.ridge if self.corrective else None,
        }
        parts = [data.X, data.label, data.weight]
        if given is not None:
            parts += [given.X, given.label, given.weight]
        digest = fingerprint(*parts)
        if earlier is not None:
            if not np.array_equal(self.classes_, earlier.classes_):
                raise ValueError(_CONTINUES)
            refuse_other_problem(_BEFORE | earlier._problem, problem)
            refuse_other_data(earlier._data, digest)
        self._problem, self._data = problem, digest
        if earlier is None:
            self._random_state, self._validation_seed = check_random_state(self.random_state), None
        else:
            self._random_state = deepcopy(earlier._random_state)

    # reduce

    def _hold_out(self, data: TrainingSet, rows: Index) -> tuple[Index, Index]:
        """Split the rows into those to learn from and those to validate on."""
        if self._validation_seed is None:
            self._validation_seed = int(self._random_state.randint(2**31 - 1))
        return set_aside(rows, data.label, self.validation_fraction, self._validation_seed)

    def _draws(self) -> bool:
        """Return whether random numbers are drawn, which stumps fitted to weights do not need."""
        return self.resample or self.n_iter_no_change is not None or not self._has_stumps()

    def _booster(
        self, training: TrainingSet, validation: TrainingSet | None, clock: Clock, stack: ExitStack
    ) -> Samme | StumpRounds | CorrectiveRounds:
        K, rate = len(self.classes_), float(self.learning_rate)
        learner = self._learner(training, clock, stack, self.resample)
        votes = RowVotes(training.label, training.weight, K)
        watched: tuple[Any, ...] = ()
        if validation is not None and len(validation.y):
            watched = RowVotes(validation.label, validation.weight, K), validation.X
        if self.corrective:
            workers = stack.enter_context(Workers(self.n_jobs))
            exact = not self.resample and self._searches_exactly()
            ridge = float(self.ridge)
            return CorrectiveRounds(learner, votes, ridge, workers, exact, *watched)
        first = 1.0 if self.init == "first" else None
        columns = None
        if K == 2 and type(learner) is PresortedStump:
            columns = BucketedColumns.of(learner.columns)
        if columns is not None:
            booster = StumpRounds(columns, votes, self.estimator_.criterion, rate, *watched)
            booster.first = first
            return booster
        rounds = Samme(learner, votes, K, rate, *watched)
        rounds.first = first
        return rounds

    # boost

    def _boost(
        self, booster: Samme | StumpRounds | CorrectiveRounds, earlier: Self | None, clock: Clock
    ) -> tuple[Stop, History]:
        """Make the rounds that are missing."""
        history, before = History(), tuple[Round, ...]()
        if earlier is not None:
            members = earlier.estimators_ if earlier._stumps is None else earlier._stumps
            if isinstance(booster, CorrectiveRounds):
                booster.resume(list(members), earlier._alpha_path())
            else:
                booster.resume(list(members), earlier.estimator_weights_.tolist())
            history, before = History(earlier.history_), tuple(earlier.history_)
        report = with_printing(self.callback, int(self.verbose))
        limits = RoundLimits(
            self.n_estimators - len(before),
            clock,
            report,
            self.n_iter_no_change,
            float(self.tol),
            one_by_one=report is not None or booster.validation is not None,
            history=history,
        )
        stop = boost(booster, limits, before)
        made = len(booster.coefficients)
        return stop, history if len(history) == made else history.first(made)

    # recover

    def _recover(
        self, booster: Samme | StumpRounds | CorrectiveRounds, stop: Stop, history: History
    ) -> None:
        """Set the fitted attributes."""
        self._keep_members(booster.members)
        self.estimator_weights_ = np.array(booster.coefficients)
        self.alphas_ = 0.5 * self.estimator_weights_
        self.estimator_errors_ = history.column("error")
        self.history_, self.stop_ = history, stop
        self._path = None
        if isinstance(booster, CorrectiveRounds):
            assert booster.fitted is not None
            self.optimality_ = booster.fitted.optimality
            self._path = 2.0 * np.concatenate(booster.path)
            self.bounds_ = bound_by_loss(self.estimator_errors_, history)
            return
        self.bounds_ = bound_training_error(
            self.estimator_errors_,
            self.alphas_,
            history.column("train_error"),
            n_classes=len(self.classes_),
            n_rows=len(booster.weight),
        )

    def _alpha_path(self) -> list[Vector]:
        """Return the coefficients after every round of a corrective fit."""
        return [0.5 * self._weights_after(made) for made in range(1, len(self.estimators_) + 1)]

    @property
    def descent_(self) -> Any:
        """Every round as a descent step, with the prediction of its gradient."""
        check_is_fitted(self)
        return descent_of(self.history_)

"""LPBoost: all coefficients of a vote at once, for the largest soft margin.

The program and its columns are in ``soft_margin.py``, the loop in ``ensembles/rounds.py`` and what
a fitted model does in ``vote.py``.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from maxmargin.boosting.soft_margin import ColumnGeneration, Optimality, smallest_margin
from maxmargin.boosting.training_set import RowVotes, TrainingSet
from maxmargin.boosting.vote_fit import VoteFit
from maxmargin.boosting.weak_learner import check_weak_learner
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
from maxmargin.inputs.parameters import (
    Parameter,
    ParameterError,
    all_or_nothing,
    check_choice,
    check_declared,
    check_number,
)
from maxmargin.inputs.routing import members_params
from maxmargin.inputs.table import FROM_DTYPE, naming_strings
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock, watch
from maxmargin.trees.stump import LEAF_SHARE

Vector = NDArray[np.float64]

_TIE = 1e-12  # votes that differ by less are equal
_ASKED = (Stop.CALLBACK, Stop.INTERRUPTED)  # ends that the user wanted, and knows of


def _check_nu(owner: str, name: str, value: Any) -> None:
    if isinstance(value, str):
        check_choice(owner, name, value, ("auto",), "a number in (0, 1]")
        return
    check_number(owner, name, value, 0.0, above=True, otherwise="'auto'")
    if value > 1:
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be at most 1, since it is a share of the "
            f"rows. Got {value!r} instead."
        )


class LPBoostClassifier(VoteFit):
    """A weighted vote of the largest soft margin: boosting that refits all coefficients.

    AdaBoost never changes the coefficient of a member. Here every round refits the coefficients of
    all members by a linear program. The fit ends if no weak learner would gain more than ``tol``:
    the vote is then optimal, and ``optimality_`` proves it. LPBoost reaches a given soft margin
    with fewer members than AdaBoost. On new rows it is about as good as AdaBoost with equally many
    members, but not as AdaBoost with many more. Each round costs a linear program.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner; None is ``DecisionStump()``. Any classifier whose ``fit`` takes
        ``sample_weight`` works; optimality is proved only for stumps of least weighted error, which
        are searched exactly.
    nu : float or "auto", default="auto"
        In (0, 1]. The fit maximises the mean of the smallest margins, those of a fraction nu of the
        rows. At most this fraction has a margin below ``rho_``. Near 0 only the smallest margin
        counts; larger values tolerate noisy rows and give fewer members. "auto" is twice the error
        of the first member plus 0.01, at least 0.1: some vote then has a positive soft margin. With
        noisy labels, nu must be at least their share. If no vote has a positive soft margin, the
        members vote with AdaBoost's coefficients and a warning is raised.
    n_estimators : int, default=200
        Largest number of rounds. A ``ConvergenceWarning`` is raised if they, or the time, end
        before the vote is proved optimal, but not if the callback ends the fit.
    tol : float, default=1e-6
        Largest distance of the soft margin from its maximum; margins are at most 1.
    random_state : int, RandomState instance or None, default=None
        Seeds the members that have a ``random_state``.
    time_limit : float, default=None
        Seconds after which no new round is started.
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
        Smallest share of the total weight on each side of a stump's split.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of rows for each class; "balanced" gives all classes equal weight.

    Attributes
    ----------
    estimator_ : classifier
        The weak learner.
    estimators_ : sequence of classifiers
        The members with a vote, in the order in which they were found.
    estimator_weights_ : ndarray of shape (members,)
        Their coefficients, which sum to 1.
    nu_ : float
        The share of rows whose margins count.
    rho_ : float
        The margin below which at most ``nu_`` of the rows lie.
    optimality_ : Optimality
        The soft margin, an upper bound for every vote, and their gap.
    weights_ : ndarray of shape (rows,)
        Weights of the rows in the dual program, with sum 1. None is above 1/nu_ times its share,
        and rows with a margin above ``rho_`` have weight 0.
    history_ : History
        The rounds: ``loss`` is the negative soft margin, ``gap`` bounds its distance from the
        optimum.
    stop_ : Stop
        Why the fit ended.
    classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_
        As in scikit-learn.

    Notes
    -----
    For two classes; use ``OneVsRestClassifier(LPBoostClassifier())`` for several. Ties, up to
    rounding, go to the class with more weight among the training rows.

    References
    ----------
    A. Demiriz, K. P. Bennett and J. Shawe-Taylor, Linear programming boosting via column
    generation, Mach. Learn. 46 (2002).

    Examples
    --------
    >>> from maxmargin.boosting import LPBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> X, y = load_ten_points(return_X_y=True)
    >>> model = LPBoostClassifier(nu=0.1).fit(X, y)
    >>> print(model.optimality_)
    soft margin 0.3333333  bound 0.3333333  gap ...: proved
    >>> model.estimator_weights_.round(4)
    array([0.3333, 0.3333, 0.3333])
    """

    _parameters: ClassVar[dict[str, Parameter]] = {
        "nu": Parameter(_check_nu),
        "n_estimators": ROUND_PARAMETERS["n_estimators"],
        "tol": ROUND_PARAMETERS["tol"],
        "min_weight_fraction_leaf": LEAF_SHARE,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        nu: float | str = "auto",
        n_estimators: int = 200,
        tol: float = 1e-6,
        random_state: Any = None,
        time_limit: float | None = None,
        on_interrupt: str = "raise",
        callback: Callback | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        categorical_features: Any = FROM_DTYPE,
        min_weight_fraction_leaf: float = 0.0,
        class_weight: Any = None,
    ) -> None:
        self.estimator = estimator
        self.nu = nu
        self.n_estimators = n_estimators
        self.tol = tol
        self.random_state = random_state
        self.time_limit = time_limit
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        """Return the input tags: those of the weak learner, for two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the ensemble.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            What the weak learner takes; for stumps, NaN is a missing value.
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Weights, at least 0; rows of weight 0 are left out.
        **fit_params : dict
            With metadata routing, the metadata that the weak learner's ``fit`` has requested.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        limits = watch(self.time_limit, self.on_interrupt)
        with naming_strings(X), limits as clock, ExitStack() as stack:
            data = self._reduce(X, y, sample_weight, members_params(self, fit_params))
            self._refuse_several()
            rows = data.rows(2)
            training = data.part(rows)
            booster = self._booster(training, clock, stack)
            history, stop = self._boost(booster, clock)
        cancelling = booster.vote_stagewise()
        self.weights_ = np.zeros(len(data.y))
        self.weights_[rows] = booster.weight
        self._recover(booster, training, history, stop)
        self._caution(cancelling)
        return self

    def _check_parameters(self) -> None:
        check_declared(self)
        if self.estimator is not None:
            check_weak_learner(
                type(self).__name__, self.estimator, False, self.categorical_features
            )

    def _refuse_several(self) -> None:
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass; "
                f"y has {len(self.classes_)} classes, which "
                "OneVsRestClassifier(LPBoostClassifier()) takes."
            )

    def _booster(self, data: TrainingSet, clock: Clock, stack: ExitStack) -> ColumnGeneration:
        self._random_state = check_random_state(self.random_state)
        learner, votes = self._learner(data, clock, stack), RowVotes(data.label, data.weight, 2)
        exact = self._searches_exactly()
        nu = None if isinstance(self.nu, str) else float(self.nu)
        return ColumnGeneration(learner, votes, nu, float(self.tol), exact)

    def _boost(self, booster: ColumnGeneration, clock: Clock) -> tuple[History, Stop]:
        history, report = History(), with_printing(self.callback, int(self.verbose))

        def keep_and_report(made: Round) -> object:
            history(made)
            return None if report is None else report(made)

        return history, boost(booster, RoundLimits(int(self.n_estimators), clock, keep_and_report))

    def _recover(
        self, booster: ColumnGeneration, data: TrainingSet, history: History, stop: Stop
    ) -> None:
        """Set the fitted attributes; members without a vote are left out."""
        voting = np.flatnonzero(booster.coefficients)
        self._keep_members([booster.members[j] for j in voting])
        self.estimator_weights_ = booster.coefficients[voting]
        share = data.weight / data.weight.sum()
        self.nu_ = booster.nu
        self.rho_ = smallest_margin(booster.margins(), share, self.nu_)
        self._tie = _TIE if share[data.label == 1].sum() > 0.5 else -_TIE
        self.optimality_ = Optimality(booster.value, booster.bound, float(self.tol))
        self.history_, self.stop_ = history, stop

    def _caution(self, cancelling: bool) -> None:
        """Warn if the vote is not proved optimal, unless a limit or the user ended the fit."""
        found, name = self.optimality_, type(self).__name__
        if self.stop_ in _ASKED or found.proved or (found.bound == 1.0 and self.stop_.final):
            return
        said = (
            f"found no vote of a positive soft margin for nu={self.nu_:.3g}, so its members vote "
            "as AdaBoost would let them; give a larger nu, such as 'auto', or more rounds and time."
            if cancelling
            else f"ended ({self.stop_.name}) before its vote was proved to be best: the soft margin"
            f" is {found.value:.4g} and none is above {found.bound:.4g}; allow more n_estimators or"
            " time, or a larger tol."
        )
        warn_user(f"{name} {said}", ConvergenceWarning)

    def _values(self, votes: Vector, total: float) -> Vector:
        """Break ties up to rounding in favour of the heavier class."""
        values = super()._values(votes, total)
        return np.where(np.abs(values) <= _TIE, self._tie, values)

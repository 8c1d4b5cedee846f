"""Bagging: members learn from bags of the rows and vote; the rows outside a bag test its member.

L. Breiman, Bagging predictors, Machine Learning 24 (1996), and Out-of-bag estimation, technical
report, University of California, Berkeley (1996).
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_regressor
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.bagging.bag import (
    BaggedSplit,
    BagLearner,
    ClassifierBags,
    StumpBags,
    pack_stumps,
    probabilities,
    unpack_stumps,
)
from maxmargin.bagging.bootstrap import Urn, fill_urn
from maxmargin.bagging.rounds import HIGHEST, Bagging, BaggingState, BagSampler
from maxmargin.ensembles.continuation import fingerprint, refuse_other_data, refuse_other_problem
from maxmargin.ensembles.members import LazyMembers, MemberSequence, by_place, refuse_items
from maxmargin.ensembles.rounds import Round, RoundLimits, boost, with_printing
from maxmargin.inputs.labels import find_classes, refuse_one_class
from maxmargin.inputs.parameters import (
    FLAG,
    Parameter,
    ParameterError,
    all_or_nothing,
    check_declared,
    numeric,
)
from maxmargin.inputs.table import naming_strings, read
from maxmargin.inputs.vectors import refuse_dates
from maxmargin.inputs.warning import warn_user
from maxmargin.inputs.weights import read_weight
from maxmargin.ops.clock import Clock, watch
from maxmargin.ops.threads import side_by_side
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.trees.stump import DecisionStump, StumpMaker
from maxmargin.trees.stump_ensemble import StumpEnsemble

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_BLOCK = 16_384  # rows predicted at a time


class BaggingClassifier(
    MemberSequence, MetaEstimatorMixin, ClassifierMixin, CallbackSupport, BaseEstimator
):
    """Classifiers fitted to bootstrap samples of the rows; their probabilities are averaged.

    Compared with ``sklearn.ensemble.BaggingClassifier``, the columns are sorted once for all
    stumps, and the out-of-bag error is computed after every member, also with ``warm_start``. Use
    scikit-learn's class to draw features (``max_features``, ``bootstrap_features``), and for
    ``decision_function`` and metadata routing.

    Parameters
    ----------
    estimator : classifier, default=None
        None means ``DecisionStump()``; scikit-learn's default is a full tree. A classifier that
        takes sample weights gets the bag as weights, any other one gets its rows.
    n_estimators : int, default=10
        Members.
    max_samples : int or float, default=1.0
        Rows in a bag, or a fraction of the rows; with sample weights, of their sum.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    oob_score : bool, default=False
        Compute the out-of-bag predictions and error.
    warm_start : bool, default=False
        Let ``fit`` add members to those of the previous fit.
    time_limit : float, default=None
        Seconds after which no new member is started.
    on_interrupt : {"raise", "keep"}, default="raise"
        Effect of Ctrl-C: raise KeyboardInterrupt and leave the model as it was before ``fit``, or
        end the fit with a warning and keep the rounds so far. Inside a search, a pipeline or
        another ensemble it always raises.
    callback : callable, default=None
        Called with a ``Round`` for every member; the fit ends if it returns True. With
        ``oob_score`` its ``validation_error`` is the out-of-bag error so far.
    n_jobs : int, default=None
        Number of threads; None uses all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed for the bags and for members with a ``random_state``.
    verbose : int, default=0
        Print a line for every member.

    Attributes
    ----------
    estimator_ : classifier
        The estimator that was copied for each member.
    estimators_ : sequence of classifiers
        The members; their classes are indices into ``classes_``. Stumps are created on access.
    estimators_samples_ : list of ndarray
        The rows in each bag, drawn again on access.
    classes_ : ndarray of shape (classes,)
    n_classes_ : int
    stop_ : Stop
        Why the fit ended. Ctrl-C and ``time_limit`` keep the members so far.
    oob_score_ : float
        The out-of-bag accuracy: each row is predicted by the members that did not train on it. Rows
        that are in all bags are left out. Only with ``oob_score``, as the next two.
    oob_errors_ : ndarray of shape (members,)
        The out-of-bag error after each member; NaN while every row is in all bags.
    oob_decision_function_ : ndarray of shape (rows, classes)
        The out-of-bag probabilities; NaN for rows that are in all bags.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A bag depends on the content of the rows, but not on their order or storage, nor on whether a
    row is repeated or has a larger weight. A bag of a single class is drawn again.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from maxmargin.boosting import BaggingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier()
    >>> model = BaggingClassifier(tree, 50, oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_errors_[[0, 9, 49]].round(3)
    array([0.052, 0.062, 0.047])
    """

    _stored: StumpEnsemble | None
    _parameters: ClassVar[dict[str, Parameter]] = {
        "n_estimators": numeric(1, whole=True),
        "bootstrap": FLAG,
        "oob_score": FLAG,
        "warm_start": FLAG,
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        warm_start: bool = False,
        time_limit: float | None = None,
        on_interrupt: str = "raise",
        callback: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.on_interrupt = on_interrupt
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Return the input tags: those of the members."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self._learner()).input_tags
        for name in ("sparse", "allow_nan", "categorical"):
            setattr(tags.input_tags, name, getattr(inner, name))
        return tags

    def _learner(self) -> Any:
        return DecisionStump(n_jobs=self.n_jobs) if self.estimator is None else self.estimator

    @property
    def categorical_features(self) -> Any:
        """The stump's categorical columns; other classifiers handle columns themselves."""
        return self._learner().categorical_features if self._stumps() else None

    def _stumps(self) -> bool:
        return type(self._learner()) is DecisionStump

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Relative probability of drawing each row.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        with naming_strings(X), watch(self.time_limit, self.on_interrupt) as clock:
            return self._learn(X, y, sample_weight, clock)

    def _learn(self, X: Any, y: Any, sample_weight: Any, clock: Clock) -> Self:
        goes_on = self.warm_start and hasattr(self, "_state")
        knows = hasattr(self, "is_categorical_") or not self._stumps()
        X, y = self._read(X, y, reset=not (goes_on and knows))
        check_classification_targets(y)
        classes, label = find_classes(y)
        refuse_one_class(classes)
        urn, weight = self._fill(X, label, sample_weight)
        data = fingerprint(X, label, weight, classes)
        state = self._earlier(data) if goes_on else None
        self.classes_, self.n_classes_, self._data = classes, len(classes), data
        sampler = BagSampler(label, weight, urn)
        self._state = self._grow(state or self._nothing(X), X, sampler, clock)
        self._recover()
        return self

    # validate

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_declared(self)
        learner = self._learner()
        if not hasattr(learner, "fit") or not hasattr(learner, "predict") or is_regressor(learner):
            raise ParameterError(
                f"The 'estimator' parameter of {owner} must be a classifier. Got {learner!r} "
                "instead."
            )

    def _nothing(self, X: Any) -> BaggingState:
        votes = np.zeros((X.shape[0], len(self.classes_))) if self.oob_score else None
        return BaggingState([], [], [], votes, 0)

    def _earlier(self, data: str) -> BaggingState:
        """Return a copy of the members that this fit continues."""
        state = self._state
        if self.n_estimators < len(self.estimators_):
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least the number of members that "
                f"are there already, {len(self.estimators_)}, when warm_start=True."
            )
        refuse_other_data(self._data, data)
        voted = state.votes is not None
        refuse_other_problem({"oob_score": voted}, {"oob_score": bool(self.oob_score)})
        if self._stored is not None and self._stumps():
            return state.with_members(unpack_stumps(self._stored))
        return state.with_members(self.estimators_)

    def _read(self, X: Any, *y: Any, reset: bool) -> Any:
        given = {"y": y[0]} if y else {}
        if self._stumps():
            return read(self, X, **given, reset=reset)
        refuse_dates(X)
        refuse_items(self, X)
        how: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}
        return validate_data(self, X, **given, reset=reset, accept_sparse=["csr", "csc"], **how)

    def _fill(self, X: Any, label: Index, sample_weight: Any) -> tuple[Urn, Vector | None]:
        weight = None if sample_weight is None else read_weight(sample_weight, X.shape[0])
        if weight is not None and len(np.unique(label[weight > 0])) < 2:
            raise ValueError(
                "The rows with positive sample_weight are of a single class; weigh rows of another."
            )
        owner = type(self).__name__
        urn = fill_urn(X, label, weight, self.max_samples, bool(self.bootstrap), owner)
        if self.oob_score and not urn.replace and urn.size >= len(label):
            raise ValueError(
                "oob_score=True needs rows outside of the bags; set bootstrap=True or max_samples "
                "below the number of rows."
            )
        if weight is not None and urn.size == 1:
            warn_user(
                f"Bags hold a single row, since the weights add up to {weight.sum():g}; give "
                "max_samples as a number of rows, or weights with a mean of 1.",
            )
        return urn, weight

    # learn

    def _grow(self, state: BaggingState, X: Any, sampler: BagSampler, clock: Clock) -> BaggingState:
        """Add members until there are as many as asked for, or a limit is met."""
        more = self.n_estimators - len(state.members)
        if more == 0:
            warn_user("All members asked for are there already; none is added.")
            return state
        random = check_random_state(self.random_state)
        random.randint(HIGHEST, size=state.drawn)  # where the fit before has stopped
        limits = RoundLimits(more, clock, with_printing(self.callback, self.verbose))
        with ExitStack() as stack:
            learner = self._bag_learner(X, sampler.label, clock, stack)
            bagging = Bagging(state, learner, sampler, random, more, self.n_jobs)
            before = [Round(len(state.members))] if state.members else []
            self.stop_ = boost(bagging, limits, before)
        return state

    def _bag_learner(self, X: Any, label: Index, clock: Clock, stack: ExitStack) -> BagLearner:
        learner, n_classes = self._learner(), len(self.classes_)
        if not self._stumps():
            known = by_place(learner, getattr(self, "feature_names_in_", None))
            return ClassifierBags(known, X, label, n_classes)
        learner._check_parameters()
        columns = learner._columns(X, self.is_categorical_, None, self.n_jobs, clock)
        searched = stack.enter_context(columns), X, label, n_classes
        return StumpBags(*searched, learner.criterion)

    # recover

    def _recover(self) -> None:
        """Set the fitted attributes."""
        self.estimator_ = self._learner()
        self._store(self._state.members)
        self._state.members = []  # they are stored
        votes = self._state.votes
        if votes is None:
            for name in ("oob_score_", "oob_errors_", "oob_decision_function_"):
                self.__dict__.pop(name, None)
            return
        total = votes.sum(axis=1, keepdims=True)
        if not total.all():
            warn_user(
                f"{np.count_nonzero(total == 0)} rows are in every bag and have no out-of-bag "
                "vote; more members would leave each out of some.",
            )
        self.oob_errors_ = np.array(self._state.errors)
        self.oob_score_ = 1.0 - float(self.oob_errors_[-1])
        self.oob_decision_function_ = np.divide(
            votes, total, out=np.full_like(votes, np.nan), where=total > 0
        )

    def _store(self, members: list[Any]) -> None:
        """Keep stumps as arrays, unless others have come in by a warm start."""
        bagged = [member for member in members if isinstance(member, BaggedSplit)]
        self._stored, self.estimators_ = None, members
        if not bagged:
            return
        stored, params = pack_stumps(bagged), self.estimator_.get_params(deep=False)
        make = StumpMaker.of(self, stored, np.arange(self.n_classes_), **params)
        stumps = LazyMembers(make, len(stored))
        if len(bagged) == len(members):
            self._stored, self.estimators_ = stored, stumps
        else:
            made = iter(stumps)
            self.estimators_ = [next(made) if isinstance(m, BaggedSplit) else m for m in members]

    @property
    def estimators_samples_(self) -> list[Index]:
        """The rows in each member's bag, some of them several times."""
        check_is_fitted(self)
        return [urn.draw(seed) for urn, seed in self._state.bags]

    # what a fitted model does

    def predict_proba(self, X: Any) -> Vector:
        """Average the members' probabilities; a member without any counts 1 for its prediction.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        if self._stored is not None:
            return self._stored.first(n_jobs=self.n_jobs).shares(X) / len(self._stored)
        X = X.tocsr() if sparse.issparse(X) else X
        starts = range(0, X.shape[0], _BLOCK)
        blocks = side_by_side(lambda i: self._sum(X[i : i + _BLOCK]), starts, self.n_jobs)
        return np.concatenate(blocks) / len(self.estimators_)

    def _sum(self, X: Any) -> Vector:
        total = np.zeros((X.shape[0], self.n_classes_))
        for member in self.estimators_:
            total += probabilities(member, X, self.n_classes_)
        return total

    def predict_log_proba(self, X: Any) -> Vector:
        """Return the logarithms of ``predict_proba``.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        log_p : ndarray of shape (rows, classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class with the largest probability; ties go to the first.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        p = self.predict_proba(X)
        return np.asarray(self.classes_[p.argmax(axis=1)])

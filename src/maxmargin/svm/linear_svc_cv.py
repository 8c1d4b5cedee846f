"""LinearSVC with its C chosen by cross-validation, in one estimator."""

from __future__ import annotations

from typing import Any

from maxmargin.inputs.labels import number_classes
from maxmargin.inputs.vectors import check_vectors
from maxmargin.ops.clock import Clock
from maxmargin.svm.linear_search import LinearSearch
from maxmargin.svm.linear_svc import LinearSVC
from maxmargin.svm.search_cv import SearchCV, all_weights, split_rows


class LinearSVCCV(SearchCV):
    """``LinearSVC`` with C chosen by cross-validation.

    The scores are those that ``GridSearchCV`` would find with our ``LinearSVC``; on each fold every
    fit begins at the solution for the cost before it.

    Parameters
    ----------
    Cs : int or array-like of float, default=6
        Costs to try, or how many, evenly in the logarithm between 0.1 and 1,000.
    cv : int, splitter or iterable, default=None
        As in ``GridSearchCV``: None is five folds, stratified.
    scoring : str or callable, default=None
        As in ``GridSearchCV``; None is the accuracy.
    penalty, loss, dual, tol, multi_class, fit_intercept, intercept_scaling, class_weight, \
random_state, max_iter, intercept, solver, n_jobs
        As in ``LinearSVC``; ``n_jobs`` are threads, over folds.
    time_limit : float, default=None
        Seconds for the search and the last fit, which gets what is left and at least a tenth.
        Points that were not scored in time have NaN as mean scores, and ``stop_`` says so.
    verbose : int, default=0
        Print what is done of what, the best so far, the time and how much of it is left: 1 about
        once a second, 2 after every score. With 0 these lines go to the log "maxmargin" alone.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_, n_splits_, scorer_, refit_time_
        As in ``GridSearchCV``; of several best points the first.
    best_estimator_ : LinearSVC
        Fitted to all rows.
    C_ : float
        The chosen one.
    coef_, intercept_, certificate_
        Of the best estimator.
    stop_ : Status
        TIME_LIMIT where the search was cut short, else how the last fit ended.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import LinearSVCCV
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = LinearSVCCV(Cs=[0.01, 1.0, 100.0]).fit(X, y)
    >>> model.C_, model.certificate_.status.name
    (1.0, 'CERTIFIED')
    """

    def __init__(
        self,
        Cs: Any = 6,
        *,
        cv: Any = None,
        scoring: Any = None,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        dual: bool | str = "auto",
        tol: float = 1e-4,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "regularized",
        solver: str = "auto",
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.solver = solver
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.verbose = verbose

    def _search(self, X: Any, y: Any, sample_weight: Any, groups: Any, clock: Clock) -> Any:
        rows, given = check_vectors(self, X, y=y)
        classes, label, _ = number_classes(given)
        weight = all_weights(sample_weight, label)
        folds = split_rows(self, rows, classes[label], groups)
        scorer, self.n_splits_ = self._own_scorer(), len(folds)
        facts = X, classes[label], weight, folds, scorer, clock
        prices = self._prices()
        counts = dict.fromkeys(range(len(prices)), len(folds))
        tell = self._teller(counts, [{}], prices, by_price=True)
        return [({}, None)], [LinearSearch(self._machine(), *facts).run(prices, tell)]

    def _best(self, kernel: None) -> LinearSVC:
        del kernel  # there is but one
        return self._machine().set_params(C=self.C_)

    def _machine(self) -> LinearSVC:
        """Make a LinearSVC with every parameter but C."""
        return LinearSVC(**self._own_parameters(LinearSVC))

    @property
    def coef_(self) -> Any:
        """Weights of the best model."""
        return self.best_estimator_.coef_

    @property
    def intercept_(self) -> Any:
        """Intercepts of the best model."""
        return self.best_estimator_.intercept_

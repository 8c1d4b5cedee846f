"""SVC with its C and kernel parameters chosen by cross-validation, in one estimator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from maxmargin.certify import Status
from maxmargin.inputs.caution import caution
from maxmargin.inputs.container import count_rows
from maxmargin.inputs.parameters import ParameterError, check_flag, check_number
from maxmargin.inputs.weights import check_sample_weight
from maxmargin.inputs.whole import all_or_nothing
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Takes
from maxmargin.kernels.gamma import HasGamma, resolve
from maxmargin.kernels.points import as_matrix
from maxmargin.ops.clock import watch
from maxmargin.svm.kernel_choice import choose_kernel
from maxmargin.svm.kernel_search import Cell, Search
from maxmargin.svm.svc import SVC
from maxmargin.svm.training import check_rows

Vector = NDArray[np.float64]

_MEGABYTE = 2**20
_SHARE, _LEAST = 0.9, 1e-3  # of the time is for the search; seconds that the last fit gets
_UNFINISHED = "Some fits of the search made max_iter steps and were scored as they stood."
_COSTS = (0.1, 1000.0)  # between which a number of costs is spread
_RATES = (0.01, 10.0)  # of gamma="scale", between which a number of gammas is spread


class SVCCV(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """``SVC`` with C and the kernel's parameters chosen by cross-validation.

    The scores are those that ``GridSearchCV`` would find with our ``SVC``; what it would do again
    for every fit is done once: each kernel's matrix serves all folds and costs, and every fit
    begins at the solution for the cost before it.

    Parameters
    ----------
    Cs : int or array-like of float, default=6
        Costs to try, or how many, evenly in the logarithm between 0.1 and 1,000.
    gammas : int or array-like, default=6
        Of the kernels "rbf", "poly" and "sigmoid", and of a kernel value with a gamma: numbers,
        "scale" or "auto" to try, or how many, between 0.01 and 10 times gamma="scale" of all rows.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or Kernel, default="rbf"
    grid : dict of str to list, default=None
        Of a kernel value: parameters to try by name, such as ``{"left__gamma": [0.1, 1.0]}``. With
        it ``gammas`` is not looked at.
    cv : int, splitter or iterable, default=None
        As in ``GridSearchCV``: None is five folds, stratified.
    scoring : str or callable, default=None
        As in ``GridSearchCV``; None is the accuracy.
    memory : float, default=1000
        MB for the matrix of a kernel. Without room for it fits share no kernel values.
    race : bool, default=False
        Whether to leave points out of later folds once a paired t-test over the folds so far is
        sure (95 %) that they are worse than the best one; their mean scores are NaN.
    degree, coef0, tol, class_weight, max_iter, decision_function_shape, break_ties, multiclass, \
cache_size, n_jobs
        As in ``SVC``; ``n_jobs`` are threads, over folds and kernels.
    time_limit : float, default=None
        Seconds for the search and the last fit, which gets what is left and at least a tenth.
        Points that were not scored in time have NaN as mean scores, and ``stop_`` says so.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_, n_splits_, scorer_, refit_time_
        As in ``GridSearchCV``; of several best points the first.
    best_estimator_ : SVC
        Fitted to all rows.
    C_, gamma_
        The chosen ones; ``gamma_`` where there is one.
    stop_ : Status
        TIME_LIMIT where the search was cut short, else how the last fit ended.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import SVCCV
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = SVCCV(Cs=[0.1, 1.0, 10.0], gammas=[0.1, 1.0]).fit(X, y)
    >>> model.best_params_
    {'C': 1.0, 'gamma': 1.0}
    >>> model.certificate_.status.name
    'CERTIFIED'
    """

    def __init__(
        self,
        Cs: Any = 6,
        gammas: Any = 6,
        *,
        kernel: Any = "rbf",
        grid: Mapping[str, Sequence[Any]] | None = None,
        cv: Any = None,
        scoring: Any = None,
        memory: float = 1000.0,
        race: bool = False,
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        class_weight: Any = None,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        multiclass: str = "ovo",
        cache_size: float = 200,
        n_jobs: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.kernel = kernel
        self.grid = grid
        self.cv = cv
        self.scoring = scoring
        self.memory = memory
        self.race = race
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multiclass = multiclass
        self.cache_size = cache_size
        self.n_jobs = n_jobs
        self.time_limit = time_limit

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags = self._svc().__sklearn_tags__().input_tags
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search, then fit to all rows with what was best.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Factors of C by row, in every fit, and weights of validation rows in the scores.
        groups : array-like of shape (rows,), default=None
            For a splitter that keeps groups together.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        model, begun = self._svc(), perf_counter()
        share = None if self.time_limit is None else _SHARE * self.time_limit
        with watch(share) as clock:
            training = model._prepare(X, y, sample_weight)
            rows = check_rows(self, training.seen.kernel, X)
            labels = training.classes[training.label]
            weight = _all_weights(sample_weight, training.label)
            folds = split_rows(self, rows, labels, groups)
            scorer, self.n_splits_ = self._own_scorer(), len(folds)
            memory = int(self.memory * _MEGABYTE)
            search = Search(model, rows, labels, weight, folds, scorer, memory, clock)
            points, prices = self._points(training.seen.kernel, rows), self._prices()
            cells = search.run([kernel for _, kernel in points], prices, self.race)
            in_time = not clock.expired
        best = self._report([params for params, _ in points], prices, cells)
        self._fit_best(points[best][1], X, y, sample_weight, begun)
        self.stop_ = self.best_estimator_.certificate_.status if in_time else Status.TIME_LIMIT
        return self

    def _fit_best(self, kernel: Kernel, X: Any, y: Any, sample_weight: Any, begun: float) -> None:
        """Fit the best point to all rows, in the time that is left."""
        now = perf_counter()
        limit = self.time_limit
        left = None if limit is None else max(_LEAST, limit - (now - begun))
        model = self._best(kernel).set_params(time_limit=left)
        self.best_estimator_ = model.fit(X, y, sample_weight).set_params(time_limit=limit)
        self.refit_time_ = perf_counter() - now

    def _own_scorer(self) -> Any:
        """Give the scorer; None stands for the accuracy, which needs none."""
        usual = self.scoring is None or (
            isinstance(self.scoring, str) and self.scoring == "accuracy"
        )
        return None if usual else self.scorer_

    @property
    def scorer_(self) -> Any:
        """The scorer that ``scoring`` names."""
        from sklearn.metrics import check_scoring  # noqa: PLC0415  (slow to import)

        return check_scoring(self._svc(), self.scoring)

    # what is tried

    def _check_parameters(self) -> None:
        """Check what is there without data; the rest is what an SVC takes."""
        owner = type(self).__name__
        check_number(owner, "memory", self.memory, 0.0)
        check_flag(owner, "race", self.race)
        if self.grid is not None and not isinstance(self.grid, Mapping):
            raise ParameterError(
                f"The 'grid' parameter of {owner} must be a dict of lists or None, got "
                f"{self.grid!r}."
            )
        self._prices()
        self._svc()._check_parameters()

    def _svc(self) -> SVC:
        """Make an SVC with every parameter but those that are searched."""
        own = {name: value for name, value in vars(self).items() if name in SVC().get_params()}
        return SVC(**own)

    def _prices(self) -> list[float]:
        """List the costs in rising order."""
        if isinstance(self.Cs, Integral):
            check_number(type(self).__name__, "Cs", self.Cs, 1, whole=True)
            return [float(C) for C in np.geomspace(*_COSTS, int(self.Cs))]
        prices = np.unique(_as_numbers(self.Cs))
        if len(prices) == 0 or not (prices > 0).all() or not np.isfinite(prices).all():
            raise ParameterError(
                f"The 'Cs' parameter of {type(self).__name__} must be a number of costs, or costs "
                f"greater than 0, got {self.Cs!r}."
            )
        return [float(C) for C in prices]

    def _points(self, resolved: Kernel, X: Any) -> list[tuple[dict[str, Any], Kernel]]:
        """List the kernels to try, each with what it is called in the results."""
        from sklearn.model_selection import ParameterGrid  # noqa: PLC0415

        if self.grid is not None:
            kernel = choose_kernel(self.kernel, "scale", self.degree, self.coef0)
            points = list(ParameterGrid(dict(self.grid)))
            return [(_prefixed(p), clone(kernel).set_params(**p)) for p in points]
        if not isinstance(resolved, HasGamma):
            return [({}, resolved)]
        return [({"gamma": g}, self._with_gamma(resolved, g)) for g in self._rates(resolved, X)]

    def _rates(self, kernel: HasGamma, X: Any) -> list[Any]:
        """List the gammas to try."""
        if isinstance(self.gammas, Integral):
            check_number(type(self).__name__, "gammas", self.gammas, 1, whole=True)
            unit = resolve("scale", as_matrix(X)) if kernel.takes is Takes.VECTORS else 1.0
            return [float(g) for g in unit * np.geomspace(*_RATES, int(self.gammas))]
        if isinstance(self.gammas, str) or np.ndim(np.asarray(self.gammas, dtype=object)) != 1:
            raise ParameterError(
                f"The 'gammas' parameter of {type(self).__name__} must be how many to try, or a "
                f"list of numbers, 'scale' or 'auto', got {self.gammas!r}."
            )
        return [g if isinstance(g, str) else float(g) for g in self.gammas]

    def _with_gamma(self, kernel: HasGamma, gamma: Any) -> Kernel:
        given = kernel.get_params(deep=False) | {"gamma": gamma}
        return type(kernel)(**given | ({"sigma": None} if "sigma" in given else {}))

    # what came of it

    def _report(
        self,
        kernels: list[dict[str, Any]],
        prices: list[float],
        cells: list[list[list[Cell]]],
    ) -> int:
        """Set the results as GridSearchCV has them; returns which kernel is the best point's."""
        table = np.array(
            [[[_numbers(c) for c in fold] for fold in kernel] for kernel in cells]
        )  # by kernel, fold, cost and number
        names = sorted({"C", *(name for kernel in kernels for name in kernel)})
        points = [
            ({"C": C, **kernel}, table[k, :, c])
            for k, kernel in enumerate(kernels)
            for c, C in enumerate(prices)
        ]
        if names[0] == "C":  # as ParameterGrid orders them: the last name changes fastest
            points = [
                points[k * len(prices) + c] for c in range(len(prices)) for k in range(len(kernels))
            ]
        self.cv_results_ = _results(points, names)
        self.best_index_ = int(self.cv_results_["rank_test_score"].argmin())
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.C_ = self.best_params_["C"]
        rest = {name: value for name, value in self.best_params_.items() if name != "C"}
        self.gamma_ = rest.get("gamma")
        if not all(c.finished for kernel in cells for fold in kernel for c in fold):
            caution(_UNFINISHED, ConvergenceWarning)
        return kernels.index(rest)

    def _best(self, kernel: Kernel) -> SVC:
        """Make the SVC of the best point."""
        model = self._svc().set_params(C=self.C_)
        if self.gamma_ is not None and isinstance(self.kernel, str):
            return model.set_params(gamma=self.gamma_)
        return model.set_params(kernel=kernel if isinstance(self.kernel, Kernel) else self.kernel)

    # what a fitted model does

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in order."""
        check_is_fitted(self, "best_estimator_")
        classes: NDArray[Any] = self.best_estimator_.classes_
        return classes

    @property
    def certificate_(self) -> Any:
        """Of the fit to all rows."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.certificate_

    def __sklearn_is_fitted__(self) -> bool:
        """Whether the last fit has been made."""
        return "best_estimator_" in vars(self)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows; see ``SVC.predict``."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def decision_function(self, X: Any) -> Vector:
        """Evaluate the decision values of rows; see ``SVC.decision_function``."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """Score predictions of rows as the search did."""
        check_is_fitted(self)
        return float(self.scorer_(self.best_estimator_, X, y))


def split_rows(search: Any, X: Any, labels: Any, groups: Any) -> list[Any]:
    """Split rows as the search's ``cv`` says."""
    from sklearn.model_selection import check_cv  # noqa: PLC0415  (slow to import)

    with _naming_cv(search):
        splitter = check_cv(search.cv, labels, classifier=True)
    if not isinstance(search.cv, Iterable):
        return list(splitter.split(np.zeros(count_rows(X)), labels, groups))
    with _naming_cv(search):
        return [(np.asarray(train), np.asarray(others)) for train, others in splitter.split()]


@contextmanager
def _naming_cv(search: Any) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError):
        raise ParameterError(
            f"The 'cv' parameter of {type(search).__name__} must be a number of folds, a splitter, "
            f"pairs of training and validation rows, or None, got {search.cv!r}."
        ) from None


def _numbers(cell: Cell) -> tuple[float, float, float]:
    return cell.score, cell.fit_seconds, cell.score_seconds


def _prefixed(params: dict[str, Any]) -> dict[str, Any]:
    return {f"kernel__{name}": value for name, value in params.items()}


def _as_numbers(values: Any) -> Vector:
    """Read numbers; none where there are others among them."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)


def _all_weights(sample_weight: Any, label: NDArray[np.intp]) -> Vector | None:
    return None if sample_weight is None else check_sample_weight(sample_weight, label)


def _results(points: list[tuple[dict[str, Any], Vector]], names: list[str]) -> dict[str, Any]:
    """Lay out scores and times of points, by fold and in the mean."""
    params, numbers = [p for p, _ in points], np.array([n for _, n in points])
    scores, fits, looks = (numbers[:, :, k] for k in range(3))
    results: dict[str, Any] = {}
    for name, seconds in (("fit", fits), ("score", looks)):
        results |= {
            f"mean_{name}_time": seconds.mean(axis=1),
            f"std_{name}_time": seconds.std(axis=1),
        }
    for name in names:
        values = np.empty(len(params), dtype=object)
        values[:] = [p.get(name) for p in params]
        results[f"param_{name}"] = np.ma.array(values, mask=[name not in p for p in params])
    results["params"] = params
    results |= {f"split{f}_test_score": scores[:, f] for f in range(scores.shape[1])}
    mean = scores.mean(axis=1)
    results |= {"mean_test_score": mean, "std_test_score": scores.std(axis=1)}
    worse = np.where(np.isnan(mean), -np.inf, mean)
    results["rank_test_score"] = rankdata(-worse, method="min").astype(np.int32)
    return results

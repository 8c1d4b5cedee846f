"""What searches share that are estimators: costs to try, splits, results, and the best model.

A search scores points on folds (``kernel_search``, ``linear_search``), lays the scores out as
``GridSearchCV`` does, and fits the best point to all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from inspect import signature
from numbers import Integral
from time import perf_counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from maxmargin.certify import Status
from maxmargin.inputs.container import count_rows
from maxmargin.inputs.parameters import ParameterError, all_or_nothing, check_number, check_shared
from maxmargin.inputs.warning import warn_user
from maxmargin.inputs.weights import check_sample_weight
from maxmargin.ops.clock import Clock, as_one_fit, watch
from maxmargin.progress import part
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.progress.lines import SearchLines

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

SHARE = 0.9  # of the time is for the search
_LEAST = 1e-3  # seconds that the last fit gets in any case
_COSTS = (0.1, 1000.0)  # between which a number of costs is spread
_UNFINISHED = "Some fits of the search made max_iter steps and were scored as they stood."


@dataclass(frozen=True)
class Cell:
    """What is known of one point on one fold."""

    score: float
    fit_seconds: float
    score_seconds: float
    finished: bool = True
    """Whether the fit came to its end within its steps."""


Tell = Callable[[int, int, Cell], None]


def silent(_kernel: int, _price: int, _cell: Cell) -> None:
    """Report to no callback."""


MISSING = Cell(float("nan"), float("nan"), float("nan"))


class SearchCV(MetaEstimatorMixin, ClassifierMixin, CallbackSupport, BaseEstimator):
    """A classifier whose parameters are chosen by cross-validation.

    A subclass makes the machine of all parameters but those (``_machine``), scores every point
    (``_search``) and makes the machine of the best one (``_best``).
    """

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags = self._machine().__sklearn_tags__().input_tags
        return tags

    def _machine(self) -> Any:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Check what is there without data; the rest is what the machine takes."""
        self._prices()
        check_shared(self)
        self._machine()._check_parameters()

    def _own_parameters(self, kind: type[BaseEstimator]) -> dict[str, Any]:
        """List the parameters that a kind of machine has too."""
        shared = kind().get_params(deep=False)
        own = {name: value for name, value in vars(self).items() if name in shared}
        return own | {"verbose": kind().verbose}  # ours tells of the search, not of solvers' steps

    @property
    def _search_seconds(self) -> float | None:
        limit: float | None = self.time_limit
        return None if limit is None else SHARE * limit

    @all_or_nothing
    @as_one_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search, then fit to all rows with what was best.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the machine takes
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
        begun = perf_counter()
        with watch(self._search_seconds) as clock, part(SHARE):
            points, cells = self._search(X, y, sample_weight, groups, clock)
            in_time = not clock.expired
        best = self._report([params for params, _ in points], self._prices(), cells)
        model, now = self._best(points[best][1]), perf_counter()
        limit = self.time_limit
        left = None if limit is None else max(_LEAST, limit - (now - begun))
        with part(1.0 - SHARE):
            model.set_params(time_limit=left).fit(X, y, sample_weight)
        self.best_estimator_ = model.set_params(time_limit=limit)
        self.refit_time_ = perf_counter() - now
        self.stop_ = model.certificate_.status if in_time else Status.TIME_LIMIT
        return self

    def _teller(
        self,
        counts: dict[int, int],
        kernels: list[dict[str, Any]],
        prices: list[float],
        by_price: bool = False,
    ) -> Tell:
        """Return what hears of every score; scores of a kernel, or of a cost, cost alike."""

        def name(point: tuple[int, int]) -> str:
            params = {"C": prices[point[1]], **kernels[point[0]]}
            return ", ".join(f"{name}={_shown(value)}" for name, value in params.items())

        lines = SearchLines(type(self).__name__, counts, "scores", self.verbose, name=name)

        def tell(kernel: int, price: int, cell: Cell) -> None:
            kind, seconds = price if by_price else kernel, cell.fit_seconds + cell.score_seconds
            lines.add(kind, seconds, (kernel, price), cell.score)

        return tell

    def _search(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, clock: Clock
    ) -> tuple[list[tuple[dict[str, Any], Any]], list[list[list[Cell]]]]:
        """Score everything: gives kernels with what they are called, and their cells."""
        raise NotImplementedError

    def _best(self, kernel: Any) -> Any:
        """Make the machine of the best point."""
        raise NotImplementedError

    def _own_scorer(self) -> Any:
        """Return the scorer; None stands for the accuracy, which needs none."""
        usual = self.scoring is None or (
            isinstance(self.scoring, str) and self.scoring == "accuracy"
        )
        return None if usual else self.scorer_

    @property
    def scorer_(self) -> Any:
        """The scorer that ``scoring`` names."""
        from sklearn.metrics import check_scoring  # noqa: PLC0415  (slow to import)

        if self.scoring is not None and not isinstance(self.scoring, str | Callable):
            raise ParameterError(
                f"The 'scoring' parameter of {type(self).__name__} must be a name, a callable or "
                f"None, got {self.scoring!r}."
            )
        return check_scoring(self._machine(), self.scoring)

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

    # what came of it

    def _report(
        self,
        kernels: list[dict[str, Any]],
        prices: list[float],
        cells: list[list[list[Cell]]],
    ) -> int:
        """Set the results as GridSearchCV has them; returns which kernel is the best point's.

        Cells come by kernel, fold and cost.
        """
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
        if not all(c.finished for kernel in cells for fold in kernel for c in fold):
            warn_user(_UNFINISHED, ConvergenceWarning)
        return kernels.index(rest)

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
        """Predict the class of rows by the best model."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def decision_function(self, X: Any) -> Vector:
        """Evaluate the best model's decision values of rows."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """Score predictions of rows as the search did."""
        check_is_fitted(self)
        return float(self.scorer_(self.best_estimator_, X, y))


def split_rows(search: Any, X: Any, labels: Any, groups: Any) -> list[tuple[Index, Index]]:
    """Split rows as the search's ``cv`` says."""
    from sklearn.model_selection import check_cv  # noqa: PLC0415  (slow to import)

    n = count_rows(X)
    with _naming_cv(search):
        splitter = check_cv(search.cv, labels, classifier=True)
    if isinstance(search.cv, Iterable):
        with _naming_cv(search):
            every = np.arange(n)
            folds = [(every[train], every[others]) for train, others in splitter.split()]
    else:
        folds = list(splitter.split(np.zeros(n), labels, groups))
    _check_folds(search, folds, labels)
    return folds


def _check_folds(search: Any, folds: list[Any], labels: NDArray[Any]) -> None:
    if not folds:
        raise ParameterError(
            f"The 'cv' parameter of {type(search).__name__} must be at least one split, got none."
        )
    for number, (train, others) in enumerate(folds):
        if len(others) == 0 or len(np.unique(labels[train])) < 2:
            raise ValueError(
                f"Split {number} of the 'cv' parameter has training rows of one class, or no "
                "validation rows: use a stratified splitter, or fewer folds."
            )


@contextmanager
def _naming_cv(search: Any) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, IndexError):
        raise ParameterError(
            f"The 'cv' parameter of {type(search).__name__} must be a number of folds, a splitter, "
            f"pairs of training and validation rows, or None, got {search.cv!r}."
        ) from None


def _numbers(cell: Cell) -> tuple[float, float, float]:
    return cell.score, cell.fit_seconds, cell.score_seconds


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _as_numbers(values: Any) -> Vector:
    """Read numbers; none where there are others among them."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)


def all_weights(sample_weight: Any, label: NDArray[np.intp]) -> Vector | None:
    """Check weights, if there are any."""
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


def score(scorer: Any, model: Any, X: Any, y: Any, weight: Vector | None) -> float:
    """Score a model on validation rows, weighted if these are; no scorer means the accuracy."""
    if weight is not None:
        weight = np.maximum(weight, 0.0)  # as in fits, where such rows do not count
        if not weight.any():
            return float("nan")
    if scorer is None:
        return float(np.average(model.predict(X) == y, weights=weight))
    given = {} if weight is None or not _takes_weights(scorer) else {"sample_weight": weight}
    return float(scorer(model, X, y, **given))


def _takes_weights(scorer: Callable[..., float]) -> bool:
    with suppress(ValueError, TypeError):
        taken = signature(scorer).parameters
        return "sample_weight" in taken or any(p.kind is p.VAR_KEYWORD for p in taken.values())
    return False

"""The family: models that are tried, each with its own preparation and what is tuned of it.

    classes:   baseline  majority                       lda         shrunken (Ledoit and Wolf)
               logistic  C                              svm-linear  C
               knn       neighbours                     adaboost    rounds of stumps
               boosting  rate of 200 stumps             bagging     100 trees
               svm-rbf   C, gamma                       svm-poly    C, gamma of degree 3
    quantity:  baseline  mean      ridge  alpha      boosting  rate of 200 stumps

They stand in the order in which they are fitted, from cheap to dear. ``cost`` is what share of a
time budget one gets, before those that need less leave their rest to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from maxmargin.bagging import BaggingClassifier
from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier, BoostingRegressor
from maxmargin.job.preparation import as_codes, as_vectors, count_vectors
from maxmargin.job.texts import JoinedSequences, behind_numbers
from maxmargin.job.tuned import Tuned
from maxmargin.kernels import Kernel, Mismatch, Spectrum, WeightedDegree
from maxmargin.svm.linear_classifier import LinearClassifier
from maxmargin.svm.linear_svc_cv import LinearSVCCV
from maxmargin.svm.svc_cv import SVCCV
from maxmargin.svm.svr import SVR
from maxmargin.tables import InputError, Table

INNER_FOLDS = 3
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
POLY_COSTS = (0.1, 1.0, 10.0, 100.0)
LINEAR_COSTS = (0.001, 0.01, 0.1, 1.0, 10.0)
GAMMAS = (0.03, 0.1, 0.3, 1.0, 3.0)  # times 1 / columns
POLY_GAMMAS = (0.1, 1.0)
NEIGHBOURS = (1, 5, 15, 45)
ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
ROUNDS = (50, 500)
BOOSTING_ROUNDS = 200
RATES = (0.1, 1.0)
MORE = 4  # times the rows for tuning the rate of boosting, which few rows would have too small
TREES = 100
SEQUENCE_COSTS = (0.1, 1.0, 10.0, 100.0)
SEQUENCE_ROWS = 20_000  # more than that, and their kernel values do not fit into memory
NEAR_ROWS = 50_000  # more than that, and every row is compared with too many others


@dataclass(frozen=True)
class Wanted:
    """What all models are built with.

    Parameters
    ----------
    metric : str or callable
        What parameters are chosen by.
    class_weight : str or None
    seed : int
    n_jobs : int or None
    tuning_rows : int or None
        Rows that parameters are chosen on; None for all.
    """

    metric: Any = None
    class_weight: str | None = None
    seed: int = 0
    n_jobs: int | None = None
    tuning_rows: int | None = None

    @property
    def ours(self) -> dict[str, Any]:
        """What classifiers of this package are given."""
        return {"class_weight": self.class_weight, "n_jobs": self.n_jobs}

    @property
    def drawn(self) -> dict[str, Any]:
        """The same for those that draw random numbers."""
        return {**self.ours, "random_state": self.seed}

    def search(self, model: Any, factor: int = 1, **grid: Sequence[Any]) -> Tuned:
        """Have parameters of a model chosen among those of a grid, on so many times the rows."""
        folds, wanted = self._folds(model), {name: list(given) for name, given in grid.items()}
        facts = {"cv": folds, "scoring": self.metric, "error_score": "raise"}
        return self.tuned(GridSearchCV(model, wanted, **facts), factor)

    def own_search(self, kind: Any, **options: Any) -> Tuned:
        """Have parameters chosen by an estimator that searches itself."""
        search = kind(scoring=self.metric, **options, **self.ours)
        return self.tuned(search.set_params(cv=self._folds(search)))

    def tuned(self, search: Any, factor: int = 1) -> Tuned:
        """Search on so many times the rows for tuning."""
        rows = None if self.tuning_rows is None else factor * self.tuning_rows
        return Tuned(search, max_rows=rows, random_state=self.seed)

    def _folds(self, model: Any) -> Any:
        kind = StratifiedKFold if is_classifier(model) else KFold
        return kind(INNER_FOLDS, shuffle=True, random_state=self.seed)


@dataclass(frozen=True)
class Candidate:
    """A member of the family.

    Parameters
    ----------
    name : str
        As ``--models`` calls it.
    title : str
        What people call it.
    build : callable
        Makes the pipeline for a table.
    cost : float
        How much time it is given, compared with the others.
    max_rows : int or None
        Beyond that it is not tried.
    reads_texts : bool
        Whether it takes texts; else they become numbers before it.
    compiles : tuple of str
        Estimators whose loops it needs, by their names in ``maxmargin.warmup``.
    growth : float
        Power of the rows by which the time of a fit grows.
    deepens : str
        The candidate that this one searches deeper, where time is left; empty for the others.
    """

    name: str
    title: str
    build: Callable[[Table, Wanted], Pipeline]
    cost: float = 1.0
    max_rows: int | None = None
    reads_texts: bool = False
    compiles: tuple[str, ...] = ()
    growth: float = 1.3
    deepens: str = ""


# the models


def _on_vectors(table: Table, model: Any) -> Pipeline:
    return Pipeline([("prepare", as_vectors(table)), ("model", model)])


def _majority(_table: Table, _wanted: Wanted) -> Pipeline:
    return Pipeline([("model", DummyClassifier(strategy="prior"))])


def _lda(table: Table, _wanted: Wanted) -> Pipeline:
    return _on_vectors(table, LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))


def _logistic(table: Table, wanted: Wanted) -> Pipeline:
    model = LinearClassifier(loss="logistic", **wanted.ours)
    return _on_vectors(table, wanted.search(model, C=LINEAR_COSTS))


def _linear(table: Table, wanted: Wanted) -> Pipeline:
    return _on_vectors(table, wanted.own_search(LinearSVCCV, Cs=LINEAR_COSTS))


def _neighbours(table: Table, wanted: Wanted) -> Pipeline:
    most = max(1, len(table.target) // 4)  # of the smallest training part: two thirds of a half
    grid = [k for k in NEIGHBOURS if k <= most]
    return _on_vectors(
        table, wanted.search(KNeighborsClassifier(algorithm="brute"), n_neighbors=grid)
    )


def _adaboost(table: Table, wanted: Wanted) -> Pipeline:
    model = AdaBoostClassifier(categorical_features=table.categories, **wanted.drawn)
    return Pipeline([("model", wanted.search(model, n_estimators=ROUNDS))])


def _boosting(table: Table, wanted: Wanted) -> Pipeline:
    stumps: Any = {"n_estimators": BOOSTING_ROUNDS, "categorical_features": table.categories}
    model = BoostingClassifier(**stumps, **wanted.drawn)
    return Pipeline([("model", wanted.search(model, MORE, learning_rate=RATES))])


def _bagging(table: Table, wanted: Wanted) -> Pipeline:
    tree = DecisionTreeClassifier(class_weight=wanted.class_weight)
    model = BaggingClassifier(tree, TREES, n_jobs=wanted.n_jobs, random_state=wanted.seed)
    return Pipeline([("prepare", as_codes(table)), ("model", model)])


def _radial(table: Table, wanted: Wanted) -> Pipeline:
    return _kernel(table, wanted, COSTS, GAMMAS, kernel="rbf")


def _polynomial(table: Table, wanted: Wanted) -> Pipeline:
    return _kernel(table, wanted, POLY_COSTS, POLY_GAMMAS, kernel="poly", degree=3, coef0=1.0)


def _kernel(
    table: Table, wanted: Wanted, Cs: Sequence[float], factors: Sequence[float], **kernel: Any
) -> Pipeline:
    """Have C and gamma of a kernel machine chosen."""
    gammas = [factor / count_vectors(table) for factor in factors]
    return _on_vectors(table, wanted.own_search(SVCCV, Cs=Cs, gammas=gammas, **kernel))


def _on_sequences(table: Table, model: Any) -> Pipeline:
    return Pipeline([("prepare", JoinedSequences(table.sequences)), ("model", model)])


def _compare_sequences(kernel: Kernel, **grid: Sequence[Any]) -> Callable[..., Pipeline]:
    """Have C and a kernel's lengths chosen, for classes or for a quantity."""

    def build(table: Table, wanted: Wanted) -> Pipeline:
        if table.schema.task == "regression":
            return _on_sequences(table, wanted.search(SVR(kernel=kernel), C=SEQUENCE_COSTS))
        options = {"Cs": SEQUENCE_COSTS, "kernel": kernel, "grid": grid}
        return _on_sequences(table, wanted.own_search(SVCCV, **options))

    return build


def _mean(_table: Table, _wanted: Wanted) -> Pipeline:
    return Pipeline([("model", DummyRegressor())])


def _ridge(table: Table, wanted: Wanted) -> Pipeline:
    return _on_vectors(table, wanted.search(Ridge(), alpha=ALPHAS))


def _boosted_regression(table: Table, wanted: Wanted) -> Pipeline:
    stumps: Any = {"n_estimators": BOOSTING_ROUNDS, "categorical_features": table.categories}
    model = BoostingRegressor(**stumps, n_jobs=wanted.n_jobs, random_state=wanted.seed)
    return Pipeline([("model", wanted.search(model, MORE, learning_rate=RATES))])


def _of_sequences(
    name: str, title: str, cost: float, kernel: Kernel, **grid: Sequence[Any]
) -> Candidate:
    build = _compare_sequences(kernel.normalized(), **grid)
    return Candidate(name, title, build, cost, SEQUENCE_ROWS, reads_texts=True)


SEQUENCE_MODELS = (
    _of_sequences(
        "svm-places", "SVM, weighted degree kernel", 4.0, WeightedDegree(5), kernel__k=[5, 10]
    ),
    _of_sequences("svm-pieces", "SVM, spectrum kernel", 2.0, Spectrum(3), kernel__k=[3, 5]),
    _of_sequences("svm-mismatch", "SVM, mismatch kernel", 4.0, Mismatch(5, 1)),
)
CLASSIFIERS = (
    Candidate("baseline", "majority class", _majority, 0.1, reads_texts=True),
    Candidate("lda", "linear discriminant analysis", _lda, 0.5),
    Candidate("logistic", "logistic regression", _logistic, reads_texts=True),
    Candidate("svm-linear", "linear SVM", _linear, reads_texts=True),
    Candidate("knn", "nearest neighbours", _neighbours, 2.0, NEAR_ROWS),
    Candidate("adaboost", "AdaBoost of stumps", _adaboost, 3.0),
    Candidate("boosting", "boosted stumps", _boosting, 5.0),
    Candidate("bagging", "bagged trees", _bagging, 4.0),
    Candidate("svm-rbf", "SVM, radial kernel", _radial, 6.0),
    Candidate("svm-poly", "SVM, polynomial kernel", _polynomial, 5.0),
)
REGRESSORS = (
    Candidate("baseline", "mean", _mean, 0.1, reads_texts=True),
    Candidate("ridge", "ridge regression", _ridge, reads_texts=True),
    Candidate("boosting", "boosted stumps", _boosted_regression, 4.0),
)


def family_of(
    task: str, names: Sequence[str] = (), table: Table | None = None
) -> tuple[Candidate, ...]:
    """List the models for a task, from cheap to dear.

    Parameters
    ----------
    task : {"classification", "regression"}
    names : sequence of str
        Which ones; nothing for all. The baseline is always among them.
    table : Table, default=None
        Whose texts and sequences they are to read.

    Returns
    -------
    tuple of Candidate

    Examples
    --------
    >>> [each.name for each in family_of("classification", ["svm-rbf", "lda"])]
    ['baseline', 'lda', 'svm-rbf']
    """
    family: Sequence[Candidate] = CLASSIFIERS if task == "classification" else REGRESSORS
    if table is not None and table.sequences:
        family = (*family, *SEQUENCE_MODELS)
    known = [each.name for each in family]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"choose among {', '.join(known)}."
            raise InputError(f"There is no model {name!r} for {task}: {hint}")
    chosen = tuple(each for each in family if not names or each.name in (*names, "baseline"))
    if table is None or not (table.texts or table.sequences):
        return chosen
    return tuple(
        each if each.reads_texts else replace(each, build=behind_numbers(each.build))
        for each in chosen
    )

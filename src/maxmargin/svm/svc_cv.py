"""SVC with its C and kernel parameters chosen by cross-validation, in one estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from maxmargin.inputs.parameters import ParameterError, check_flag, check_number
from maxmargin.inputs.vectors import warn_of_scales
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Takes
from maxmargin.kernels.choice import choose_kernel
from maxmargin.kernels.gamma import HasGamma, resolve
from maxmargin.kernels.points import as_matrix
from maxmargin.ops.clock import Clock
from maxmargin.svm.kernel_search import Search
from maxmargin.svm.search_cv import SearchCV, all_weights, split_rows
from maxmargin.svm.svc import SVC
from maxmargin.svm.training import check_rows

_MEGABYTE = 2**20
_RATES = (0.01, 10.0)  # of gamma="scale", between which a number of gammas is spread


class SVCCV(SearchCV):
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
    memory : float, default=2000
        MB for the matrices of kernels and what is cut out of them, for all threads. Without room
        for them fits share no kernel values.
    race : bool, default=False
        Whether to leave points out of later folds once a paired t-test over the folds so far is
        sure (95 %) that they are worse than the best one, three folds at least; their mean scores
        are NaN.
    degree, coef0, tol, class_weight, max_iter, decision_function_shape, break_ties, multiclass, \
cache_size, n_jobs
        As in ``SVC``; ``n_jobs`` are threads, over folds and kernels.
    time_limit : float, default=None
        Seconds for the search and the last fit, which gets what is left and at least a tenth.
        Points that were not scored in time have NaN as mean scores, and ``stop_`` says so.
    verbose : int, default=0
        Print what is done of what, the best so far, the time and how much of it is left: 1 about
        once a second, 2 after every score. With 0 these lines go to the log "maxmargin" alone.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        As in ``SVC``; on a card the fits of the search come one after the other.

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
        memory: float = 2000.0,
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
        verbose: int = 0,
        device: str = "cpu",
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
        self.verbose = verbose
        self.device = device

    def _search(self, X: Any, y: Any, sample_weight: Any, groups: Any, clock: Clock) -> Any:
        model = self._machine()
        kernel = model._kernel()
        rows = check_rows(self, kernel, X)
        if kernel.adds_columns and not kernel.takes_items(X):
            warn_of_scales(type(self).__name__, rows, X)
        training = model._prepare(X, y, sample_weight)
        labels = training.classes[training.label]
        weight = all_weights(sample_weight, training.label)
        folds = split_rows(self, rows, labels, groups)
        scorer, self.n_splits_ = self._own_scorer(), len(folds)
        there = model._device(len(labels)) != "cpu"  # each fit is one of its own on a card
        memory = 0 if there else int(self.memory * _MEGABYTE)
        search = Search(model, rows, labels, weight, folds, scorer, memory, clock, X)
        points = self._points(training.seen.kernel, rows)
        prices = self._prices()
        counts = dict.fromkeys(range(len(points)), len(folds) * len(prices))
        tell = self._teller(counts, [params for params, _ in points], prices)
        return points, search.run([kernel for _, kernel in points], prices, tell, self.race)

    # what is tried

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        check_number(owner, "memory", self.memory, 0.0)
        check_flag(owner, "race", self.race)
        if self.grid is not None and not isinstance(self.grid, Mapping):
            raise ParameterError(
                f"The 'grid' parameter of {owner} must be a dict of lists or None, got "
                f"{self.grid!r}."
            )

    def _machine(self) -> SVC:
        """Make an SVC with every parameter but those that are searched."""
        return SVC(**self._own_parameters(SVC))

    def _points(self, resolved: Kernel, X: Any) -> list[tuple[dict[str, Any], Kernel]]:
        """List the kernels to try, each with what it is called in the results."""
        from sklearn.model_selection import ParameterGrid  # noqa: PLC0415

        if self.grid is not None:
            kernel = choose_kernel(self.kernel, "scale", self.degree, self.coef0)
            points = list(ParameterGrid(dict(self.grid)))
            return [(_prefixed(p), clone(kernel).set_params(**p)) for p in points]
        if not isinstance(resolved, HasGamma):  # what rows decide of it is each fold's matter
            return [({}, choose_kernel(self.kernel, "scale", self.degree, self.coef0))]
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
        if len(self.gammas) == 0:
            raise ParameterError(
                f"The 'gammas' parameter of {type(self).__name__} must be at least one, got none."
            )
        return [g if isinstance(g, str) else float(g) for g in self.gammas]

    def _with_gamma(self, kernel: HasGamma, gamma: Any) -> Kernel:
        given = kernel.get_params(deep=False) | {"gamma": gamma}
        return type(kernel)(**given | ({"sigma": None} if "sigma" in given else {}))

    def _best(self, kernel: Kernel) -> SVC:
        self.gamma_ = self.best_params_.get("gamma")
        model = self._machine().set_params(C=self.C_)
        if self.gamma_ is not None and isinstance(self.kernel, str):
            return model.set_params(gamma=self.gamma_)
        own = isinstance(self.kernel, Kernel) or self.grid is not None
        return model.set_params(kernel=kernel) if own else model


def _prefixed(params: dict[str, Any]) -> dict[str, Any]:
    return {f"kernel__{name}": value for name, value in params.items()}

"""C-support vector classification with any kernel: the drop-in for scikit-learn's SVC."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from maxmargin.certify import Status
from maxmargin.kernels.gram import Gram
from maxmargin.solvers import BOX_QP_SOLVERS, Progress, Shrinking, Solution
from maxmargin.svm import reduction
from maxmargin.svm.calibration import fit_temperature
from maxmargin.svm.kernel_fit import KernelFit
from maxmargin.svm.parameters import check_choice, check_flag, check_number


class SVC(KernelFit):
    """C-support vector classification, with a certificate of how close to optimal it is.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.SVC``; what is added is
    keyword-only: ``multiclass``, ``time_limit``, ``n_jobs``, ``callback``, ``solver``, kernel
    values as ``kernel``, and the attributes ``certificate_`` and ``certificates_``. float32 data
    are kept in float32.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a unit of slack; anything above 1e10, infinity included, is taken as 1e10.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number. The
        variance counts a row as often as its sample weight says.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether to set settled variables aside when the cache is too small for all rows in use;
        only solver="working_set" does.
    probability : bool, default="deprecated"
        Whether to calibrate, by five-fold cross-validation, so that ``predict_proba`` works. As in
        scikit-learn 1.9, giving it warns; ``CalibratedClassifierCV(SVC())`` does the same.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM.
    cache_size : float, default=200
        Memory for kernel values, in MB.
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    verbose : bool, default=False
        Print a line for every working set.
    max_iter : int, default=-1
        Limit on the pair steps of each problem; -1 for none.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        One decision value for each class, or for each pair.
    break_ties : bool, default=False
        Whether predict breaks vote ties by the decision values.
    random_state : int, RandomState instance or None, default=None
        Of the calibration's folds, and of the order in which solver="coordinate_ascent" takes the
        rows; None is one fixed order.
    multiclass : {"ovo", "ovr"}, default="ovo"
        A problem for each pair of classes, or for each class against the rest.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` (seconds, iterations, primal, dual, gap, violation) at every
        step; ``maxmargin.solvers.Trace()`` keeps them for ``maxmargin.plots.convergence``.
    solver : str, default="working_set"
        The algorithm; all but the last reach the same model.

        - "working_set": block decomposition, up to 2,048 variables a step.
        - "smo": two variables a step, chosen by second-order information (as LIBSVM).
        - "smo_first_order": two variables a step, always the pair that violates most.
        - "osuna": the support vectors so far and new violators, solved exactly together.
        - "coordinate_ascent": one variable a step, in random order. A variable moves alone only
          without a free bias, so the kernel is k + 1: the intercept is a weight like the others,
          penalised with them, and the model (and its certificate) is that of this problem.

    Attributes
    ----------
    certificate_ : Certificate
        Of the problem with the worst relative gap.
    certificates_ : list of Certificate
        Of all problems, in the order of ``intercept_``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_,
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = SVC(kernel="rbf", gamma=1.0).fit(X, y)
    >>> round(1 - model.score(X, y), 3)
    0.16
    >>> model.certificate_.status.name
    'CERTIFIED'
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multiclass: str = "ovo",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        solver: str = "working_set",
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multiclass = multiclass
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.solver = solver

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
            A square matrix when kernel="precomputed".
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Factors of C by row; rows without a positive weight are left out.

        Returns
        -------
        self : SVC
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:  # a fit that fails leaves the model as it was
            self.__dict__ = before
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        X, label = self._validate(X, y)
        weight = self._validate_weight(sample_weight, label)
        choice = self._choose_kernel(X, weight)
        self._augmented = True not in BOX_QP_SOLVERS[self.solver].biases
        reduced = self._reduce(label, weight)
        solutions = self._solve(self._gram(choice, X, reduced.order), reduced)
        self._recover(choice, X, reduced, solutions)
        self._calibrate(X, y, sample_weight)
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_kernel_parameters()
        check_number(owner, "C", self.C, 0.0, above=True, infinite=True)
        check_flag(owner, "shrinking", self.shrinking)
        check_choice(owner, "solver", self.solver, tuple(BOX_QP_SOLVERS))
        if self.probability != "deprecated":
            check_flag(owner, "probability", self.probability)
            warnings.warn(
                "The `probability` parameter is deprecated as in scikit-learn 1.9: "
                f"use CalibratedClassifierCV({owner}()) instead of {owner}(probability=True).",
                FutureWarning,
                stacklevel=4,
            )

    def _solve(self, gram: Gram, reduced: reduction.Reduction) -> list[Solution]:
        shrinks = self.shrinking and self.solver == "working_set"
        solver = Shrinking if shrinks else BOX_QP_SOLVERS[self.solver]
        return self._run(gram, reduced, solver, self._seed())

    def _seed(self) -> int:
        """Fix the solver's random choices; without a random_state they are the same every time."""
        if self.random_state is None or not self._augmented:
            return 0
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _calibrate(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._temperature = None
        interrupted = any(c.status is Status.INTERRUPTED for c in self.certificates_)
        if self.probability not in ("deprecated", False) and not interrupted:
            plain = clone(self).set_params(probability="deprecated", decision_function_shape="ovr")
            random = check_random_state(self.random_state)
            labels = column_or_1d(y)
            self._temperature = fit_temperature(plain, X, labels, sample_weight, random)

"""C-support vector classification with any kernel: the drop-in for scikit-learn's SVC."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from maxmargin.certify import Certificate
from maxmargin.inputs.parameters import FLAG, ParameterError, numeric, one_of, seed_of
from maxmargin.ops.clock import Clock
from maxmargin.problems import c_svc
from maxmargin.solvers import BOX_QP_SOLVERS, Progress
from maxmargin.svm.approximation import Approximation
from maxmargin.svm.calibration import ProbabilityMixin
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Learned, Recipe, learn
from maxmargin.svm.training import Training

_INTERCEPTS = ("free", "regularized", "none")
LARGEST_C = 1e10  # stands in for an infinite C, with which a problem may have no optimum


class SVC(ProbabilityMixin, KernelClassifier):
    """C-support vector classification, with a certificate of how close to optimal it is.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.SVC``; what is added is
    keyword-only: ``multiclass``, ``time_limit``, ``n_jobs``, ``callback``, ``solver``,
    ``on_interrupt``, ``intercept``, ``sampling``, ``approximate``, kernel values as ``kernel``, and
    the attributes ``certificate_`` and ``certificates_``. float32 data are kept in float32, unless
    that is too coarse for the tolerance.

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
        Threads; None for all cores, and for one in a worker of somebody's pool. The result does
        not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` (seconds, iterations, primal, dual, gap, violation) at every
        step; ``maxmargin.solvers.Trace()`` keeps them for ``maxmargin.plots.convergence``.
    solver : str, default="working_set"
        The algorithm; all but the last reach the same model.

        - "working_set": block decomposition, up to 1,024 variables a step.
        - "smo": two variables a step, chosen by second-order information (as LIBSVM).
        - "smo_first_order": two variables a step, always the pair that violates most.
        - "osuna": the support vectors so far and new violators, solved exactly together.
        - "coordinate_ascent": one variable a step, in random order. A variable moves alone only
          without a free bias, so unless ``intercept="none"`` the kernel is k + 1: the intercept is
          a weight like the others, penalised with them, and the model (and its certificate) is
          that of this problem.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning. Inside a search, a pipeline or an ensemble it
        always raises.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted and predicts: on the CPU, or on an NVIDIA card ("cuda:1" for the
        second one). "auto" takes a card if there is one and enough to do.
    intercept : {"auto", "free", "regularized", "none"}, default="auto"
        What becomes of the bias b.

        - "free": the penalty leaves it out, as in LIBSVM.
        - "regularized": the kernel is k + 1, so that b is a weight like the others and |w|^2 + b^2
          is penalised.
        - "none": f(x) = sum_i beta_i k(x_i, x) on the plain kernel; a linear boundary goes through
          the origin.
        - "auto": "free", but "regularized" with solver="coordinate_ascent".

        Solvers "smo" and "smo_first_order" have pairs to move and need "free"; with
        "coordinate_ascent" it is one of the other two.
    sampling : {"epochs", "uniform"}, default="epochs"
        Of solver="coordinate_ascent": whether rows are taken in a new random order in each pass,
        or every step draws one of all rows, each with the same probability.
    approximate : int, default=None
        Make the machine of so many landmarks, drawn from the rows by ``random_state``, instead of
        support vectors: for more rows than the exact machine is for. Several classes are each
        against the rest, ``tol`` is the largest relative gap, the features of all rows are in
        memory, and the certificate is of the approximated problem and says so.

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

    _parameters: ClassVar = {
        "C": numeric(0.0, above=True, infinite=True),
        "shrinking": FLAG,
        "solver": one_of(*BOX_QP_SOLVERS),
        "sampling": one_of("epochs", "uniform"),
        "intercept": one_of("auto", *_INTERCEPTS),
        "approximate": numeric(1, whole=True, otherwise="or None", none=True),
    }
    _row_by_row = True

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
        on_interrupt: str = "raise",
        device: str = "cpu",
        intercept: str = "auto",
        sampling: str = "epochs",
        approximate: int | None = None,
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
        self.on_interrupt = on_interrupt
        self.device = device
        self.intercept = intercept
        self.sampling = sampling
        self.approximate = approximate

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        if self.intercept != "auto":
            self._check_intercept(owner)
        if self.sampling != "epochs" and self.solver != "coordinate_ascent":
            raise ParameterError(
                f"{owner}(sampling={self.sampling!r}) needs solver='coordinate_ascent': the "
                "others choose which rows to move, and draw none."
            )
        if self.approximate is not None and self.device != "cpu":
            raise ParameterError(
                f"{owner}(approximate={self.approximate!r}) is fitted on the CPU; got "
                f"device={self.device!r}. On a card leave approximate out, or use Nystroem."
            )
        if self.approximate is not None and self.intercept not in ("auto", "free"):
            raise ParameterError(
                f"{owner}(approximate={self.approximate!r}) leaves the bias free, as "
                f"intercept='free' does; got intercept={self.intercept!r}."
            )

    def _check_intercept(self, owner: str) -> None:
        """Raise if the solver cannot leave the bias free, or cannot do without."""
        able = [name for name, kind in BOX_QP_SOLVERS.items()
                if (self.intercept == "free") in kind.biases]  # fmt: skip
        if self.solver not in able:
            raise ParameterError(
                f"{owner}(intercept={self.intercept!r}) is not solved by solver={self.solver!r}; "
                f"these do: {', '.join(map(repr, able))}."
            )

    @property
    def _intercept(self) -> str:
        """Leave the bias free where nobody says otherwise and the solver can."""
        if self.intercept != "auto":
            return self.intercept
        free = self.approximate is not None or True in BOX_QP_SOLVERS[self.solver].biases
        return "free" if free else "regularized"

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:
        drawn = self.approximate is not None or intercept != "free"  # landmarks, or the rows' order
        options: dict[str, dict[str, Any]] = {
            "working_set": {"shrinking": self.shrinking},
            "coordinate_ascent": {"sampling": self.sampling},
        }
        return Recipe(
            price=min(float(self.C), LARGEST_C),
            **self._resources(clock),
            by_pairs=self.multiclass == "ovo",
            state=partial(c_svc, bias=intercept == "free"),
            solver=BOX_QP_SOLVERS[self.solver],
            options=options.get(self.solver, {}),
            seed=seed_of(self.random_state) if drawn else 0,
        )

    def _fit_machine(self, training: Training, recipe: Recipe) -> Learned:
        if self.approximate is None:
            return learn(training, recipe)
        return Approximation.by(training, recipe, int(self.approximate)).learn()

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Judge the model again, in float64 and from the training data alone.

        Parameters
        ----------
        X, y, sample_weight
            The training data.

        Returns
        -------
        certificate : Certificate
            Of the problem with the worst relative gap; ``certificate_`` is left as it is. The duals
            of an approximate machine are not kept and found anew.
        """
        check_is_fitted(self)
        fitted = self._as_fitted()
        if fitted.approximate is None:
            return super().certify(X, y, sample_weight)
        training, places = (
            self._rebuild_training(X, y, sample_weight),
            self.support_.astype(np.intp),
        )
        known = Approximation.on(training, fitted._recipe(Clock()), places)
        return known.in_double().certify(self._machine)

    @property
    def _by_recipe(self) -> bool:
        return self.approximate is None

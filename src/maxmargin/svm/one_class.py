"""The support of a distribution: scikit-learn's OneClassSVM."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import _num_samples

from maxmargin.certify import Certificate
from maxmargin.inputs.parameters import SHARE
from maxmargin.ops.clock import Clock
from maxmargin.problems import BoxQP
from maxmargin.problems.nu import one_class
from maxmargin.solvers import Progress
from maxmargin.svm.kernel_fit import Recipe
from maxmargin.svm.kernel_regressor import OneValue, Together
from maxmargin.svm.training import Labels

Vector = NDArray[np.float64]


def _of_rows(_target: Vector, weight: Vector, nu: float) -> BoxQP:
    return one_class(weight, nu)


class OneClassSVM(OutlierMixin, OneValue):
    """Where most rows of a distribution lie, with a certificate of how close to optimal it is.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.OneClassSVM``; what is
    added is keyword-only: ``time_limit``, ``n_jobs``, ``callback``, ``on_interrupt``, kernel values
    as ``kernel``, and the attribute ``certificate_``.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM.
    nu : float, default=0.5
        At most this share of the rows lies outside, and at least this share are support vectors;
        above 0 and at most 1.
    shrinking : bool, default=True
        Whether to set settled variables aside when the cache is too small for all rows in use.
    cache_size : float, default=200
        Memory for kernel values, in MB.
    verbose : bool, default=False
        Print a line for every working set.
    max_iter : int, default=-1
        Limit on the pair steps; -1 for none.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of somebody's pool. The result does
        not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` (seconds, iterations, primal, dual, gap, violation) at every
        step.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted and predicts: on the CPU, or on an NVIDIA card ("cuda:1" for the
        second one). "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    offset_ : float
        decision_function is score_samples less this.
    certificate_ : Certificate
        How close to optimal the model is, by its duality gap.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_,
    shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import OneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassSVM(nu=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [9.0, 9.0]]).tolist()
    [1, -1]
    """

    _parameters: ClassVar = {"nu": SHARE}
    _balanced = False  # its one bias is that of w alone

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
            A square matrix when kernel="precomputed".
        y : ignored
        sample_weight : array-like of shape (rows,), default=None
            How much each row counts; rows without a positive weight are left out.

        Returns
        -------
        self : OneClassSVM
        """
        del y
        super().fit(X, np.zeros(_num_samples(X)), sample_weight)
        self.offset_ = -self.intercept_
        return self

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Judge the model again, in float64 and from the training data alone.

        Parameters
        ----------
        X, sample_weight
            The training data.
        y : ignored

        Returns
        -------
        certificate : Certificate
            ``certificate_`` is left as it is.
        """
        del y
        return super().certify(X, None, sample_weight)

    def _check_labels(self, y: Any, sample_weight: Any) -> Labels:
        return Labels.of_one(np.zeros(len(y)), sample_weight)

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:  # noqa: ARG002
        return Together(
            price=1.0,
            **self._resources(clock),
            state=partial(_of_rows, nu=float(self.nu)),
            options={"shrinking": self.shrinking},
        )

    def decision_function(self, X: Any) -> Vector:
        """Evaluate on which side rows lie, and how far: positive inside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return self._values(X)

    def score_samples(self, X: Any) -> Vector:
        """Evaluate the sum of kernel values, without the offset.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return self._values(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return which rows lie inside (1) and which do not (-1).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        sides : ndarray of shape (rows,)
        """
        return np.where(self._values(X) >= 0, 1, -1)

r"""Discriminant analysis in the feature space of a kernel.

With phi(x) of rows with weights w_i, class means m_c, the mean m, and

    S_b = sum_c N_c (m_c - m)(m_c - m)',     S_w = sum_i w_i (phi_i - m_c(i))(phi_i - m_c(i))',

the discriminant axes v are the stationary points of v'S_b v / v'(S_w + lambda I) v (Fisher 1936;
Mika, Raetsch, Weston, Schoelkopf and Mueller, "Fisher discriminant analysis with kernels", 1999;
Baudat and Anouar, "Generalized discriminant analysis using a kernel approach", 2000, for several
classes). Features are infinitely many, so lambda > 0: the norm of v in the kernel's space is
penalised.

All is a matter of the n x n matrix K. With Q = W^1/2 (I - E), E the weighted mean within a class,
S_w = Phi'Q'Q Phi, and by the identity of Woodbury

    (S_w + lambda I)^-1 Phi'e = Phi'(e - Q'(Q K Q' + lambda I)^-1 Q K e) / lambda,

which takes one Cholesky factorisation for all classes. S_b has the rank of the classes less one, so
the axes are the eigenvectors of a matrix as small as that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.parameters import ParameterError, all_or_nothing, numeric
from maxmargin.kernels.base import Takes
from maxmargin.ops.clock import watch
from maxmargin.ops.threads import Workers
from maxmargin.solvers.cholesky import Cholesky, IndefiniteError
from maxmargin.solvers.kernel_values.memory import evaluate
from maxmargin.svm.kernel_estimator import KernelUser
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.training import Labels, Training, prepare, take

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Index = NDArray[np.intp]

_MATRICES = 4  # as large as the kernel's, in memory at once
_NOTHING = 1e-12  # of the largest quotient, or of 1, is that of an axis where classes are alike
_ROUNDING = 1e-14  # of the trace of the kernel matrix is no spread within classes


@dataclass(frozen=True)
class Groups:
    """Rows in classes, and what each of them weighs."""

    label: Index
    weight: Vector
    count: int

    @property
    def sizes(self) -> Vector:
        """Weight of each class."""
        sums: Vector = np.bincount(self.label, self.weight, self.count).astype(np.float64)
        return sums

    @property
    def means(self) -> Matrix:
        """A column of coefficients for each class, of its mean less the mean of all rows."""
        shares = self.weight / self.sizes[self.label]
        of_class = np.where(self.label[:, None] == np.arange(self.count), shares[:, None], 0.0)
        return of_class - (self.weight / self.weight.sum())[:, None]

    def within(self, values: Matrix) -> Matrix:
        """Q times values: each row less the mean of its class, times the root of its weight."""
        sums = np.zeros((self.count, values.shape[1]))
        np.add.at(sums, self.label, self.weight[:, None] * values)
        means = sums / self.sizes[:, None]
        return np.sqrt(self.weight)[:, None] * (values - means[self.label])

    def back(self, values: Matrix) -> Matrix:
        """Q' times values."""
        rooted, sums = (
            np.sqrt(self.weight)[:, None] * values,
            np.zeros((self.count, values.shape[1])),
        )
        np.add.at(sums, self.label, rooted)
        return rooted - (self.weight / self.sizes[self.label])[:, None] * sums[self.label]


@dataclass(frozen=True)
class Axes:
    """Discriminant axes: coefficients on the rows, and the quotient of each, largest first."""

    coefficients: Matrix
    quotients: Vector

    @classmethod
    def of(cls, K: Matrix, groups: Groups, share: float, workers: Workers) -> Axes:
        """Find the axes of a Gram matrix; lambda is this share of the scatter within classes."""
        scatter = groups.within(groups.within(K).T)
        spread, size = float(scatter.trace()), max(float(K.trace()), 1e-300)
        ridge = share * (spread if spread > _ROUNDING * size else size)
        scatter[np.diag_indices_from(scatter)] += ridge
        means = groups.means
        bent = groups.back(Cholesky.of(scatter, workers).solve(groups.within(K @ means)))
        duals = np.sqrt(groups.sizes) * (means - bent) / ridge
        quotients, turned = np.linalg.eigh((np.sqrt(groups.sizes) * means).T @ K @ duals)
        kept = np.arange(groups.count)[::-1][: groups.count - 1]
        kept = kept[quotients[kept] > _NOTHING * max(quotients[-1], 1.0)]
        return cls(duals @ turned[:, kept] / np.sqrt(quotients[kept]), quotients[kept])


class KernelDiscriminant(
    ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, KernelUser
):
    """Linear discriminant analysis in the feature space of a kernel.

    ``transform`` gives the coordinates in which class means lie farthest apart for the spread
    within classes, and ``predict`` the class whose mean is nearest there, its prior counted.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix; positive semidefinite on the rows.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    regularization : float, default=1e-3
        Added to the spread within classes in every direction, as a share of all of it: lambda is
        this times the trace of S_w, the sum of the variances of all features. Less tells the
        training rows apart more sharply. Of the linear kernel the trace is that of the columns, so
        that one of large numbers drowns the others: scale columns first.
    n_components : int, default=None
        Axes that ``transform`` gives; None for all, one less than classes.
    priors : array-like of shape (classes,), default=None
        Of the classes, for predictions; None for their share of the rows. Axes are those of the
        rows as they are.
    cache_size : float, default=2000
        Memory for the kernel matrix and what is made of it, in MB: 32 bytes a pair of rows. More
        rows are refused before anything is evaluated.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.

    Attributes
    ----------
    classes_, priors_ : ndarray of shape (classes,)
    means_ : ndarray of shape (classes, axes)
        Of the classes, in the coordinates of ``transform``.
    quotients_ : ndarray of shape (axes,)
        Spread between classes by spread within, along every axis.
    explained_variance_ratio_ : ndarray of shape (axes,)
        Of the sum of all quotients, what each is.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    All axes are found at once by one factorisation of an n x n matrix, so there is no certificate:
    nothing is iterated, and half of a factorisation is no model, so there is no limit on time. With
    the linear kernel, a vanishing regularization and without ``priors`` this is
    ``sklearn.discriminant_analysis.LinearDiscriminantAnalysis``, whose priors also weigh the spread
    within and between classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import KernelDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelDiscriminant().fit(X, y)
    >>> model.transform(X).shape, round(model.score(X, y), 3)
    ((150, 2), 0.993)
    """

    _parameters: ClassVar = {
        "regularization": numeric(0.0, above=True),
        "n_components": numeric(1, whole=True, none=True),
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        regularization: float = 1e-3,
        n_components: int | None = None,
        priors: Any = None,
        cache_size: float = 2000,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.regularization = regularization
        self.n_components = n_components
        self.priors = priors
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
            A square matrix when kernel="precomputed".
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            How often each row counts; rows without a positive weight are left out.

        Returns
        -------
        self : KernelDiscriminant
        """
        self._check_parameters()
        with watch(), Workers(self.n_jobs) as workers:
            training = prepare(self, self._kernel(), X, y, sample_weight, "free").in_double()
            try:
                self._recover(training, workers)
            except IndefiniteError:
                raise ValueError(
                    f"{self.kernel!r} is not positive semidefinite on these rows; discriminant "
                    "axes need a kernel that is, or a larger regularization."
                ) from None
        return self

    def _check_labels(self, y: Any, sample_weight: Any) -> Labels:
        return Labels.of(None, y, sample_weight)

    def _recover(self, training: Training, workers: Workers) -> None:
        """Set the fitted attributes."""
        weight = np.ones(len(training)) if training.weight is None else training.weight
        rows = np.flatnonzero(weight > 0)
        self._refuse_too_many(len(rows))
        gram = training.gram.reordered(rows)
        groups = Groups(training.label[rows], weight[rows], len(training.classes))
        K = np.asarray(evaluate(gram, workers), dtype=np.float64)
        if not np.isfinite(K).all():
            raise ValueError("The kernel matrix is not finite; scale the data.")
        axes = Axes.of(K, groups, float(self.regularization), workers)
        self._show(training, rows, groups, axes, K)

    def _refuse_too_many(self, n: int) -> None:
        need = _MATRICES * 8 * n**2 / 2**20
        if need > self.cache_size:
            raise ValueError(
                f"{type(self).__name__} needs {need:,.0f} MB for the kernel matrix of {n} rows and "
                f"what is made of it, and cache_size is {self.cache_size:g}: give more, or the "
                "features of Nystroem to LinearDiscriminantAnalysis."
            )

    def _show(self, training: Training, rows: Index, groups: Groups, axes: Axes, K: Matrix) -> None:
        self.classes_, total = training.classes, float(groups.weight.sum())
        self.priors_ = self._read_priors(groups.sizes / total)
        values = K @ axes.coefficients
        middle = groups.weight @ values / total
        self.means_ = groups.means.T @ values
        self.quotients_, self._total = axes.quotients, total
        self.explained_variance_ratio_ = axes.quotients / max(axes.quotients.sum(), 1e-300)
        matrix = training.seen.kernel.takes is Takes.MATRIX
        self._sparse = sparse.issparse(training.X)
        self._machine = KernelMachine(
            seen=training.seen,
            rows=rows.astype(np.int32),
            support=np.empty((0, 0)) if matrix else take(training.X, rows),
            counts=np.array([len(rows)], dtype=np.int32),
            coefficients=np.ascontiguousarray(axes.coefficients.T),
            intercepts=-middle,
            by_pairs=False,
            n_rows=len(training),
        )

    def _read_priors(self, shares: Vector) -> Vector:
        if self.priors is None:
            return shares
        try:
            priors = np.asarray(self.priors, dtype=np.float64)
        except (TypeError, ValueError):
            priors = np.empty(0)
        fitting = priors.shape == shares.shape and bool((priors >= 0).all())
        if not fitting or not 0.0 < priors.sum() < np.inf:
            raise ParameterError(
                f"The 'priors' parameter of {type(self).__name__} must be {len(shares)} numbers of "
                f"at least 0, one a class. Got {self.priors!r} instead."
            )
        return priors / priors.sum()

    @property
    def _n_features_out(self) -> int:
        most = len(self.quotients_)
        return most if self.n_components is None else min(most, self.n_components)

    def transform(self, X: Any) -> Matrix:
        """Return coordinates along the discriminant axes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        Z : ndarray of shape (rows, axes)
            With unit spread within classes, the regularization counted, of all rows together.
        """
        return self._decide(X, np.asarray)[:, : self._n_features_out]

    def decision_function(self, X: Any) -> Matrix:
        """Evaluate how likely each class is: log probabilities up to a constant of the row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray
            (rows,) for two classes, positive for ``classes_[1]``; otherwise (rows, classes).
        """
        values = self._decide(X, self._likelihoods)
        return values[:, 1] - values[:, 0] if len(self.classes_) == 2 else values

    def _likelihoods(self, Z: Matrix) -> Matrix:
        """N (z - z_c / 2)'z_c + log prior, up to a constant: of Gaussians with S_w / N."""
        inner = Z @ self.means_.T - 0.5 * np.square(self.means_).sum(axis=1)
        with np.errstate(divide="ignore"):
            return self._total * inner + np.log(self.priors_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[self._decide(X, self._likelihoods).argmax(axis=1)]
        return labels

    def predict_proba(self, X: Any) -> Matrix:
        """Estimate class probabilities, as if classes were Gaussian along the axes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Matrix:
        """Take the logarithm of predict_proba."""
        p: Matrix = log_softmax(self._decide(X, self._likelihoods), axis=1)
        return p

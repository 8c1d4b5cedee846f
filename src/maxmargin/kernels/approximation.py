r"""Features whose dot products approximate a kernel, so that linear models carry many rows.

Nystroem's (Williams and Seeger, "Using the Nystroem method to speed up kernel machines", 2001):
with landmarks z_1, ..., z_m among the rows and K_mm their matrix,

    phi(x) = K_mm^-1/2 (k(z_1, x), ..., k(z_m, x)),

so that <phi(x), phi(y)> is k(x, y) exactly where x or y is a landmark, and the projection onto
their span elsewhere. Landmarks are drawn uniformly; by k-means++ in the kernel's own distance
(Arthur and Vassilvitskii 2007; Oglic and Gaertner 2017); or by ridge leverage scores (Alaoui and
Mahoney 2015), estimated by a first half that is drawn uniformly (Musco and Musco, "Recursive
sampling for the Nystroem method", 2017).

Random Fourier features (Rahimi and Recht, "Random features for large-scale kernel machines", 2007):
a kernel k(x - y) is the Fourier transform of a distribution of frequencies (Bochner's theorem), and

    phi_j(x) = (2 / m)^1/2 cos(w_j'x + b_j),    b_j uniform over [0, 2 pi],

has <phi(x), phi(y)> equal to k(x - y) on average: w is Gaussian for the RBF kernel and Cauchy for
the Laplacian one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.container import column_names, count_rows
from maxmargin.inputs.items import check_items
from maxmargin.inputs.parameters import (
    ParameterError,
    all_or_nothing,
    check_choice,
    check_number,
    check_shared,
)
from maxmargin.inputs.vectors import check_vectors, far_mean, warn_of_scales
from maxmargin.inputs.warning import warn_user
from maxmargin.kernels.base import Kernel, Shift, Takes
from maxmargin.kernels.choice import NAMED, named_kernel
from maxmargin.kernels.dot import Linear
from maxmargin.kernels.function import FromFunction
from maxmargin.kernels.on_device import DEVICE, chosen_device, rows_times
from maxmargin.kernels.stationary import RBF, Laplacian
from maxmargin.ops.aside import aside
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.threads import Workers
from maxmargin.progress.callbacks import CallbackSupport

Floats = NDArray[Any]
Index = NDArray[np.intp]

_ROWS = 1024  # of which a thread makes features at a time
_POOL = 20  # times as many rows as landmarks are looked at to choose those
_EPS, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)
_SMALLEST = 1e-12  # eigenvalue of the landmarks' matrix that is not taken for rounding
_ROUNDING = 1e-8  # of the largest eigenvalue, below which scores are rounding
_NAMES = (*(name for name in NAMED if name != "precomputed"), "polynomial", "cosine")


class _Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CallbackSupport, BaseEstimator):
    """Makes features of rows, a few rows at a time on all threads."""

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: what input is taken; single precision is kept."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _in_blocks(self, make: Callable[[Any], Floats], X: Any, width: int, dtype: Any) -> Floats:
        out = np.empty((count_rows(X), width), dtype)

        def work(first: int) -> None:
            stop_if_over()
            rows = slice(first, first + _ROWS)
            out[rows] = make(X[rows])

        with Workers(self.n_jobs) as workers:
            workers.each(work, range(0, len(out), _ROWS))
        return out


class Nystroem(_Features):
    """Features of any kernel, from its values at a few of the rows.

    As ``sklearn.kernel_approximation.Nystroem``, for the names of kernels below: the same landmarks
    for the same ``random_state`` and the same features, made a few rows at a time on all threads,
    so that beside the features only blocks are in memory; float32 stays float32. Added: kernel
    values of ``maxmargin.kernels``, those on items too, and ``landmarks``. Not taken: kernels by
    other names of scikit-learn, and matrices in place of rows.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly" or "polynomial", "rbf", "sigmoid", "laplacian" or "cosine"; a value from
        ``maxmargin.kernels``; or a function of two rows.
    gamma : float, default=None
        Of the kernels with a name; None is 1 / columns, as in scikit-learn.
    coef0 : float, default=None
        Of "poly" and "sigmoid"; None is 1.
    degree : int, default=None
        Of "poly"; None is 3.
    kernel_params : dict, default=None
        What else a function is called with.
    n_components : int, default=100
        Landmarks, and features.
    random_state : int, RandomState instance or None, default=None
        Of the draw.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    landmarks : {"uniform", "kmeans++", "leverage"}, default="uniform"
        How they are drawn: all rows alike; far from those drawn before; or one half alike and the
        other by how much a row is needed beside those to tell the others (ridge leverage scores).
        The latter two look at 20 rows for each.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where features are made: on the CPU, or on an NVIDIA card ("cuda:1" for the second one).
        "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    components_ : the landmarks themselves
    component_indices_ : ndarray of shape (n_components,)
        Their places among the rows.
    normalization_ : ndarray of shape (n_components, n_components)
        K_mm^-1/2.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.kernels import RBF, Nystroem
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = make_pipeline(Nystroem(RBF(1.0), n_components=50, random_state=0), LinearSVC())
    >>> round(1 - model.fit(X, y).score(X, y), 3)
    0.155
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: int | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        landmarks: str = "uniform",
        device: str = "cpu",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.landmarks = landmarks
        self.device = device

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Choose the landmarks.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
        y : ignored

        Returns
        -------
        self : Nystroem
        """
        self._check_parameters()
        kernel, given = self._chosen(), X
        X = self._checked(kernel, X, reset=True)
        if kernel.adds_columns and not kernel.takes_items(given):
            warn_of_scales(type(self).__name__, X, given)
        self._kernel = kernel.resolved(X if column_names(given) is None else given)
        self._shift = _shift(self._kernel, X)
        places = self._draw(X, check_random_state(self.random_state))
        self.component_indices_, self.components_ = places, _take(X, places)
        self._basis = self._kernel.prepare(self._moved(self.components_))
        self.normalization_ = self._root().astype(self._basis.dtype, copy=False)
        return self

    def __restored__(self) -> None:
        """Prepare the landmarks again: compiled loops trust it, and a file may say anything."""
        if not hasattr(self, "components_"):
            return
        self._basis = self._kernel.prepare(self._moved(self.components_))
        if np.shape(self.normalization_)[1:] != (len(self._basis),):
            raise ValueError("The landmarks of a stored Nystroem do not fit together.")

    def _root(self) -> Floats:
        """K_mm^-1/2 of kernel values in double precision, whatever that of the rows."""
        basis, landmarks = self._basis, self._moved(self.components_)
        precision = basis.dtype
        if getattr(landmarks, "dtype", None) == np.float32:
            basis = self._kernel.prepare(landmarks.astype(np.float64))
        return inverse_root(self._kernel.block(basis, basis), precision).matrix

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if isinstance(self.kernel, type) or not callable(self.kernel):
            check_choice(owner, "kernel", self.kernel, _NAMES, "a Kernel or a function of two rows")
        for name in ("gamma", "coef0", "degree"):
            if getattr(self, name) is not None:
                check_number(owner, name, getattr(self, name), 0.0, otherwise="or None")
        check_number(owner, "n_components", self.n_components, 1, whole=True)
        check_choice(owner, "landmarks", self.landmarks, ("uniform", "kmeans++", "leverage"))
        DEVICE.check(owner, "device", self.device)
        if not isinstance(self.kernel_params, dict | None):
            raise ParameterError(
                f"The 'kernel_params' parameter of {owner} must be a dict or None. Got "
                f"{self.kernel_params!r} instead."
            )
        check_shared(self)

    def _chosen(self) -> Kernel:
        """Make a kernel of the parameters, by scikit-learn's defaults for this class."""
        if isinstance(self.kernel, Kernel):
            if self.kernel.takes is Takes.MATRIX:
                raise ParameterError("Nystroem needs the rows, not their matrix: give a kernel.")
            return self.kernel
        if callable(self.kernel):
            return FromFunction(partial(self.kernel, **(self.kernel_params or {})))
        if self.kernel == "cosine":
            return Linear().normalized()
        name = "poly" if self.kernel == "polynomial" else self.kernel
        gamma = "auto" if self.gamma is None else self.gamma
        coef0 = 1.0 if self.coef0 is None else self.coef0
        return named_kernel(name, gamma, 3 if self.degree is None else self.degree, coef0)

    def _checked(self, kernel: Kernel, X: Any, reset: bool) -> Any:
        if kernel.takes_items(X):
            return check_items(self, X, reset)
        return check_vectors(self, X, reset=reset)

    def _moved(self, X: Any) -> Any:
        return X if self._shift is None else X - self._shift

    def _draw(self, X: Any, random: np.random.RandomState) -> Index:
        """Choose the places of the landmarks."""
        n, m = count_rows(X), self.n_components
        if m > n:
            warn_user(
                f"n_components > n_samples. This is not possible: n_components was set to {n}, and "
                "the features are exact."
            )
        order: Index = random.permutation(n)
        if self.landmarks == "uniform" or m >= n:
            return order[:m]
        pool = order[: _POOL * m]
        rows = self._kernel.prepare(self._moved(_take(X, pool)))
        draw = _far_apart if self.landmarks == "kmeans++" else draw_by_leverage
        return pool[draw(self._kernel, rows, m, random)]

    def transform(self, X: Any) -> Floats:
        """Make the features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes

        Returns
        -------
        features : ndarray of shape (rows, n_components)
        """
        check_is_fitted(self)
        X = self._checked(self._kernel, X, reset=False)
        single = getattr(X, "dtype", None) == np.float32
        dtype = np.dtype(np.float32 if single else np.float64)
        turn = self.normalization_.T.astype(dtype)

        device = chosen_device(self.device, count_rows(X), self._kernel)
        there = None if device == "cpu" else rows_times(self._kernel, self._basis, turn, device)

        def make(rows: Any) -> Floats:
            prepared = self._kernel.prepare_new(self._moved(rows), self._basis)
            if there is not None:
                return there(prepared)
            return self._kernel.block(prepared, self._basis).astype(dtype, copy=False) @ turn

        return self._in_blocks(make, X, len(turn), dtype)

    @property
    def _n_features_out(self) -> int:
        return len(self.normalization_)


class FourierFeatures(_Features):
    """Random features of the RBF or the Laplacian kernel.

    Parameters
    ----------
    kernel : {"rbf", "laplacian"}, RBF or Laplacian, default="rbf"
        exp(-gamma |x - y|^2), or exp(-gamma |x - y|_1).
    gamma : float, "scale" or "auto", default="scale"
        Of a kernel with a name: a number, 1 / (columns * variance) or 1 / columns. A value has its
        own.
    n_components : int, default=100
        How many features; the error of a kernel value is about 1 / n_components ** 0.5.
    random_state : int, RandomState instance or None, default=None
        Of the frequencies.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.

    Attributes
    ----------
    random_weights_ : ndarray of shape (columns, n_components)
        The frequencies w_j.
    random_offset_ : ndarray of shape (n_components,)
        The b_j.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF, FourierFeatures
    >>> X = np.array([[0.0, 0.0], [1.0, 0.5]])
    >>> Z = FourierFeatures(RBF(0.5), n_components=20_000, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - RBF(0.5)(X)).max() < 0.02)
    True
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | str = "scale",
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : ignored

        Returns
        -------
        self : FourierFeatures
        """
        self._check_parameters()
        given, X = X, check_vectors(self, X)
        warn_of_scales(type(self).__name__, X, given)
        named = isinstance(self.kernel, str)
        chosen: Any = named_kernel(self.kernel, self.gamma) if named else self.kernel
        kernel = chosen.resolved(X)
        random = check_random_state(self.random_state)
        shape = X.shape[1], self.n_components
        if isinstance(kernel, RBF):
            self.random_weights_ = np.sqrt(2.0 * kernel.rate) * random.normal(size=shape)
        else:
            self.random_weights_ = kernel.rate * random.standard_cauchy(size=shape)
        self.random_offset_ = random.uniform(0.0, 2.0 * np.pi, size=self.n_components)
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if isinstance(self.gamma, str):
            check_choice(owner, "gamma", self.gamma, ("scale", "auto"), "a number of at least 0")
        else:
            check_number(owner, "gamma", self.gamma, 0.0, otherwise="'scale' or 'auto'")
        check_number(owner, "n_components", self.n_components, 1, whole=True)
        if not isinstance(self.kernel, RBF | Laplacian):
            check_choice(owner, "kernel", self.kernel, ("rbf", "laplacian"), "an RBF or Laplacian")
        check_shared(self)

    def transform(self, X: Any) -> Floats:
        """Make the features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        features : ndarray of shape (rows, n_components)
        """
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        weights = self.random_weights_.astype(X.dtype)
        offset, size = self.random_offset_.astype(X.dtype), X.dtype.type(2.0 / self._n_features_out)

        def make(rows: Any) -> Floats:
            angles = np.asarray(rows @ weights) + offset
            return np.multiply(np.cos(angles, out=angles), np.sqrt(size), out=angles)

        return self._in_blocks(make, X, self._n_features_out, X.dtype)

    @property
    def _n_features_out(self) -> int:
        return len(self.random_offset_)


def _take(X: Any, places: Index) -> Any:
    return X[places] if hasattr(X, "shape") else [X[i] for i in places]


def _shift(kernel: Kernel, X: Any) -> Floats | None:
    """Return what is taken off rows far from the origin, where the kernel does not mind."""
    minds = kernel.shift > Shift.NOTHING or kernel.takes is not Takes.VECTORS
    return None if minds or sparse.issparse(X) or X.dtype.kind != "f" else far_mean(X)


class InverseRoot(NamedTuple):
    """K^-1/2 of a kernel matrix, and whether that has no negative eigenvalue but by rounding."""

    matrix: Floats
    convex: bool
    norm: float = 0.0
    """The largest eigenvalue of K^-1/2."""
    unraised: Floats | None = None
    """K^-1/2 itself, where eigenvalues were raised."""
    stretch: Floats | None = None
    """Makes coefficients of features by ``unraised`` of those by ``matrix``."""


def inverse_root(K: Floats, precision: Any) -> InverseRoot:
    """K^-1/2 in double precision, for features made of kernel values of this precision.

    What rounding does to a kernel value is multiplied by the root, so that eigenvalues below the
    trace in units of that precision are taken as large as those. Directions in which even double
    precision shows nothing but rounding, such as those beyond the rank of a linear kernel, are left
    out: features there would be noise. Eigenvalues of an indefinite matrix count by their size, as
    in scikit-learn.
    """
    if not np.isfinite(K).all():
        raise ValueError("The kernel values of the landmarks are not finite; scale the data.")
    eigenvalues, V = aside(partial(np.linalg.eigh, K.astype(np.float64)))
    size, trace = np.abs(eigenvalues), float(np.abs(K.diagonal()).sum())
    least = max(float(np.finfo(precision).eps) * trace, _TINY)
    known = size > len(K) * _EPS * size.max(initial=0.0)
    sign = np.where(known & (eigenvalues < -least), -1.0, 1.0)
    scale = np.where(known, sign / np.sqrt(np.maximum(size, least)), 0.0)
    root = InverseRoot((V * scale) @ V.T, bool(sign.min() > 0), float(np.abs(scale).max(initial=0)))
    if not (known & (size < least)).any():
        return root
    true = np.divide(sign, np.sqrt(size), out=np.zeros_like(size), where=known)
    part = np.divide(scale, true, out=np.zeros_like(size), where=known)
    return root._replace(unraised=(V * true) @ V.T, stretch=(V * part) @ V.T)


def _far_apart(kernel: Kernel, rows: Any, m: int, random: np.random.RandomState) -> Index:
    """Draw rows one by one, in proportion to their squared distance from those drawn before."""
    square = kernel.diagonal(rows).astype(np.float64)
    chosen = [int(random.randint(len(rows)))]
    far = np.full(len(rows), np.inf)
    for _ in range(m):
        stop_if_over()
        last = chosen[-1]
        between = kernel.block(rows, rows[np.array([last])])[:, 0].astype(np.float64)
        far = np.maximum(np.minimum(far, square + square[last] - 2.0 * between), 0.0)
        far[chosen] = 0.0
        left = np.setdiff1d(np.arange(len(rows)), chosen) if not far.any() else None
        total = far.sum()
        chosen.append(int(left[0] if left is not None else random.choice(len(rows), p=far / total)))
    return np.array(chosen[:m])


def draw_by_leverage(kernel: Kernel, rows: Any, m: int, random: np.random.RandomState) -> Index:
    """Draw half of the rows alike, and the others by their ridge leverage scores beside those."""
    first: Index = random.choice(len(rows), m - m // 2, replace=False)
    score = np.maximum(_leverage(kernel, rows, first), _SMALLEST)
    score[first] = 0.0
    others = random.choice(len(rows), m // 2, replace=False, p=score / score.sum())
    return np.concatenate([first, others])


def _leverage(kernel: Kernel, rows: Any, some: Index) -> Floats:
    """Estimate the ridge leverage scores [K (K + lambda I)^-1]_ii of n rows by a uniform draw S.

    That is (k_ii - k_iS (K_SS + lambda |S| / n I)^-1 k_Si) / lambda (Musco and Musco 2017, section
    3). Their lambda is what the best |S| directions leave of the trace of K, divided by |S|; here
    it is what those of S leave.
    """
    square = kernel.diagonal(rows).astype(np.float64)
    columns = kernel.block(rows, rows[some]).astype(np.float64)
    eigenvalues, V = aside(partial(np.linalg.eigh, columns[some]))
    told = np.square(columns @ V)
    kept = eigenvalues > _ROUNDING * max(float(eigenvalues[-1]), _SMALLEST)
    left = np.maximum(square - told[:, kept] @ (1.0 / eigenvalues[kept]), 0.0)
    ridge = max(float(left.mean()), _ROUNDING * float(square.mean()), _SMALLEST)
    told = told @ (1.0 / (np.maximum(eigenvalues, 0.0) + ridge))
    score: Floats = np.maximum(square - told, 0.0) * len(some) / (ridge * len(rows))
    return score

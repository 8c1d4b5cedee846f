r"""Linear separability by a linear program: a separating hyperplane, or a proof that there is none.

With labels t_i in {-1, +1} and rows x_i (each column scaled to at most 1 in size):

    max_{w,b,s}  s     s.t.  t_i (w'x_i + b) >= s for all i,    |w_j| <= 1 for all j,

and its dual, over weights a_i >= 0,

    min_a  |sum_i a_i t_i x_i|_1     s.t.  sum_i a_i = 1,   sum_i a_i t_i = 0.

Both have the value 0 or more, because w = 0 is allowed. If it is positive, (w, b) separates the
classes. If it is 0, the weights 2a sum to 1 in each class and the weighted means coincide: a point
in both convex hulls, so that no hyperplane can separate them strictly. One of the two holds and
never both; that is Gordan's theorem of alternatives. The program is that of Boyd and Vandenberghe,
"Convex Optimization" (2004), section 8.6.1, the lectures' t_i (w'x_i + b) >= 1 with its scale taken
out, so that it has an answer in both cases.

HiGHS solves to a tolerance. Its answers are therefore only candidates: the weights are solved for
again on the rows that it names, and what is returned has been checked on the data in NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import OptimizeResult
from sklearn.utils import check_X_y

from maxmargin.inputs.labels import check_labels, find_classes, refuse_one_class
from maxmargin.inputs.vectors import refuse_nonfinite
from maxmargin.ops.linear_program import optimum

Vector = NDArray[np.float64]

_COINCIDE = 1e-11  # of a column's range: means closer than this coincide
_NEAR = 1e-5  # of a column's range: what a solver that saw only kernel values may leave
_MOST_REFINED = 10_000_000  # numbers in the linear system for the positive weights


@dataclass(frozen=True)
class Separation:
    """Whether two classes are linearly separable, and what proves it.

    Attributes
    ----------
    separable : bool
    coef : ndarray of shape (columns,) or None
        With ``intercept``, a hyperplane with ``X @ coef + intercept`` positive on every row of the
        second class and negative on every row of the first.
    intercept : float or None
    margin : float
        Smallest distance of a row to that hyperplane; 0 when not separable. The largest possible
        is ``HardMarginSVC``'s.
    witness : ndarray of shape (rows,) or None
        When not separable: weights, none negative, that sum to 1 in each class, and with which the
        means of both classes are the same point.
    """

    separable: bool
    coef: Vector | None
    intercept: float | None
    margin: float
    witness: Vector | None

    def __repr__(self) -> str:
        if self.separable:
            return f"Separation(separable, margin {self.margin:.4g})"
        return "Separation(not separable; two weighted means coincide, see witness)"


def separate(X: Any, y: Any) -> Separation:
    """Find a hyperplane between two classes, or a proof that there is none.

    Classes whose convex hulls only touch count as not separable: no hyperplane has all rows of one
    class strictly on one side and all rows of the other strictly on the other.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (rows, columns)
    y : array-like of shape (rows,)
        Labels of two classes; the second in sorted order is the positive one.

    Returns
    -------
    separation : Separation

    Raises
    ------
    ArithmeticError
        If the classes lie so close to touching that neither answer can be proved in double
        precision.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import separate
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> separate(X, [0, 1, 0, 1]).separable
    True
    >>> y = np.array([0, 0, 1, 1])  # the corners of a square, crosswise
    >>> weights = separate(X, y).witness
    >>> X[y == 0].T @ weights[y == 0], X[y == 1].T @ weights[y == 1]
    (array([0.5, 0.5]), array([0.5, 0.5]))
    """
    X, t = _check(X, y)
    Z, scale = _scaled(X)
    solved = _solve(Z, t)
    hyperplane = _hyperplane(X, t, solved.x[:-2] / scale)
    if hyperplane is not None:
        return hyperplane
    witness = _witness(Z, t, np.maximum(0.0, -solved.ineqlin.marginals))
    if witness is not None:
        return Separation(False, None, None, 0.0, witness)
    raise ArithmeticError(
        "The two classes lie within rounding of touching, so that neither a separating hyperplane "
        "nor a common point of their convex hulls can be proved; look for rows that almost "
        "coincide, or scale the columns."
    )


def heaviest_meeting(X: Any, t: Vector, weight: Vector) -> Vector | None:
    """Find weights whose means coincide and that prove the most slack; None if none is proved.

    The least total slack, min sum_i s_i xi_i over t_i (w'x_i + b) >= 1 - xi_i and xi >= 0, is by
    duality

        max_u  sum_i u_i     s.t.  sum_i u_i t_i x_i = 0,   sum_i u_i t_i = 0,   0 <= u_i <= s_i.

    Returns u scaled to sum to 1 in each class.
    """
    Z, _ = _scaled(X)
    stack = sparse.vstack if sparse.issparse(Z) else np.vstack
    A = stack([Z.T * t, t[None]])
    bounds = np.column_stack([np.zeros(len(t)), weight])
    solved = optimum(-np.ones(len(t)), A_eq=A, b_eq=np.zeros(A.shape[0]), bounds=bounds)
    return None if solved.x is None else _believed(Z, t, np.clip(solved.x, 0.0, weight))


def coincide(X: Any, t: Vector, weights: Vector) -> bool:
    """Whether weights that sum to 1 in each class give both the same mean, nearly, on the rows."""
    if not sparse.issparse(X):
        Z, _ = _scaled(X)
        return bool((np.abs(_product(Z.T, t * weights)) <= _NEAR).all())
    # Sparse rows stay where they are, but means are near each other by how the rows spread.
    spread = (X.max(axis=0) - X.min(axis=0)).toarray().ravel()
    return bool((np.abs(_product(X.T, t * weights)) <= 0.5 * _NEAR * spread).all())


def _check(X: Any, y: Any) -> tuple[Any, Vector]:
    """Check the data; labels come back as -1 and +1."""
    X, y = check_X_y(
        X, y, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, estimator="separate"
    )
    refuse_nonfinite(X)
    classes, numbers = find_classes(check_labels(y))
    refuse_one_class(classes)
    if len(classes) > 2:
        raise ValueError(
            f"separate takes two classes and y has {len(classes)}; compare them pair by pair, or "
            "one with the rest, as in separate(X, y == label)."
        )
    return X, np.where(numbers == 1, 1.0, -1.0)


def _scaled(X: Any) -> tuple[Any, Vector]:
    """Bring each column to a size of 1, dense ones around 0; returns the sizes too."""
    centre, scale = _frame(X)
    return (X - centre) / scale if centre is not None else sparse.csr_array(X / scale), scale


def _frame(X: Any) -> tuple[Vector | None, Vector]:
    """Return the middle of each column (None for sparse data, which stay sparse) and its size.

    A column without any is infinitely large: it says nothing and gets no weight.
    """
    if sparse.issparse(X):
        size = np.asarray(abs(X).max(axis=0).todense(), dtype=np.float64).ravel()
        return None, np.where(size > 0, size, np.inf)
    low, high = X.min(axis=0), X.max(axis=0)
    centre = 0.5 * low + 0.5 * high
    size = np.maximum(high - centre, centre - low)
    return centre, np.where(size > 0, size, np.inf)


def _solve(Z: Any, t: Vector) -> OptimizeResult:
    """Solve the linear program in (w, b, s)."""
    signed = sparse.diags_array(-t) @ Z if sparse.issparse(Z) else -t[:, None] * Z
    stack = sparse.hstack if sparse.issparse(Z) else np.hstack
    A = stack([signed, -t[:, None], np.ones((len(t), 1))])
    cost = np.zeros(Z.shape[1] + 2)
    cost[-1] = -1.0
    bounds = [(-1.0, 1.0)] * Z.shape[1] + [(None, None)] * 2
    solved = optimum(cost, A_ub=A, b_ub=np.zeros(len(t)), bounds=bounds)
    if solved.x is None:
        raise ArithmeticError(f"HiGHS could not solve the linear program: {solved.message}")
    return solved


def _hyperplane(X: Any, t: Vector, coef: Vector) -> Separation | None:
    """Put the hyperplane in the middle and believe it only where rounding cannot explain it.

    The bound on the error of a scalar product is Higham's, "Accuracy and Stability of Numerical
    Algorithms", 2nd ed., section 3.1.
    """
    values = _product(X, coef)
    low, high = values[t > 0].min(), values[t < 0].max()
    intercept = -0.5 * float(low + high)
    margins = t * (values + intercept)
    error = (X.shape[1] + 3) * np.finfo(np.float64).eps
    sizes = _product(abs(X), np.abs(coef)) + abs(intercept)
    if not (margins > error * sizes).all():
        return None
    return Separation(True, coef, intercept, float(margins.min() / np.linalg.norm(coef)), None)


def _witness(Z: Any, t: Vector, weight: Vector) -> Vector | None:
    """Scale weights to sum to 1 in each class, and believe them only if the means coincide."""
    refined = _believed(Z, t, _refined(Z, t, weight))
    return refined if refined is not None else _believed(Z, t, weight)


def _believed(Z: Any, t: Vector, weight: Vector) -> Vector | None:
    sides = weight[t > 0].sum(), weight[t < 0].sum()
    if min(sides) <= 0:
        return None
    weights: Vector = weight / np.where(t > 0, *sides)
    apart = np.abs(_product(Z.T, t * weights))
    return weights if (apart <= _COINCIDE).all() else None


def _refined(Z: Any, t: Vector, weight: Vector) -> Vector:
    """Solve for the positive weights again: means that coincide, sums of 1, to rounding."""
    support = np.flatnonzero(weight > 0)
    sides = weight[t > 0].sum(), weight[t < 0].sum()
    if min(sides) <= 0 or len(support) * Z.shape[1] > _MOST_REFINED:
        return weight
    part, signs = Z[support], t[support]
    part = part.toarray() if sparse.issparse(part) else part
    system = np.vstack([(signs[:, None] * part).T, signs > 0, signs < 0])
    start = weight[support] / np.where(signs > 0, *sides)
    wanted = np.concatenate([np.zeros(Z.shape[1]), [1.0, 1.0]])
    step = np.linalg.lstsq(system, wanted - system @ start, rcond=None)[0]
    refined = np.zeros_like(weight)
    refined[support] = np.maximum(0.0, start + step)
    return refined


def _product(A: Any, x: Vector) -> Vector:
    return np.asarray(A @ x, dtype=np.float64)

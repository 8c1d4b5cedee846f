"""All solutions of a two-class support vector machine, for every cost C at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, judge
from maxmargin.inputs.parameters import check_number
from maxmargin.kernels.base import Takes
from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import Workers
from maxmargin.problems import c_svc
from maxmargin.solvers.box_qp.cost_path import Corner, LostError, follow
from maxmargin.solvers.run import badness
from maxmargin.svm.kernel_fit import learn
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.svc import SVC
from maxmargin.svm.training import Training, check_rows, take

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Masks = NDArray[np.bool_]

_EXACT = 1e-10  # violation that the duals of the start may leave; the walk makes them exact
_SMALL = 0.5  # of what keeps f(x) within 1 of its bias: C is so small that alpha / C is constant


class PathPoint(NamedTuple):
    """The duals and the bias of one C."""

    alpha: Vector
    intercept: float


@dataclass(frozen=True, eq=False, repr=False)
class SvmPath:
    """The solutions of all C from 0 to the last corner: alpha and b are linear in between.

    Made by ``svm_path``.

    Attributes
    ----------
    costs : ndarray of shape (corners,)
        The C where the path turns, ascending; the first is 0.
    alphas : ndarray of shape (corners, rows)
        The duals there, from 0 to C each.
    intercepts : ndarray of shape (corners,)
        The bias there; where no row lies on its margin it is one of an interval.
    elbows : ndarray of bool of shape (corners, rows)
        The rows that stay on their margin after a corner, their alpha moving.
    short : ndarray of bool of shape (corners, rows)
        Those with alpha = C after it.
    classes : ndarray
        The two labels; values of f are positive for the second.
    certificates : tuple of Certificate
        Each corner but the first, judged in double precision.
    """

    costs: Vector
    alphas: Matrix
    intercepts: Vector
    elbows: Masks
    short: Masks
    classes: NDArray[Any]
    certificates: tuple[Certificate, ...]
    _training: Training
    _model: SVC

    def __repr__(self) -> str:
        rows, last = self.alphas.shape[1], self.costs[-1]
        return f"SvmPath({rows} rows, {self.n_events} corners, C from 0 to {last:g})"

    @property
    def n_events(self) -> int:
        """Number of corners strictly between 0 and the last C."""
        return max(0, len(self.costs) - 2)

    @property
    def labels(self) -> NDArray[np.intp]:
        """The class number of each row, 0 or 1."""
        return self._training.label

    @property
    def certificate(self) -> Certificate:
        """The worst of all corners'."""
        return max(self.certificates, key=badness)

    def at(self, C: float) -> PathPoint:
        """Return the solution of a C.

        Parameters
        ----------
        C : float
            From 0 to the last of ``costs``.

        Returns
        -------
        point : PathPoint
            With ``alpha`` of shape (rows,) and ``intercept``.
        """
        if not 0 <= C <= self.costs[-1]:
            raise ValueError(
                f"The path goes from 0 to C={self.costs[-1]:g}; for C={C:g} follow it further, by "
                "svm_path(..., C_max=...)."
            )
        after = int(np.clip(np.searchsorted(self.costs, C), 1, len(self.costs) - 1))
        low, high = self.costs[after - 1], self.costs[after]
        share = (C - low) / (high - low) if high > low else 1.0
        weights = np.array([1.0 - share, share])
        alpha = weights @ self.alphas[after - 1 : after + 1]
        intercept = weights @ self.intercepts[after - 1 : after + 1]
        return PathPoint(np.clip(alpha, 0.0, C), float(intercept))

    def support(self, C: float) -> NDArray[np.intp]:
        """List the support vectors of a C by their places in the training data.

        Parameters
        ----------
        C : float

        Returns
        -------
        rows : ndarray of int
        """
        return np.flatnonzero(self.at(C).alpha > 0)

    def machine(self, C: float) -> KernelMachine:
        """Make the machine that decides by the solution of a C.

        Parameters
        ----------
        C : float

        Returns
        -------
        machine : KernelMachine
        """
        (alpha, intercept), training = self.at(C), self._training
        found = np.flatnonzero(alpha > 0)
        rows = found[np.argsort(training.label[found], kind="stable")]
        signed = np.where(training.label[rows] == 0, alpha[rows], -alpha[rows])
        matrix = training.seen.kernel.takes is Takes.MATRIX
        return KernelMachine(
            seen=training.seen,
            rows=rows.astype(np.int32),
            support=np.empty((0, 0)) if matrix else take(training.X, rows),
            counts=np.bincount(training.label[rows], minlength=2).astype(np.int32),
            coefficients=signed[None],
            intercepts=np.array([-intercept]),
            by_pairs=True,
            n_rows=len(training),
        )

    def decision_function(self, X: Any, C: float) -> Vector:
        """Evaluate f at new rows by the solution of a C.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        C : float

        Returns
        -------
        values : ndarray of shape (rows,)
            Positive for ``classes[1]``.
        """
        machine = self.machine(C)
        X = check_rows(self._model, machine.seen.kernel, X, reset=False)
        values: Vector = machine.decide(X, machine.confidences, self._model.n_jobs)
        return values


def svm_path(
    X: Any,
    y: Any,
    *,
    kernel: Any = "rbf",
    gamma: Any = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    C_max: float = 1e3,
    tol: float = 1e-6,
) -> SvmPath:
    """Follow the solutions of a two-class SVM from C = 0 to ``C_max``, exactly.

    Between the corners, where rows arrive at their margin or leave it, all duals are linear in C:
    Hastie, Rosset, Tibshirani and Zhu, "The entire regularization path for the support vector
    machine", JMLR 5 (2004), whose lambda is 1 / C. Rows that arrive together and repeated rows are
    taken as they come.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (rows, columns)
    y : array-like of shape (rows,)
        Labels of two classes.
    kernel, gamma, degree, coef0
        As in ``SVC``; the kernel must be positive semidefinite.
    C_max : float, default=1000
        Where to stop.
    tol : float, default=1e-6
        To which corners are certified; it does not change the path.

    Returns
    -------
    path : SvmPath

    Notes
    -----
    The kernel matrix is kept twice while the path is followed, of 8 rows^2 bytes each, and a corner
    costs a few products with it and the cube of the rows on their margin. There are about as many
    corners as rows, or a few times that.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.svm.path import svm_path
    >>> X, y = load_mixture(return_X_y=True)
    >>> path = svm_path(X, y, gamma=1.0, C_max=10.0)
    >>> path.certificate.status.name
    'CERTIFIED'
    >>> alpha, intercept = path.at(2.0)
    >>> model = SVC(C=2.0, gamma=1.0, tol=1e-8).fit(X, y)
    >>> len(path.support(2.0)) == len(model.support_)
    True
    """
    check_number("svm_path", "C_max", C_max, 0.0, above=True)
    check_number("svm_path", "tol", tol, 0.0, above=True)
    model = SVC(kernel=kernel, gamma=gamma, degree=degree, coef0=coef0)
    model._check_parameters()
    training = model._prepare(X, y, None).in_double()
    if len(training.classes) != 2:
        raise ValueError(f"svm_path is for two classes, and y has {len(training.classes)}.")
    with Workers(1):  # one thread of BLAS: elbows are small
        return _follow(training, model, float(C_max), tol)


def _follow(training: Training, model: SVC, C_max: float, tol: float) -> SvmPath:
    gram, t = training.gram, np.where(training.label == 1, 1.0, -1.0)
    if not gram.seems_convex(np.arange(len(gram))):
        raise ValueError(
            "svm_path needs a positive semidefinite kernel: with this one a C has several "
            "solutions that no path joins."
        )
    K = np.asarray(gram.block(gram.rows, gram.rows), dtype=np.float64)
    corners: list[Corner] = []
    try:
        corners.extend(follow(K, t, C_max, _start(training, K)))
    except LostError as error:
        reached = corners[-1].C if corners else 0.0
        raise ValueError(
            f"The path is lost at C={reached:g}, where {error}; scale the columns, or stop there "
            "by C_max."
        ) from None
    return SvmPath(
        costs=np.array([corner.C for corner in corners]),
        alphas=np.array([corner.alpha for corner in corners]),
        intercepts=np.array([corner.b for corner in corners]),
        elbows=np.array([corner.elbow for corner in corners]),
        short=np.array([corner.short for corner in corners]),
        classes=training.classes,
        certificates=tuple(_judged(corner, t, gram, tol) for corner in corners[1:]),
        _training=training,
        _model=model,
    )


def _start(training: Training, K: Matrix) -> Vector:
    """Solve for alpha / C where C is so small that it does not depend on C any more."""
    C = _SMALL / max(len(K) * float(np.abs(K).max()), np.finfo(np.float64).tiny)
    learned = learn(training.stored(K), SVC(C=C, tol=_EXACT)._recipe(Clock()))
    start = np.zeros(len(K))
    rows = learned.reduced.rows(learned.reduced.tasks[0])
    start[rows] = np.abs(learned.solutions[0].point.beta) / C
    return start


def _judged(corner: Corner, t: Vector, gram: Gram, tol: float) -> Certificate:
    point = Point(corner.alpha * t, corner.product, gram.rounding)
    return judge(c_svc(t, corner.C), point, tol)

"""The theory of AdaBoost as numbers: coefficients, bounds on the training error, margins.

With weighted errors e_t, edges gamma_t = 1/2 - e_t and coefficients alpha_t, a round multiplies the
weights by exp(-alpha_t) where the weak learner is right and by exp(alpha_t) where it is wrong, and
divides them by their sum

    Z_t = (1 - e_t) exp(-alpha_t) + e_t exp(alpha_t)        = 2 sqrt(e_t (1 - e_t))  at its minimum,
                                                              alpha_t = 1/2 log((1 - e_t) / e_t).

A row that the vote gets wrong has at least half of the vote against it, so that the product of its
factors is at least 1. The weight of such rows in the first round is therefore at most (Freund and
Schapire, J. Comput. Syst. Sci. 55, 1997, theorem 6)

    training error <= prod Z_t <= exp(-2 sum gamma_t^2),

the second where alpha_t is the minimiser above. There Z_t = sqrt(1 - 4 gamma_t^2), so that with
gamma the smallest edge of T rounds

    prod Z_t <= (1 - 4 gamma^2)^(T/2) <= exp(-2 T gamma^2).

A factor n before the middle one, the number of rows, as some texts have it, is not needed: the
weights begin at 1/n, and the mean loss of H = 0 is 1.

Only "half of the vote" is used of the number of classes K, so the first holds for SAMME too, whose
coefficient is that of two classes plus 1/2 log(K - 1) (Zhu, Zou, Rosset and Hastie, Stat. Interface
2, 2009, algorithm 2); with K > 2 it is below 1 only if the errors are small, since SAMME asks for
no more than e_t < 1 - 1/K.

The normalised margin of a row is the weight of the votes for its class, less that of the votes for
the strongest other class, over the weight of all votes: in [-1, 1], not positive where the vote is
wrong (Schapire, Freund, Bartlett and Lee, Ann. Stat. 26, 1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.ensembles.rounds import History

Vector = NDArray[np.float64]

BOUND_FIELDS = ("edge", "z", "product", "exponential", "geometric", "n_geometric", "error")
DESCENT_FIELDS = ("before", "first_order", "after", "slope", "pull", "edge", "cosine")
_FEW_ROWS = 4096  # for which BLAS takes one thread
PERFECT_WEIGHT = 1.0
"""scikit-learn's coefficient of a learner without error, whose true one is infinite."""


def alpha_of_error(error: ArrayLike, n_classes: int = 2, learning_rate: float = 1.0) -> Any:
    """Return the coefficient of a weak learner with this weighted error.

    Parameters
    ----------
    error : float or array-like
        In (0, 1).
    n_classes : int, default=2
    learning_rate : float, default=1.0

    Returns
    -------
    alpha : float or ndarray
        learning_rate / 2 (log((1 - error) / error) + log(n_classes - 1)).

    Examples
    --------
    >>> from maxmargin.boosting import alpha_of_error
    >>> print(f"{alpha_of_error(0.3):.4f}")
    0.4236
    """
    return 0.5 * weight_of_error(error, n_classes, learning_rate)


def weight_of_error(error: ArrayLike, n_classes: int, learning_rate: float) -> Any:
    """Return the coefficient in scikit-learn's scale, twice that of the papers."""
    e = np.asarray(error, dtype=np.float64)
    return learning_rate * (np.log((1.0 - e) / e) + np.log(n_classes - 1.0))


def bound_training_error(
    errors: ArrayLike,
    alphas: ArrayLike,
    train_errors: ArrayLike,
    *,
    n_classes: int = 2,
    n_rows: int | None = None,
) -> Any:
    """Compute the training error after every round and its bounds.

    Parameters
    ----------
    errors : array-like of shape (rounds,)
        Weighted errors of the weak learners.
    alphas : array-like of shape (rounds,)
        Their coefficients.
    train_errors : array-like of shape (rounds,)
        Of the ensemble after each round, with the weights of the first round.
    n_classes : int, default=2
    n_rows : int, default=None
        How many rows were learnt from, for ``n_geometric``.

    Returns
    -------
    bounds : recarray of shape (rounds,)
        With the fields ``edge`` (gamma_t), ``z`` (Z_t), ``product`` (of all Z so far),
        ``exponential`` (exp(-2 sum gamma^2)), ``geometric`` ((1 - 4 gamma^2)^(T/2) with the
        smallest edge gamma of the T rounds so far), ``n_geometric`` (n_rows times that) and
        ``error`` (the training error). Those after ``product`` are nan where they are no bounds:
        for several classes, and from a round on whose alpha another learning rate than 1 has made.

    Examples
    --------
    >>> from maxmargin.boosting import alpha_of_error, bound_training_error
    >>> errors = [3 / 10, 3 / 14]
    >>> bounds = bound_training_error(errors, alpha_of_error(errors), [0.3, 0.3])
    >>> bounds.product.round(4)
    array([0.9165, 0.7521])
    """
    e, alpha = np.asarray(errors, dtype=np.float64), np.asarray(alphas, dtype=np.float64)
    log_z = log_normaliser(e, alpha)
    if len(e) == 1 and e[0] == 0.0:
        log_z = np.full(1, -np.inf)  # alone, it gives the same vote for any alpha, however large
    edge = 0.5 - e
    proven = np.logical_and.accumulate(_minimises_z(e, alpha)) & (n_classes == 2)
    bounds = np.zeros(len(e), dtype=[(name, np.float64) for name in BOUND_FIELDS])
    bounds["edge"], bounds["error"] = edge, train_errors
    with np.errstate(over="ignore"):
        bounds["z"], bounds["product"] = np.exp(log_z), np.exp(np.cumsum(log_z))
    bounds["exponential"] = np.where(proven, np.exp(-2.0 * np.cumsum(edge**2)), np.nan)
    bounds["geometric"] = np.where(proven, _geometric(edge), np.nan)
    bounds["n_geometric"] = bounds["geometric"] * (np.nan if n_rows is None else n_rows)
    return bounds.view(np.recarray)


def bound_by_loss(errors: ArrayLike, history: History) -> Any:
    """Set the training error after every round beside the loss, whatever made the coefficients.

    Parameters
    ----------
    errors : array-like of shape (rounds,)
        Weighted errors of the weak learners.
    history : History

    Returns
    -------
    bounds : recarray of shape (rounds,)
        As of ``bound_training_error``: ``product`` is the mean loss, which is 1 at first, and ``z``
        by how much a round multiplied it. Those that rest on one coefficient a round are nan.
    """
    loss = history.column("loss")
    bounds = np.full(len(loss), np.nan, dtype=[(name, np.float64) for name in BOUND_FIELDS])
    bounds["edge"], bounds["product"] = 0.5 - np.asarray(errors, dtype=np.float64), loss
    bounds["z"] = loss / np.append(1.0, loss[:-1])
    bounds["error"] = history.column("train_error")
    return bounds.view(np.recarray)


def _geometric(edge: Vector) -> Any:
    """Return (1 - 4 gamma^2)^(T/2) after every T rounds, with gamma their smallest edge."""
    smallest, rounds = np.minimum.accumulate(edge), np.arange(1, len(edge) + 1)
    return np.maximum(0.0, 1.0 - 4.0 * smallest**2) ** (0.5 * rounds)


def descent_of(history: History) -> Any:
    """Compare the effect of every round on the loss with the prediction of its gradient.

    Parameters
    ----------
    history : History

    Returns
    -------
    descent : recarray of shape (rounds,)
        With the fields ``before`` and ``after`` (the mean loss), ``first_order`` (what the tangent
        at the beginning predicts, ``before`` minus alpha times ``slope``; a convex loss ends at or
        above it), ``slope`` (of h and the negative gradient the scalar product), ``pull`` (the sum
        of the gradient's entries in size), ``edge`` (1/2 - e) and ``cosine`` (between the step and
        the negative gradient). Where h is -1 or +1, ``slope`` is 2 ``edge`` ``pull``.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    >>> model.descent_.cosine.round(3)
    array([0.4  , 0.524, 0.65 ])
    """
    descent = np.zeros(len(history), dtype=[(name, np.float64) for name in DESCENT_FIELDS])
    for name in ("before", "slope", "pull", "cosine"):
        descent[name] = history.column(name)
    descent["after"], descent["edge"] = history.column("loss"), 0.5 - history.column("error")
    alpha = history.column("alpha")
    step = np.where(np.isnan(alpha), 1.0, alpha)  # several functions: slope is of the whole step
    with np.errstate(invalid="ignore"):  # an infinite loss has no prediction
        descent["first_order"] = descent["before"] - step * descent["slope"]
    return descent.view(np.recarray)


def _minimises_z(error: Vector, alpha: Vector) -> Any:
    """Return whether alpha is 1/2 log((1 - e) / e); for e = 0 any finite one is accepted."""
    perfect = error == 0.0
    return perfect | np.isclose(alpha, alpha_of_error(np.where(perfect, 0.5, error)))


def log_normaliser(error: Any, alpha: Any) -> Any:
    """Return log Z of a weighted error and a coefficient, without overflow."""
    return alpha + np.log(error + (1.0 - error) * np.exp(-2.0 * alpha))


def inner(a: Vector, b: Vector) -> float:
    """Return a'b on one thread: BLAS would use several for many rows and round differently."""
    return float(a.dot(b) if len(a) < _FEW_ROWS else np.einsum("i,i", a, b))


def vote_margins(votes: Vector, total: float, label: NDArray[Any]) -> Vector:
    """Return the normalised margins of rows by their class numbers and their votes.

    For two classes one number a row: the votes for class 1 less those for class 0.
    """
    if votes.ndim == 1:
        margins = np.where(label == 1, votes, -votes) / total
    else:
        rows = np.arange(len(label))
        own, others = votes[rows, label], votes.copy()
        others[rows, label] = -np.inf
        margins = (own - others.max(axis=1)) / total
    return np.clip(margins, -1.0, 1.0)


@dataclass(frozen=True)
class MarginDistribution:
    """The cumulative distribution of the margins of rows.

    Parameters
    ----------
    margin : ndarray of shape (steps,)
        The different margins, ascending.
    share : ndarray of shape (steps,)
        The share of the rows, by weight, with at most that margin; 1 at the end.

    Examples
    --------
    >>> from maxmargin.boosting import MarginDistribution
    >>> distribution = MarginDistribution.of([0.5, -0.25, 0.5, 1.0])
    >>> distribution.share
    array([0.25, 0.75, 1.  ])
    >>> float(distribution(0.0))
    0.25
    """

    margin: Vector
    share: Vector

    @classmethod
    def of(cls, margins: ArrayLike, sample_weight: ArrayLike | None = None) -> MarginDistribution:
        """Build it from the margins of rows, for example those of ``AdaBoostClassifier.margins``.

        Parameters
        ----------
        margins : array-like of shape (rows,)
        sample_weight : array-like of shape (rows,), default=None

        Returns
        -------
        distribution : MarginDistribution
        """
        values, place = np.unique(np.asarray(margins, dtype=np.float64), return_inverse=True)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        share = np.cumsum(np.bincount(place, weights=weights, minlength=len(values)))
        return cls(values, share / share[-1])

    def __call__(self, theta: ArrayLike) -> Any:
        """Return the share of rows with a margin of at most theta."""
        steps = np.searchsorted(self.margin, np.asarray(theta, dtype=np.float64), side="right")
        return np.append(0.0, self.share)[steps]


def heaviest(weight: Vector, k: int) -> NDArray[np.intp]:
    """Return the k rows of largest weight, heaviest first; ties in the order of the rows."""
    return np.argsort(-weight, kind="stable")[:k]

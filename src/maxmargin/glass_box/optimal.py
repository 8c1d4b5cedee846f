"""All terms again, together: the optimum of a convex problem, with a proof.

With the bins and the pairs as boosting chose them, F is linear in the values v of all bins,

    minimise over v and c    sum_i w_i L(F(x_i), y_i) + ridge / 2 |v|^2,
    F(x_i) = c + sum_t v_t[bin of x_i in term t]

which is a linear model of one-hot bins. The library's own solvers minimise it and its judge bounds
what is left: no shapes on these bins have a value of this objective lower by more than the gap.

The solution is centred and purified afterwards, which changes how F is told and not F.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.certify import Certificate
from maxmargin.glass_box.terms import Term, centred, purified
from maxmargin.svm.linear_classifier import LinearClassifier
from maxmargin.svm.linear_svr import LinearSVR

Vector = NDArray[np.float64]


def refit_labels(
    terms: tuple[Term, ...], codes: Any, signs: Vector, weight: Vector, loss: Any, **options: Any
) -> tuple[Vector, tuple[Term, ...], Certificate]:
    """Fit all terms together to targets -1 and +1.

    Parameters
    ----------
    terms : tuple of Term
        Whose bins are kept.
    codes : ndarray of shape (columns, rows)
    signs, weight : ndarray of shape (rows,)
    loss : Loss
    **options : dict
        ``ridge``, ``tol``, ``time_limit``, ``on_interrupt``, ``n_jobs``.

    Returns
    -------
    constants : ndarray of shape (1,)
    terms : tuple of Term
    certificate : Certificate
    """
    ridge = options.pop("ridge")
    model = LinearClassifier(loss, C=1.0 / ridge, **options)
    model.fit(_one_hot(terms, codes), signs, sample_weight=weight)
    return _recovered(terms, model.coef_.ravel(), float(model.intercept_[0]), model.certificate_)


def refit_numbers(
    terms: tuple[Term, ...], codes: Any, t: Vector, weight: Vector, **options: Any
) -> tuple[Vector, tuple[Term, ...], Certificate]:
    """Fit all terms together to quantities, by least squares; see ``refit_labels``."""
    ridge = options.pop("ridge")
    squares: dict[str, Any] = {
        "loss": "squared_epsilon_insensitive",
        "intercept": "free",
        "epsilon": 0.0,
    }
    model = LinearSVR(C=0.5 / ridge, **squares, **options)
    model.fit(_one_hot(terms, codes), t, sample_weight=weight)
    intercept = float(np.ravel(model.intercept_)[0])
    return _recovered(terms, model.coef_.ravel(), intercept, model.certificate_)


def _one_hot(terms: tuple[Term, ...], codes: Any) -> Any:
    """Give a sparse matrix with a one for the bin of each term."""
    n_rows, begin = codes.shape[1], _begin(terms)
    places = np.empty((n_rows, len(terms)), np.int32)
    for t, term in enumerate(terms):
        places[:, t] = term.bins(codes)
        places[:, t] += begin[t]
    bounds = np.arange(0, n_rows * len(terms) + 1, len(terms), dtype=np.int32)
    parts = np.ones(places.size), places.ravel(), bounds
    return sparse.csr_matrix(parts, shape=(n_rows, begin[-1]))


def _begin(terms: tuple[Term, ...]) -> NDArray[np.int32]:
    return np.append(0, np.cumsum([term.weight.size for term in terms])).astype(np.int32)


def _recovered(
    terms: tuple[Term, ...], coef: Vector, intercept: float, certificate: Certificate
) -> tuple[Vector, tuple[Term, ...], Certificate]:
    begin = _begin(terms)
    values = [
        coef[begin[t] : begin[t + 1]].reshape(1, *term.weight.shape) for t, term in enumerate(terms)
    ]
    place = {term.columns[0]: t for t, term in enumerate(terms) if not term.coarse}
    constants = np.array([intercept])
    for t, term in enumerate(terms):
        if term.coarse:
            values[t], *moved = purified(values[t], term.weight)
            for j, of_code, shape in zip(term.columns, term.coarse, moved, strict=True):
                values[place[j]] = values[place[j]] + shape[:, of_code]
    found = []
    for term, value in zip(terms, values, strict=True):
        middle, mean = centred(value, term.weight)
        if middle.ndim == 2:
            middle[:, term.weight == 0] = 0.0
        constants = constants + mean
        found.append(replace(term, values=middle))
    return constants, tuple(found), certificate

r"""Whether a difference between two models means anything: paired tests on differences of scores.

Let d be a difference of scores (first model less second), d_ij that of replication i and fold j.

5x2 cross-validation: five times two halves, each half trained on once. With the mean d_i of a
replication and its variance s_i^2 = (d_i1 - d_i)^2 + (d_i2 - d_i)^2,

    t = d_11 / sqrt(sum_i s_i^2 / 5)                 ~ t with 5 degrees of freedom      (Dietterich)
    F = sum_ij d_ij^2 / (2 sum_i s_i^2)              ~ F with 10 and 5                    (Alpaydin)

The corrected resampled t-test: J differences with mean d and variance s^2, from resamples whose
training parts overlap, n1 rows trained on and n2 tested on,

    t = d / sqrt((1/J + n2/n1) s^2)                  ~ t with J - 1           (Nadeau and Bengio)

Without n2/n1 the test takes folds that share rows for independent ones, and finds too much.
Several comparisons with one model are corrected by Holm's steps: sorted p_(1) <= ... <= p_(m)
become max_{k <= j} min(1, (m - k + 1) p_(k)).

References: Dietterich, "Approximate statistical tests for comparing supervised classification
learning algorithms", Neural Computation 10 (1998); Alpaydin, "Combined 5x2 cv F test", Neural
Computation 11 (1999); Nadeau and Bengio, "Inference for the generalization error", Machine Learning
52 (2003); Holm, Scandinavian Journal of Statistics 6 (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from maxmargin.inputs.parameters import check_number

Vector = NDArray[np.float64]

_SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Verdict:
    """The outcome of a test of two models.

    Attributes
    ----------
    difference : float
        The mean score of the first minus that of the second.
    statistic : float
        The test statistic.
    p : float
        The p-value, between 0 and 1.
    test : str
        The test's name.

    Examples
    --------
    >>> print(Verdict(0.02, 1.1, 0.31, "5x2cv F"))
    the difference may be chance (p = 0.31)
    >>> print(Verdict(0.08, 6.2, 0.0031, "5x2cv F"))
    the first is better (p = 0.0031)
    """

    difference: float
    statistic: float
    p: float
    test: str = ""

    def words(self, first: str = "the first", second: str = "the second") -> str:
        """Return the result of the test as a sentence.

        Parameters
        ----------
        first, second : str
            What the two models are called.

        Returns
        -------
        str
            One clause.
        """
        if self.p >= _SIGNIFICANT:
            return f"the difference may be chance (p = {short(self.p)})"
        better = first if self.difference > 0 else second
        return f"{better} is better (p {_equals(self.p)})"

    def __str__(self) -> str:
        return self.words()


def dietterich_t(differences: ArrayLike) -> Verdict:
    """Compare two models on 5x2 cross-validation, by Dietterich's t-test.

    Parameters
    ----------
    differences : array-like of shape (5, 2)
        Differences of the scores, one row for each replication.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> d = [[0.02, 0.01], [0.03, 0.0], [0.01, 0.02], [0.0, 0.02], [0.02, 0.03]]
    >>> verdict = dietterich_t(d)
    >>> round(verdict.statistic, 4), round(verdict.p, 4)
    (1.5811, 0.1747)
    """
    d = _five_by_two(differences)
    spread = _variances(d).sum() / 5
    statistic = _ratio(d[0, 0], np.sqrt(spread), d.any())
    return Verdict(float(d.mean()), statistic, 2 * float(stats.t.sf(abs(statistic), 5)), "5x2cv t")


def alpaydin_f(differences: ArrayLike) -> Verdict:
    """Compare two models on 5x2 cross-validation, by Alpaydin's F-test on all ten differences.

    Parameters
    ----------
    differences : array-like of shape (5, 2)
        Differences of the scores, one row for each replication.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> d = [[0.02, 0.01], [0.03, 0.0], [0.01, 0.02], [0.0, 0.02], [0.02, 0.03]]
    >>> verdict = alpaydin_f(d)
    >>> round(verdict.statistic, 4), round(verdict.p, 4)
    (2.25, 0.1919)
    """
    d = _five_by_two(differences)
    statistic = _ratio((d**2).sum(), 2 * _variances(d).sum(), d.any())
    return Verdict(float(d.mean()), statistic, float(stats.f.sf(statistic, 10, 5)), "5x2cv F")


def corrected_t(differences: ArrayLike, *, n_train: float, n_test: float) -> Verdict:
    """Compare two models on resamples that share rows, by the t-test of Nadeau and Bengio.

    Parameters
    ----------
    differences : array-like of shape (resamples,)
        Differences of the scores on folds or random splits, repeated or not.
    n_train, n_test : float
        Average number of training and test rows of a resample.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> verdict = corrected_t([0.02, 0.01, 0.03, 0.0, 0.04], n_train=80, n_test=20)
    >>> round(verdict.statistic, 4), round(verdict.p, 4)
    (1.8856, 0.1324)
    """
    d = np.asarray(differences, dtype=np.float64).ravel()
    check_number("corrected_t", "n_train", n_train, 0.0, above=True)
    check_number("corrected_t", "n_test", n_test, 0.0, above=True)
    if len(d) < 2 or not np.isfinite(d).all():
        raise ValueError("The corrected t-test needs two differences or more, all finite.")
    scale = np.sqrt((1 / len(d) + n_test / n_train) * d.var(ddof=1))
    statistic = _ratio(d.mean(), scale, d.any())
    p = 2 * float(stats.t.sf(abs(statistic), len(d) - 1))
    return Verdict(float(d.mean()), statistic, p, "corrected resampled t")


def normal_verdict(difference: float, variance: float, test: str) -> Verdict:
    """Compare a difference with a normal distribution around 0."""
    statistic = _ratio(difference, np.sqrt(max(variance, 0.0)), difference != 0)
    return Verdict(difference, statistic, 2 * float(stats.norm.sf(abs(statistic))), test)


def holm(p_values: Sequence[float]) -> Vector:
    """Correct the p-values of several comparisons by Holm's method.

    Parameters
    ----------
    p_values : sequence of float

    Returns
    -------
    ndarray
        The corrected ones, in the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.minimum(1.0, (len(p) - np.arange(len(p))) * p[order])
    corrected = np.empty_like(p)
    corrected[order] = np.maximum.accumulate(steps)
    return corrected


def short(p: float) -> str:
    """Write a p-value with two digits that count, or more where these would hide its side."""
    texts = (f"{p:.{digits}g}" for digits in range(2, 17))
    significant = p < _SIGNIFICANT
    return next(text for text in texts if (float(text) < _SIGNIFICANT) == significant)


def _equals(p: float) -> str:
    return f"= {short(p)}" if p >= 1e-4 else "< 0.0001"


def _variances(d: Vector) -> Vector:
    centred = d - d.mean(axis=1, keepdims=True)
    return np.asarray((centred**2).sum(axis=1))


def _ratio(over: Any, under: Any, differ: Any) -> float:
    """Divide; models that never differ are no evidence, those that always do the same are all."""
    if under > 0:
        return float(over / under)
    return float(np.copysign(np.inf, over)) if differ and over else 0.0


def _five_by_two(differences: ArrayLike) -> Vector:
    d = np.asarray(differences, dtype=np.float64)
    if d.shape != (5, 2) or not np.isfinite(d).all():
        raise ValueError(
            "A 5x2 test needs finite differences of five replications of two folds, shape (5, 2);"
            f" got shape {d.shape}."
        )
    return d

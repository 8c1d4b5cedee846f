r"""Confidence intervals of scores: of shares, and by the bootstrap of everything else.

    clopper_pearson(count, total)    all p that a binomial test on either side keeps
    wilson(count, total)             all p with |k/n - p| <= z sqrt(p (1 - p) / n)
    mean_of_shares(counts, totals)   quantiles of the mean of Beta(k_c + 1, n_c - k_c + 1)
    student(values)                  mean -+ t s / sqrt(n), of repeated experiments
    bootstrap(statistic, *arrays)    quantiles of the statistic over resamples of the rows

The exact interval covers the truth at least as often as it says, Wilson's about as often, with
shorter intervals. Those of the bootstrap (percentile, and BCa with its corrections of bias and
skewness) are approximations that grow better with the number of rows.

References: Clopper and Pearson, Biometrika 26 (1934); Wilson, JASA 22 (1927); Newcombe, Statistics
in Medicine 17 (1998), whose table the tests repeat; Brodersen, Ong, Stephan and Buhmann, "The
balanced accuracy and its posterior distribution", ICPR 2010; Efron, JASA 82 (1987), for BCa.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.utils import check_consistent_length, check_random_state

from maxmargin.inputs.parameters import ParameterError, check_choice, check_number

_DRAWS = 20_000
METHODS = {"bca": "BCa", "percentile": "percentile"}


@dataclass(frozen=True)
class Interval:
    """A value with an interval that contains the truth with probability ``level``.

    Attributes
    ----------
    value : float
        What was estimated.
    low, high : float
        The ends; NaN where nothing is known of them.
    level : float
        The probability that the interval covers the truth.
    method : str
        How they were found.

    Examples
    --------
    >>> print(Interval(0.844, 0.753, 0.912, 0.95, "Clopper-Pearson"))
    0.844 (95 % interval 0.753 to 0.912, Clopper-Pearson)
    """

    value: float
    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if not np.isfinite([self.low, self.high]).all():
            return f"{self.value:.3f} (no interval: these rows do not vary enough)"
        ends = f"{self.low:.3f} to {self.high:.3f}"
        return f"{self.value:.3f} ({100 * self.level:g} % interval {ends}, {self.method})"


def clopper_pearson(count: int, total: int, *, level: float = 0.95) -> Interval:
    """Compute the exact interval of a share.

    Parameters
    ----------
    count, total : int
        Number of successes, and of rows.
    level : float, default=0.95
        The least probability that the interval covers the truth.

    Returns
    -------
    Interval

    Examples
    --------
    >>> print(clopper_pearson(81, 263))
    0.308 (95 % interval 0.253 to 0.368, Clopper-Pearson)
    """
    return _share(count, total, level, "exact", "Clopper-Pearson")


def wilson(count: int, total: int, *, level: float = 0.95) -> Interval:
    """Compute Wilson's score interval of a share.

    Parameters
    ----------
    count, total : int
        Number of successes, and of rows.
    level : float, default=0.95
        The approximate probability that the interval covers the truth.

    Returns
    -------
    Interval

    Examples
    --------
    >>> print(wilson(81, 263))
    0.308 (95 % interval 0.255 to 0.366, Wilson)
    """
    return _share(count, total, level, "wilson", "Wilson")


def mean_of_shares(counts: ArrayLike, totals: ArrayLike, *, level: float = 0.95) -> Interval:
    """Compute the interval of a mean of shares on separate rows, such as balanced accuracy.

    Each share has a posterior with a flat prior, so a class with one row is very uncertain. The
    interval is widened to include the value itself, which it would miss for a perfect score.

    Parameters
    ----------
    counts, totals : array-like of int
        Numbers of successes and of rows, for each share.
    level : float, default=0.95
        Posterior probability of the interval.

    Returns
    -------
    Interval

    Examples
    --------
    >>> print(mean_of_shares([95, 4], [100, 5]))
    0.875 (95 % interval 0.648 to 0.952, Beta posterior)
    """
    check_share("mean_of_shares", "level", level)
    k, n = np.asarray(counts), np.asarray(totals)
    if k.shape != n.shape or k.size == 0 or not ((k >= 0) & (k <= n) & (n > 0)).all():
        raise ValueError("mean_of_shares needs as many counts as totals, each between 0 and it.")
    drawn = np.random.default_rng(0).beta(k + 1, n - k + 1, size=(_DRAWS, k.size)).mean(axis=1)
    value = float((k / n).mean())
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    ends = min(float(low), value), max(float(high), value)
    return Interval(value, *ends, level, "Beta posterior")


def student(values: ArrayLike, *, level: float = 0.95) -> Interval:
    """Compute Student's interval of a mean, such as that of errors of repeated experiments.

    Parameters
    ----------
    values : array-like of shape (n,)
        Independent values, not too skewed; a single one has an interval of NaN.
    level : float, default=0.95
        The approximate probability that the interval covers the truth.

    Returns
    -------
    Interval

    Examples
    --------
    >>> print(student([0.21, 0.24, 0.19, 0.22]))
    0.215 (95 % interval 0.182 to 0.248, Student)
    """
    mean, reach = reach_of_mean(np.asarray(values, np.float64), level)
    return Interval(float(mean), float(mean - reach), float(mean + reach), level, "Student")


def reach_of_mean(values: NDArray[np.float64], level: float = 0.95) -> tuple[Any, Any]:
    """Return means over the first axis, and the half widths of Student's intervals."""
    check_share("student", "level", level)
    n = len(values)
    if n < 2:
        return values.mean(axis=0), np.full(values.shape[1:], np.nan)
    wide = stats.t.ppf((1 + level) / 2, n - 1) / np.sqrt(n)
    return values.mean(axis=0), wide * values.std(axis=0, ddof=1)


def _share(count: int, total: int, level: float, method: str, name: str) -> Interval:
    check_share(name, "level", level)
    check_number(name, "total", total, 1, whole=True)
    check_number(name, "count", count, 0, whole=True)
    if count > total:
        raise ParameterError(f"The 'count' of {name} is {count}, more than the total of {total}.")
    low, high = stats.binomtest(int(count), int(total)).proportion_ci(level, method)
    return Interval(count / total, float(low), float(high), level, name)


def bootstrap(
    statistic: Callable[..., float],
    *arrays: ArrayLike,
    method: str = "bca",
    level: float = 0.95,
    n_resamples: int = 1999,
    random_state: Any = None,
) -> Interval:
    """Compute a bootstrap interval of any statistic of rows.

    Parameters
    ----------
    statistic : callable
        Of the arrays, such as ``sklearn.metrics.f1_score``.
    *arrays : array-like
        Arrays with one entry a row, such as labels, predictions and weights; resampled together.
    method : {"bca", "percentile"}, default="bca"
        Whether the quantiles are corrected for bias and skewness.
    level : float, default=0.95
        The approximate probability that the interval covers the truth.
    n_resamples : int, default=1999
        How many resamples are drawn. Those on which the statistic is undefined, as the area under
        a ROC curve is on rows of one class, leave the interval unknown.
    random_state : int, RandomState or None, default=None
        Of the resamples.

    Returns
    -------
    Interval
        With ends of NaN where all resamples give the same value, or some give none.

    Examples
    --------
    >>> import numpy as np
    >>> y, said = np.zeros(40), np.tile([0.5, -1.0, 2.0, 0.5], 10)
    >>> interval = bootstrap(lambda a, b: np.abs(a - b).mean(), y, said, random_state=0)
    >>> interval.value, 0.7 < interval.low < 1.0 < interval.high < 1.4
    (1.0, True)
    """
    check_share("bootstrap", "level", level)
    check_choice("bootstrap", "method", method, tuple(METHODS))
    check_number("bootstrap", "n_resamples", n_resamples, 1, whole=True)
    check_consistent_length(*arrays)
    columns = [np.asarray(column) for column in arrays]
    rows = np.arange(len(columns[0]))

    def of_rows(drawn: NDArray[np.intp]) -> float:
        return float(statistic(*(column[drawn] for column in columns)))

    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)  # the ends of NaN say so
        found = stats.bootstrap(
            (rows,),
            of_rows,
            n_resamples=n_resamples,
            vectorized=False,
            confidence_level=level,
            method=METHODS[method],
            random_state=np.random.default_rng(check_random_state(random_state).randint(2**31 - 1)),
        )
    ends = [float(end) for end in found.confidence_interval]
    known = np.ptp(found.bootstrap_distribution) > 0
    low, high = ends if known else (np.nan, np.nan)
    return Interval(of_rows(rows), low, high, level, f"bootstrap, {method}")


def check_share(owner: str, name: str, value: Any) -> None:
    """Raise for values outside [0, 1]."""
    check_number(owner, name, value, 0.0, above=True)
    if value >= 1:
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be a number less than 1."
            f" Got {value!r} instead."
        )

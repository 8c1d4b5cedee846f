r"""Bias and variance of models over repeated training sets, and what members of a vote share.

Let D be a training set, f_D the model fitted to it, x a row and t its label. In squared error

    E (t - f_D(x))^2  =  E (t - m)^2  +  (f - m)^2  +  E (f_D(x) - f)^2
                         noise           bias          variance

with m = E[t | x] and f = E_D f_D(x). In 0-1 loss there is no such sum; that of Domingos ("A unified
bias-variance decomposition for zero-one and squared loss", AAAI 2000) is, with the optimal label
y* = argmax P(t | x) and the main prediction y = the most frequent f_D(x),

    P(t != f_D(x))  =  c N(x)  +  B(x)  +  V_u(x) - V_b(x)

    N(x) = P(t != y*)                       the error of the Bayes rule
    B(x) = I[y != y*]                       bias: 1 where most training sets mislead
    V_u(x) = (1 - B(x)) P(f_D(x) != y)      variance that harms: the main prediction is right
    V_b(x) = B(x) P(f_D(x) = y*)            variance that helps: it is wrong, and some are not
    c N(x) = N(x) P(f_D(x) = y*) - sum over k != y* of P(t = k) P(f_D(x) = k)

of which the last is (2 P(f_D(x) = y*) - 1) N(x) for two classes. All are averaged over rows. Where
P(t | x) is not known, labels are taken for y*, so that noise is counted as bias.

Over R sets the bias of squared error is too large by the variance over R, on average.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from maxmargin.course.training_sets import Repeats, TrainingSets
from maxmargin.evaluation.interval import Interval, student
from maxmargin.evaluation.members import labels, nameless
from maxmargin.evaluation.rows import classifies, named
from maxmargin.inputs.container import count_rows
from maxmargin.inputs.parameters import check_choice

Vector = NDArray[np.float64]

_LOSSES = ("zero_one", "squared_error")


@dataclass(frozen=True)
class BiasVariance:
    """The decomposition of a model's expected error: error = noise + bias + variance.

    Attributes
    ----------
    loss : {"zero_one", "squared_error"}
    error : float
        The mean over rows and training sets.
    noise : float
        The irreducible error, weighted as it counts: for 0-1 loss c N(x).
    bias : float
        The error of the main prediction, or of the mean one.
    variance : float
        The error caused by the variation of training sets; for 0-1 loss variation can help, so it
        may be negative.
    variance_unbiased, variance_biased : float
        Variance that increases and that decreases the error; their difference is ``variance``.
    bayes_error : float
        The error of the best prediction, the mean of N(x); 0 if it is not known.
    errors : ndarray of shape (n_repeats,)
        The expected error of each training set's model.
    main : ndarray of shape (n_rows,) or (n_rows, n_classes)
        The most frequent label of each row, as a class index, or the mean prediction.
    asked : int or None
        The number of training sets requested; a ``time_limit`` may have reduced it.

    Examples
    --------
    Three models of two rows, of which the first is a coin and the second always of class 1:

    >>> said = [[0, 1], [0, 1], [1, 0]]
    >>> print(BiasVariance.of_labels(said, [[0.5, 0.5], [0.0, 1.0]]))
    error 0.4167 = noise 0.0833 + bias 0.0000 + variance 0.3333 (zero_one, 3 training sets)
    """

    loss: str
    error: float
    noise: float
    bias: float
    variance: float
    variance_unbiased: float
    variance_biased: float
    bayes_error: float
    errors: Vector = field(repr=False)
    main: NDArray[Any] = field(repr=False)
    asked: int | None = None

    def __str__(self) -> str:
        terms = f"noise {self.noise:.4f} + bias {self.bias:.4f} + variance {self.variance:.4f}"
        sets = f"{len(self.errors)}{'' if self.complete else f' of {self.asked}'} training sets"
        return f"error {self.error:.4f} = {terms} ({self.loss}, {sets})"

    @property
    def complete(self) -> bool:
        """Whether all training sets asked for were learnt from; otherwise time ran out."""
        return self.asked in (None, len(self.errors))

    @property
    def interval(self) -> Interval:
        """Student's interval of the error, over training sets."""
        return student(self.errors)

    @classmethod
    def of_labels(cls, said: ArrayLike, truth: ArrayLike) -> Self:
        """Take the 0-1 loss of labels apart.

        Parameters
        ----------
        said : array-like of int of shape (n_repeats, n_rows)
            The class that each model names, as its place among the classes.
        truth : array-like of shape (n_rows, n_classes)
            P(t = k | x); a single 1 in each row where only labels are known.

        Returns
        -------
        BiasVariance
        """
        told, p = _check_labels(said, truth)
        row = np.arange(len(p))
        share = np.mean(np.eye(p.shape[1])[told], axis=0)
        best, main = p.argmax(axis=1), share.argmax(axis=1)
        biased, right = main != best, share[row, best]
        harms = np.where(biased, 0.0, 1.0 - share[row, main])
        helps = np.where(biased, right, 0.0)
        noise = right - (p * share).sum(axis=1)  # P(t != f) - P(y* != f)
        return cls._mean(
            "zero_one",
            noise=noise,
            bias=biased,
            harms=harms,
            helps=helps,
            bayes=1.0 - p.max(axis=1),
            errors=1.0 - p[row, told].mean(axis=1),
            main=main,
        )

    @classmethod
    def of_values(cls, said: ArrayLike, mean: ArrayLike, noise: ArrayLike = 0.0) -> Self:
        """Take the squared error of numbers, or of probabilities of classes, apart.

        Parameters
        ----------
        said : array-like of shape (n_repeats, n_rows) or (n_repeats, n_rows, n_classes)
            What each model predicts.
        mean : array-like of shape (n_rows,) or (n_rows, n_classes)
            E[t | x], or the numbers themselves.
        noise : array-like of shape (n_rows,), default=0.0
            The variance of t given x.

        Returns
        -------
        BiasVariance
        """
        told, m = np.asarray(said, np.float64), np.asarray(mean, np.float64)
        if told.ndim < 2 or told.shape[1:] != m.shape:
            raise ValueError(
                f"Predictions of the shape {told.shape} and means of the shape {m.shape} are not of"
                " the same rows: give a line of predictions for each training set."
            )
        f, rows = told.mean(axis=0), _check_variance(noise, len(m))
        return cls._mean(
            "squared_error",
            noise=rows,
            bias=_by_row((f - m) ** 2),
            harms=_by_row(((told - f) ** 2).mean(axis=0)),
            helps=np.zeros(len(m)),
            bayes=rows,
            errors=np.array([_by_row((each - m) ** 2).mean() for each in told]) + rows.mean(),
            main=f,
        )

    @classmethod
    def _mean(cls, loss: str, *, errors: Vector, main: NDArray[Any], **rows: Any) -> Self:
        """Average over rows."""
        terms = (
            float(np.mean(rows[name])) for name in ("noise", "bias", "harms", "helps", "bayes")
        )
        noise, bias, harms, helps, bayes = terms
        variance = harms - helps
        error = noise + bias + variance
        return cls(loss, error, noise, bias, variance, harms, helps, bayes, errors, main)


def _check_labels(said: ArrayLike, truth: ArrayLike) -> tuple[NDArray[np.intp], Vector]:
    """Raise for invalid class indices, and for probabilities of other rows."""
    told, p = np.asarray(said), _check_probabilities(np.asarray(truth, np.float64))
    if told.ndim != 2 or told.shape[1] != len(p):
        raise ValueError(
            f"Labels of the shape {told.shape} and probabilities of the shape {p.shape} are not of"
            " the same rows: give a line of labels for each training set."
        )
    if told.dtype.kind not in "iub" or not ((told >= 0) & (told < p.shape[1])).all():
        raise ValueError(
            f"Labels must be places among the classes, whole numbers from 0 to {p.shape[1] - 1}."
        )
    return told.astype(np.intp), p


def _check_probabilities(p: Vector) -> Vector:
    sums = p.sum(axis=1) if p.ndim == 2 else np.nan
    if not (p >= 0.0).all() or not np.allclose(sums, 1.0, rtol=0.0, atol=1e-6):
        raise ValueError("truth must hold probabilities: at least 0, and 1 together in a row.")
    return p


def _check_variance(variance: ArrayLike, n_rows: int) -> Vector:
    given = np.asarray(variance, np.float64)
    if given.shape not in ((), (n_rows,), (n_rows, 1)):
        raise ValueError(
            f"The variance of t must be a number, or one for each of {n_rows} rows, but has the"
            f" shape {given.shape}."
        )
    if not (np.isfinite(given) & (given >= 0.0)).all():
        raise ValueError("The variance of t must be finite and at least 0.")
    return np.broadcast_to(given.ravel() if given.ndim else given, (n_rows,))


def _by_row(squares: Vector) -> Vector:
    """Add up classes."""
    return squares if squares.ndim == 1 else squares.sum(axis=1)


def bias_variance(
    models: Any,
    X: Any,
    y: Any = None,
    *,
    sample: Any = None,
    truth: Any = None,
    loss: str | None = None,
    n_repeats: int = 50,
    random_state: Any = None,
    time_limit: float | None = None,
    callback: Callable[[int, int], object] | None = None,
    verbose: int = 0,
) -> dict[str, BiasVariance]:
    """Fit models to repeatedly drawn training sets, and decompose their errors.

    Parameters
    ----------
    models : estimator, mapping of str to estimator, or list of estimators
        All learn from the same training sets.
    X : array-like or DataFrame of shape (n_rows, n_columns)
        Test rows. Without ``sample``, a random half of them is used for testing, and every training
        set is a half of the others.
    y : array-like of shape (n_rows,), default=None
        Their labels or numbers; not needed with ``sample`` and ``truth``.
    sample : callable, default=None
        Function of a ``RandomState`` that draws a training set: X and y.
    truth : array-like or pair of array-like, default=None
        For classes P(t | x) for the rows of X, a column for each class in their order, or for two
        classes that of the second; for numbers the pair of E[t | x] and the variance of t given x.
        Only with ``sample``. None treats y as the truth, and counts noise as bias.
    loss : {"zero_one", "squared_error"}, default=None
        None means the 0-1 loss for classifiers and the squared error for regressors. For
        classifiers the squared error is that of ``predict_proba``, summed over classes.
    n_repeats : int, default=50
        Number of training sets.
    random_state : int, RandomState or None, default=None
        Seed for the training sets.
    time_limit : float, default=None
        Seconds after which no new training set is started. The errors of the earlier ones, at least
        two, are returned, and ``complete`` is False. Ctrl-C raises.
    callback : callable, default=None
        Called with the number of fits done and of all fits.
    verbose : int, default=0
        Print progress, the elapsed time and the time left: 1 about once a second, 2 after every
        fit. With 0 these lines go only to the logger "maxmargin".

    Returns
    -------
    dict of str to BiasVariance

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import AdaBoostClassifier, DecisionStump
    >>> def sample(random, n=100):
    ...     X = random.uniform(-1.0, 1.0, (n, 2))
    ...     return X, np.sign(X.sum(axis=1))
    >>> X, y = sample(np.random.RandomState(1), 500)
    >>> models = {"stump": DecisionStump(), "boosted": AdaBoostClassifier(n_estimators=50)}
    >>> found = bias_variance(models, X, y, sample=sample, n_repeats=20, random_state=0)
    >>> found["boosted"].bias < found["stump"].bias
    True
    """
    found = named(models)
    classify = classifies(found, np.array([0, 1]))  # what y holds is known when it is drawn
    loss = loss or ("zero_one" if classify else "squared_error")
    check_choice("bias_variance", "loss", loss, _LOSSES if classify else _LOSSES[1:])
    _check_truth(y, sample, truth)
    sets = TrainingSets.of("bias_variance", X, y, sample, n_repeats, random_state, classify)
    problem = _Classes(loss, truth) if classify else _Numbers(truth, count_rows(sets.X))
    repeats = Repeats("bias_variance", n_repeats, time_limit, callback, verbose)
    said = repeats.ask(found, sets, lambda fitted: problem.ask(fitted, sets.X))
    judged = {name: problem.judge(told, sets) for name, told in said.items()}
    return {name: replace(each, asked=n_repeats) for name, each in judged.items()}


def _check_truth(y: Any, sample: Any, truth: Any) -> None:
    if truth is not None and sample is None:
        raise ValueError(
            "truth needs a sample: without one only half of the rows of X are judged, drawn at"
            " random."
        )
    if y is None and truth is None:
        raise ValueError("bias_variance needs y, or the truth about the rows of X.")


class _Classes:
    """Labels, or probabilities of classes, which are known when all models are fitted."""

    def __init__(self, loss: str, truth: Any) -> None:
        self._loss, self._truth = loss, truth
        self._classes: NDArray[Any] | None = None

    def ask(self, model: Any, X: Any) -> Any:
        self._learn(model.classes_)
        if self._loss == "zero_one":
            return model.predict(X)
        if not hasattr(model, "predict_proba"):
            raise TypeError(
                f"{type(model).__name__} has no predict_proba, of which the squared error is taken;"
                " choose loss='zero_one'."
            )
        return model.classes_, model.predict_proba(X)

    def _learn(self, classes: NDArray[Any]) -> None:
        known = self._classes
        self._classes = classes if known is None else np.union1d(known, classes)

    def judge(self, said: list[Any], sets: TrainingSets) -> BiasVariance:
        if sets.y is not None:
            self._learn(np.unique(sets.y))
        assert self._classes is not None
        p = self._probabilities(sets)
        if self._loss == "zero_one":
            return BiasVariance.of_labels(np.searchsorted(self._classes, np.array(said)), p)
        values = np.zeros((len(said), *p.shape))
        for each, (classes, told) in zip(values, said, strict=True):
            each[:, np.searchsorted(self._classes, classes)] = told
        return BiasVariance.of_values(values, p, (p * (1.0 - p)).sum(axis=1))

    def _probabilities(self, sets: TrainingSets) -> Vector:
        assert self._classes is not None
        count = len(self._classes)
        if self._truth is None:
            assert sets.y is not None
            return np.eye(count)[np.searchsorted(self._classes, sets.y)]
        p = np.asarray(self._truth, np.float64)
        p = np.column_stack([1.0 - p, p]) if p.ndim == 1 else p
        if p.shape != (np.shape(sets.X)[0], count):
            raise ValueError(
                f"truth must give P(t | x) for {np.shape(sets.X)[0]} rows and {count} classes, but"
                f" has the shape {np.shape(self._truth)}."
            )
        return _check_probabilities(p)


class _Numbers:
    """Numbers with a mean and a variance."""

    def __init__(self, truth: Any, n_rows: int) -> None:
        if truth is not None and not (isinstance(truth, tuple) and len(truth) == 2):
            raise ValueError("truth must be a pair of numbers, E[t | x] and the variance of t.")
        self._truth = None if truth is None else self._checked(*truth, n_rows)

    @staticmethod
    def _checked(mean: Any, variance: Any, n_rows: int) -> tuple[Vector, Vector]:
        """Return a mean and a variance for each row; a column is flattened."""
        m = np.asarray(mean, np.float64)
        if m.shape not in ((n_rows,), (n_rows, 1)):
            raise ValueError(
                f"truth must give E[t | x] for {n_rows} rows, but has the shape {m.shape}."
            )
        if not np.isfinite(m).all():
            raise ValueError("truth must give a finite E[t | x] for every row.")
        return m.ravel(), _check_variance(variance, n_rows)

    def ask(self, model: Any, X: Any) -> Any:
        return column_or_1d(model.predict(X))

    def judge(self, said: list[Any], sets: TrainingSets) -> BiasVariance:
        if self._truth is None:
            assert sets.y is not None
            return BiasVariance.of_values(said, sets.y)
        return BiasVariance.of_values(said, *self._truth)


@dataclass(frozen=True)
class MemberCorrelation:
    """The correlation of the members of a vote.

    Attributes
    ----------
    predictions : float
        The mean correlation of two members' predictions, over rows and pairs of members; with
        several classes that of their indicators. Constant members are left out.
    errors : float
        The mean correlation of two members' errors: of 0 and 1, or of their residuals.
    member_error : float
        The average error of a member; for regressors the mean squared error.
    error : float
        The error of the whole ensemble.
    n_members : int

    Examples
    --------
    >>> from maxmargin.boosting import BaggingClassifier
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> bag = BaggingClassifier(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> shared = member_correlation(bag, X[1::2], y[1::2])
    >>> 0.5 < shared.predictions < 1.0
    True
    """

    predictions: float
    errors: float
    member_error: float
    error: float
    n_members: int


def member_correlation(model: Any, X: Any, y: Any) -> MemberCorrelation:
    """Measure the correlation of the errors of an ensemble's members on new rows.

    Parameters
    ----------
    model : ensemble
        Fitted, with ``estimators_``: AdaBoost, bagging or a forest, ours or scikit-learn's, of
        classes or numbers; or a Pipeline that ends in one.
    X, y
        Rows, and their labels or numbers.

    Returns
    -------
    MemberCorrelation

    Notes
    -----
    An average of B predictions of variance s^2 and pairwise correlation r has the variance
    r s^2 + (1 - r) s^2 / B: more members remove the second term, and only members that differ the
    first (Hastie, Tibshirani and Friedman, section 15.2, where correlation is over training sets;
    here it is over rows).
    """
    check_is_fitted(model)
    rows = X
    if isinstance(model, Pipeline):
        rows, model = model[:-1].transform(X), model[-1]
    if not hasattr(model, "estimators_"):
        raise TypeError(
            f"{type(model).__name__} has no estimators_: correlations are those of an ensemble's"
            " members."
        )
    target = np.asarray(y)
    if is_classifier(model):
        return _of_classes(model, rows, target)
    said = np.array([each.predict(nameless(rows)) for each in model.estimators_])
    off = said - target
    error = np.mean((model.predict(rows) - target) ** 2)
    return _correlation(said[:, :, None], off, float(np.mean(off**2)), float(error))


def _of_classes(model: Any, rows: Any, target: NDArray[Any]) -> MemberCorrelation:
    places = np.array(list(labels(model, rows)))
    wrong = (places != np.searchsorted(model.classes_, target)).astype(np.float64)
    error = float(np.mean(model.predict(rows) != target))
    indicators = np.eye(len(model.classes_))[places]
    return _correlation(indicators, wrong, float(wrong.mean()), error)


def _correlation(said: Vector, off: Vector, member_error: float, error: float) -> MemberCorrelation:
    alike = _mean_pairwise(said), _mean_pairwise(off[:, :, None])
    return MemberCorrelation(*alike, member_error, error, len(said))


def _mean_pairwise(said: Vector) -> float:
    """Average the correlations of all pairs: (|sum of z|^2 - B) / (B (B - 1)) for z of length 1."""
    centred = (said - said.mean(axis=1, keepdims=True)).reshape(len(said), -1)
    length = np.linalg.norm(centred, axis=1)
    differing = length > 1e-12 * np.abs(said).max(initial=1.0)
    z, count = centred[differing] / length[differing, None], int(differing.sum())
    if count < 2:
        return float("nan")
    return float((np.sum(z.sum(axis=0) ** 2) - count) / (count * (count - 1)))

"""From ten rows to a million a split that was found is placed, and is the best there is.

The judge adds up all splits of every column in extended precision, one row after the other.
"""

from functools import cache

import numpy as np
import pytest

from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier, Columns, DecisionStump

LONG = np.longdouble
TARGETS = ["two values", "five values", "many values"]


@cache
def table(n):
    """Two columns with a signal: one without ties, one with few values and some missing."""
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.normal(size=n), np.round(3 * rng.normal(size=n))])
    taste = X[:, 0] + 0.2 * X[:, 1] + 2.0 * rng.normal(size=n)
    X[rng.random(n) < 0.1, 1] = np.nan
    return X, Columns(X), taste, rng.random(n) ** 3


@cache
def sorted_rows(n, j):
    """The rows by their values, the places after which the value differs, and those without one."""
    x = table(n)[0][:, j]
    order = np.argsort(x)[: np.count_nonzero(~np.isnan(x))]
    return order, np.append(np.flatnonzero(np.diff(x[order])), len(order) - 1), np.isnan(x)


def numbers(taste, kind):
    """Targets whose mean is no short number, so that nothing cancels by luck."""
    if kind == "two values":
        return (taste > 0.3) * 0.7
    return np.digitize(taste, [-2, -0.5, 1, 3]) / 3 if kind == "five values" else taste


class Squares:
    """Least squares, with weights or without."""

    def __init__(self, taste, weight, kind, weighted):
        y = numbers(taste, kind)
        self.weight = weight if weighted else np.ones(len(y))
        self._given = (self.weight * y, weight if weighted else None)
        self.rows = np.stack([self.weight * y, self.weight], axis=1)

    def ask(self, columns):
        return columns.best_square(*self._given)

    def score(self, side):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(side[..., 1] > 0, side[..., 0] ** 2 / side[..., 1], 0)


class Gini(Squares):
    """Gini's index of two classes."""

    def __init__(self, taste, weight):
        t = np.where(taste > 0.3, 1.0, -1.0)
        self.rows = np.stack([weight * t, weight], axis=1)

    def ask(self, columns):
        return columns.best_square(self.rows[:, 0].copy(), criterion="gini")


class Edge:
    """The edge of two classes."""

    def __init__(self, taste, weight):
        high = taste > 0.3
        self.rows = np.stack([np.where(high, weight, 0), np.where(high, 0, weight)], axis=1)

    def ask(self, columns):
        return columns.best_sign(self.rows[:, 0] - self.rows[:, 1])

    def score(self, side):
        return side.max(axis=-1)


class Classes:
    """Error or Gini's index of five classes."""

    def __init__(self, taste, weight, criterion):
        self._label, self._weight = np.digitize(taste, [-2, -0.5, 1, 3]), weight
        self._criterion = criterion
        self.rows = np.eye(5)[self._label] * weight[:, None]

    def ask(self, columns):
        return columns.best_classes(self._label, self._weight, 5, self._criterion)

    def score(self, side):
        if self._criterion == "error":
            return side.max(axis=-1)
        weight = side.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(weight > 0, (side**2).sum(axis=-1) / weight, 0)


QUESTIONS = {
    **{
        f"squares of {kind}{', weighted' * weighted}": lambda s, w, k=kind, v=weighted: Squares(
            s, w, k, v
        )
        for kind in TARGETS
        for weighted in (False, True)
    },
    "gini of two classes": Gini,
    "edge": Edge,
    "error of five classes": lambda s, w: Classes(s, w, "error"),
    "gini of five classes": lambda s, w: Classes(s, w, "gini"),
}


def both_sides(question, sides, total):
    return question.score(sides) + question.score(total - sides)


def best_of_all(question, X):
    """The largest score of all splits, missing values on either side, and that of none."""
    rows = question.rows.astype(LONG)
    total, best = rows.sum(axis=0), -np.inf
    for j in range(X.shape[1]):
        order, ends, absent = sorted_rows(len(X), j)
        sides = np.cumsum(rows[order], axis=0)[ends]
        missing = rows[absent].sum(axis=0)
        best = max(best, *(both_sides(question, s, total).max() for s in (sides, sides + missing)))
    return best, both_sides(question, np.zeros_like(total), total)


@pytest.mark.parametrize("n", [10, 100, 3_000, 100_000, 1_000_000])
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_split_is_the_best_one(name, n):
    X, columns, taste, weight = table(n)
    question = QUESTIONS[name](taste, weight)
    split = question.ask(columns)
    assert split.feature >= 0
    assert np.isfinite(split.threshold) or np.isnan(X[:, split.feature]).any()
    right = columns.right_side(split)
    np.testing.assert_array_equal(right, split.right_side(X))
    rows = question.rows.astype(LONG)
    found = both_sides(question, rows[right].sum(axis=0), rows.sum(axis=0))
    best, none = best_of_all(question, X)
    assert found - none >= (1 - 1e-9) * (best - none)
    if name != "edge":  # whose gain is 2 (found - 1/2)
        assert split.gain == pytest.approx(float(found - none), rel=1e-9)


def test_classes_of_many_rows_are_learnt():
    rng = np.random.default_rng(4)
    x = rng.normal(size=100_000)
    y = x + rng.normal(size=100_000) > 0
    for model in (
        BoostingClassifier(n_estimators=5),
        AdaBoostClassifier(DecisionStump("gini"), n_estimators=5),
    ):
        model.fit(x[:, None], y)
        assert len(model.estimators_) == 5
        assert all(np.isfinite(member.threshold_) for member in np.ravel(model.estimators_))


def test_a_constant_target_has_no_split():
    """0.1 less the mean of ten of them is rounding alone."""
    x = np.arange(10.0)[:, None]
    for value in (0.1, -0.3, 1e-170, 1e100 / 3):
        assert Columns(x).best_square(np.full(10, value)).feature == -1
        assert Columns(x).best_square(np.full(10, value) * 0.7, np.full(10, 0.7)).feature == -1

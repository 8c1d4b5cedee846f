"""The best split of presorted columns is the best of all splits, tried one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import roc_auc_score

from maxmargin.boosting import (
    AdaBoostClassifier,
    BoostingClassifier,
    Columns,
    RegressionStump,
    Split,
)
from maxmargin.datasets import load_ten_points
from maxmargin.trees.criterion import signal_share

KINDS = ["sign", "square", "gini", "error of classes", "gini of classes"]
seeds = st.integers(0, 2**32 - 1)


def edge(one, two):
    return abs(one - two)


def explained(one, two):
    return sum(g * g / h for g, h in (one, two) if h > 0)


def right_classes(one, two):
    return one.max() + two.max()


def purity(one, two):
    return sum((c * c).sum() / c.sum() for c in (one, two) if c.sum() > 0)


class Question:
    """A criterion, its score of a split, and the columns' answer."""

    def __init__(self, kind, rng, n):
        self.kind = kind
        # Few different weights, so that many splits tie.
        self.weight = rng.integers(0 if n > 3 else 1, 4, size=n) / 8
        self.weight[0] += 0.125
        self.label = rng.integers(3, size=n)
        self.t = rng.choice([-1.0, 1.0], size=n)
        self.y = rng.integers(-2, 3, size=n) + 0.0

    def ask(self, columns):
        weight = self.weight
        if self.kind == "sign":
            return columns.best_sign(weight * self.t)
        if self.kind == "square":
            return columns.best_square(weight * self.y, weight)
        if self.kind == "gini":
            return columns.best_square(weight * self.t, weight, "gini")
        return columns.best_classes(self.label, weight, 3, self.kind.split()[0])

    def score(self, right):
        sides = [~right, right]
        w = self.weight
        if self.kind == "sign":
            return edge(*((w * self.t)[side].sum() for side in sides))
        if self.kind in ("square", "gini"):
            y = self.y if self.kind == "square" else self.t
            return explained(*(((w * y)[side].sum(), w[side].sum()) for side in sides))
        classes = (np.bincount(self.label[side], w[side], 3) for side in sides)
        return (right_classes if "error" in self.kind else purity)(*classes)

    def gain(self, right):
        """What a split with this right side is to report."""
        none = self.score(np.zeros(len(right), bool))
        return self.score(right) - (0.0 if self.kind == "sign" else none)


def splits_of_numbers(x):
    """All right sides of a numeric column, by threshold."""
    missing, values = np.isnan(x), np.unique(x[~np.isnan(x)])
    thresholds = [*(values[:-1] + np.diff(values) / 2), np.inf]
    for threshold in thresholds:
        right = x > threshold
        yield threshold, right
        if missing.any():
            yield threshold, right | missing


def splits_of_categories(x, how):
    groups = np.unique(x[~np.isnan(x)]).tolist()
    for chosen in product([False, True], repeat=len(groups)):
        right = np.isin(x, [g for g, c in zip(groups, chosen, strict=True) if c])
        if how == "subset" or sum(chosen) <= 1:
            yield np.nan, right
            yield np.nan, right | np.isnan(x)


def table(rng, n, d, missing):
    X = rng.integers(0, rng.choice([2, 3, 6, 50]), size=(n, d)).astype(float)
    X[:, rng.random(d) < 0.2] = 1.0
    X[rng.random((n, d)) < missing] = np.nan
    return X


def brute_force(question, X, categorical, how):
    """The best score, and the first feature and threshold that reach it."""
    found = []
    for j in range(X.shape[1]):
        every = splits_of_categories(X[:, j], how) if categorical[j] else splits_of_numbers(X[:, j])
        found += [(question.score(right), j, threshold) for threshold, right in every]
    best = max([score for score, _, _ in found], default=-np.inf)
    first = next(((j, h) for score, j, h in found if score >= best - 1e-9), None)
    return best, first


@pytest.mark.parametrize("kind", KINDS)
@given(seeds, st.integers(1, 12), st.integers(1, 4), st.sampled_from([0.0, 0.2, 0.9]))
def test_numbers(kind, seed, n, d, missing):
    rng = np.random.default_rng(seed)
    X, question = table(rng, n, d, missing), Question(kind, rng, n)
    columns = Columns(X)
    split = question.ask(columns)
    best, (feature, threshold) = brute_force(question, X, np.zeros(d, bool), "subset")
    none = question.score(np.zeros(n, bool))
    right = split.right_side(X)
    assert question.score(right) == pytest.approx(max(best, none), abs=1e-12)
    assert split.gain == pytest.approx(question.gain(right), abs=1e-12)
    np.testing.assert_array_equal(columns.right_side(split), right)
    if best > none + 1e-9:
        assert (split.feature, split.threshold) == (feature, threshold)
    else:
        assert split.feature == -1


@pytest.mark.parametrize("how", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("kind", KINDS)
@given(seeds, st.integers(1, 12), st.integers(1, 3), st.sampled_from([0.0, 0.2, 0.9]))
def test_categories(kind, how, seed, n, d, missing):
    rng = np.random.default_rng(seed)
    X, question = table(rng, n, d, missing) % 6, Question(kind, rng, n)
    categorical = rng.random(d) < 0.7
    if "classes" in kind:  # no subsets of several classes
        how = "one_vs_rest"
    columns = Columns(X, categorical, how)
    split = question.ask(columns)
    best, (feature, _) = brute_force(question, X, categorical, how)
    none = question.score(np.zeros(n, bool))
    right = split.right_side(X)
    assert question.score(right) == pytest.approx(max(best, none), abs=1e-12)
    np.testing.assert_array_equal(columns.right_side(split), right)
    assert split.feature == (feature if best > none + 1e-9 else -1)


@pytest.mark.parametrize("kind", KINDS)
@given(seeds)
def test_the_leaves_are_the_best_ones(kind, seed):
    rng = np.random.default_rng(seed)
    X, question = table(rng, 10, 2, 0.1), Question(kind, rng, 10)
    split = question.ask(Columns(X))
    right = split.right_side(X)
    for side, leaf in ((~right, split.left), (right, split.right)):
        w = question.weight[side]
        if w.sum() == 0:
            continue
        if kind == "square":
            assert leaf == pytest.approx(np.average(question.y[side], weights=w), abs=1e-12)
        elif "classes" in kind:
            assert leaf == np.bincount(question.label[side], w, 3).argmax()
        elif kind == "gini":
            assert leaf == (1.0 if w @ question.t[side] > 1e-12 else -1.0)
    if kind == "sign":
        said = np.where(right, split.right, split.left)
        assert (question.weight * question.t) @ said == pytest.approx(split.gain)


@pytest.mark.parametrize("kind", KINDS)
@given(seeds, st.sampled_from(["csr", "csc"]))
def test_sparse_columns_are_split_as_dense_ones(kind, seed, form):
    rng = np.random.default_rng(seed)
    X = table(rng, 15, 4, 0.1) - 1.0
    X[rng.random(X.shape) < 0.6] = 0.0
    question, matrix = Question(kind, rng, 15), sparse.csr_array(X).asformat(form)
    dense, stored = Columns(X), Columns(matrix)
    split = question.ask(stored)
    want = question.ask(dense)
    assert (split.feature, split.threshold) == (want.feature, want.threshold)
    assert split.gain == pytest.approx(want.gain, abs=1e-12)
    np.testing.assert_array_equal(stored.right_side(split), split.right_side(X))
    np.testing.assert_array_equal(split.right_side(matrix), split.right_side(X))


def test_stored_zeros_and_repeated_entries_of_a_sparse_matrix():
    rows, columns = [0, 1, 1, 2, 3], [0, 0, 0, 0, 0]
    matrix = sparse.coo_array(([0.0, 1.0, 1.0, -1.0, -0.0], (rows, columns)), shape=(5, 1)).tocsr()
    matrix.data = matrix.data.copy()
    split = Columns(matrix).best_sign(np.array([-1.0, 1.0, -1.0, -1.0, -1.0]))
    assert (split.feature, split.threshold) == (0, 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_any_number_of_threads_gives_the_same_bits(kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 9)).astype(dtype)
    X[:, 3] = np.round(X[:, 3])
    question = Question(kind, rng, len(X))
    question.weight = rng.random(len(X))
    splits = [question.ask(Columns(X, n_jobs=n_jobs)) for n_jobs in (1, 2, 3)]
    assert splits[0] == splits[1] == splits[2]
    assert splits[0].feature >= 0


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("kind", KINDS)
def test_a_long_run_is_searched_in_parts_as_it_is_in_one(kind, missing, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100_000, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    X[rng.random(X.shape) < missing] = np.nan
    question = Question(kind, rng, len(X))
    found = [question.ask(Columns(X, n_jobs=n_jobs)) for n_jobs in (1, 3)]
    monkeypatch.setattr("maxmargin.trees.sorted_block.SIZE", 1 << 40)
    whole = question.ask(Columns(X))
    monkeypatch.setattr("maxmargin.trees.sorted_block.SIZE", 1_000)
    found += [question.ask(Columns(X, n_jobs=2))]
    assert found == [whole] * 3


def test_three_rounds_on_the_ten_points_ask_the_questions_of_the_lectures():
    X, t = load_ten_points(return_X_y=True)
    columns, weight, asked = Columns(X), np.full(10, 0.1), []
    for _ in range(3):
        split = columns.best_sign(weight * t)
        said = split.values(X)
        error = weight[said != t].sum()
        weight = weight * np.exp(-0.5 * np.log((1 - error) / error) * t * said)
        weight /= weight.sum()
        asked.append((split.feature, split.threshold))
    assert asked == [(0, 2.5), (0, 8.5), (1, 4.5)]


def test_equal_features_give_the_first_and_equal_thresholds_the_smallest():
    x = np.arange(6.0)
    columns = Columns(np.column_stack([np.zeros(6), x, x, -x]))
    split = columns.best_sign(np.array([1.0, -1.0, -1.0, -1.0, 1.0, 1.0]) * 0.1)
    assert (split.feature, split.threshold) == (1, 3.5)
    split = columns.best_sign(np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]) * 0.1)
    assert (split.feature, split.threshold) == (1, 0.5)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_constant_columns_are_not_split(n):
    columns = Columns(np.ones((n, 2)))
    assert columns.best_sign(np.full(n, -1.0)) == Split(left=-1.0, right=-1.0, gain=n)
    assert columns.best_square(np.ones(n)) == Split(left=1.0, right=1.0)
    assert columns.best_classes(np.ones(n, int), np.ones(n), 3).left == 1.0


def test_columns_with_nothing_in_them_are_not_split():
    columns = Columns(np.full((4, 2), np.nan))
    signed = np.array([1.0, -1.0, 1.0, -1.0])
    assert columns.best_sign(signed).feature == -1
    assert columns.best_square(signed, np.ones(4)).feature == -1


def test_missing_or_not_is_a_split():
    X = np.array([[np.nan], [1.0], [2.0], [np.nan]])
    split = Columns(X).best_sign(np.array([1.0, -1.0, -1.0, 1.0]))
    assert (split.threshold, split.missing_right, split.right) == (np.inf, True, 1.0)


def test_missing_values_never_seen_go_where_more_rows_are():
    x = np.arange(5.0).reshape(-1, 1)
    early = Columns(x).best_sign(np.array([1.0, -1.0, -1.0, -1.0, -1.0]))
    late = Columns(x).best_sign(np.array([1.0, 1.0, 1.0, 1.0, -1.0]))
    assert (early.missing_right, late.missing_right) == (True, False)
    codes = np.array([[0.0], [0.0], [0.0], [1.0]])
    split = Columns(codes, [True]).best_sign(np.array([1.0, 1.0, 1.0, -1.0]))
    assert split.missing_right == split.categories[0]


EXTREMES = [
    (np.float64, [1.0, np.nextafter(1.0, 2.0)]),
    (np.float32, [1.0, np.nextafter(np.float32(1.0), np.float32(2.0))]),
    (np.float64, [-1e308, 1e308]),
    (np.float32, [-3e38, 3e38]),
    (np.float64, [0.0, 5e-324]),
    (np.float64, [-5e-324, 0.0]),
    (np.float32, [0.0, 1e-45]),
    (np.float64, [-5e-324, 5e-324]),
    (np.float32, [16777216.0, 16777218.0]),
]


@pytest.mark.parametrize(("dtype", "values"), EXTREMES)
def test_a_threshold_separates_in_the_precision_of_the_input(dtype, values):
    X = np.array(values, dtype=dtype).reshape(-1, 1)
    columns = Columns(X)
    split = columns.best_sign(np.array([-1.0, 1.0]))
    np.testing.assert_array_equal(split.right_side(X), [False, True])
    np.testing.assert_array_equal(columns.right_side(split), [False, True])


def test_zero_has_no_sign():
    X = np.array([[-0.0], [0.0], [-0.0], [1.0]])
    split = Columns(X).best_sign(np.array([-1.0, 1.0, -1.0, 1.0]))
    assert split.threshold == 0.5


@given(seed=st.integers(0, 2**32 - 1))
def test_ties_of_missing_values_do_not_depend_on_the_storage(seed):
    rng = np.random.default_rng(seed)
    X = rng.choice([np.nan, -1.0, 0.0, 0.0, 1.0], size=(rng.integers(2, 9), 2))
    signed = rng.choice([-1.0, 1.0], len(X)) / len(X)
    dense, stored = (Columns(rows).best_sign(signed) for rows in (X, sparse.csc_matrix(X)))
    assert (dense.feature, dense.missing_right) == (stored.feature, stored.missing_right)
    np.testing.assert_array_equal(dense.right_side(X), stored.right_side(X))


# sides that are too light, categories that are too many


def heavy_enough(x, weight, share, right):
    """Whether both sides have their share; a split of numbers leaves missing ones aside."""
    here = ~np.isnan(x)
    sides = weight[here & right].sum(), weight[here & ~right].sum()
    if (right[here] == right[here][:1]).all():  # missing or not
        sides = weight[here].sum(), weight[~here].sum()
    return min(sides) >= share * weight.sum() - 1e-12


@pytest.mark.parametrize("kind", KINDS)
@given(seeds, st.integers(3, 14), st.sampled_from([0.0, 0.3]), st.sampled_from([0.1, 0.25, 0.5]))
def test_both_sides_have_their_share(kind, seed, n, missing, share):
    rng = np.random.default_rng(seed)
    X, question = table(rng, n, 2, missing), Question(kind, rng, n)
    weight = rng.integers(1, 4, size=n).astype(float)
    columns = Columns(X, weight=weight, min_weight_fraction_leaf=share)
    split = question.ask(columns)
    right, none = split.right_side(X), question.score(np.zeros(n, bool))
    np.testing.assert_array_equal(columns.right_side(split), right)
    assert split.gain == pytest.approx(question.gain(right), abs=1e-12)
    if split.feature >= 0:
        assert heavy_enough(X[:, split.feature], weight, share, right)
    best = max(
        [
            question.score(side)
            for x in X.T
            for _, side in splits_of_numbers(x)
            if not np.isnan(x).any() and heavy_enough(x, weight, share, side)
        ],
        default=none,
    )
    assert question.score(right) >= max(best, none) - 1e-9


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_groups_of_categories_have_their_share(share):
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 5, size=60).astype(float), rng.normal(size=60)
    y[codes == 2] += 5.0
    weight = np.where(codes == 2, 0.01, 1.0)
    free, held = (
        Columns(codes[:, None], [True], weight=weight, min_weight_fraction_leaf=least)
        for least in (0.0, share)
    )
    assert set(np.flatnonzero(free.best_square(y).categories)) == {2}
    right = held.best_square(y).right_side(codes[:, None])
    assert min(weight[right].sum(), weight[~right].sum()) >= share * weight.sum()


def many_categories(signal):
    """Four hundred categories of 25 rows each, and a hundred more of a single row each."""
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(10_000) % 400, 400 + np.arange(100)])
    effect = rng.normal(size=500)
    y = signal * effect[codes] + rng.normal(size=len(codes))
    return codes.astype(float)[:, None], y - y.mean(), effect


def test_rare_categories_go_where_missing_values_go():
    x, y, _ = many_categories(1.0)
    columns = Columns(x, [True], min_category_weight=10.0)
    split = columns.best_square(y)
    assert (split.categories[400:] == split.missing_right).all()
    assert 0 < np.count_nonzero(split.categories[:400]) < 400
    np.testing.assert_array_equal(columns.right_side(split), split.right_side(x))
    few = Columns(x % 10, [True], min_category_weight=1e9)
    assert few.best_square(y).feature == 0  # ten categories are told apart whatever they weigh


def asked(kind, columns, y):
    """The same question of numbers, of two classes and of three."""
    weight, label = np.full(len(y), 1 / len(y)), np.digitize(y, [-0.5, 0.5])
    if kind == "sign":
        return columns.best_sign(weight * np.sign(y))
    if kind == "square":
        return columns.best_square(y)
    if kind == "gini":
        return columns.best_square(weight * np.sign(y), weight, "gini")
    return columns.best_classes(label, weight, 3, kind.split()[0])


@pytest.mark.parametrize("kind", KINDS)
def test_what_chance_gives_many_categories_does_not_count(kind):
    """A column of noise is left for one that says a little; one with a signal is not."""
    for signal, expected in ((0.0, 0), (1.0, 1)):
        x, y, _ = many_categories(signal)
        number = 0.1 * y + np.random.default_rng(1).normal(size=len(y))
        X = np.column_stack([number, x])
        plain = asked(kind, Columns(X, [False, True], "subset"), y)
        smooth = asked(kind, Columns(X, [False, True], "subset", category_smoothing=True), y)
        if "classes" in kind:  # of several one category stands against the rest, and gains little
            assert smooth.feature == 0
        else:
            assert (plain.feature, smooth.feature) == (1, expected)


@pytest.mark.parametrize("classes", [1, 3])
def test_the_share_of_a_signal(classes):
    """With 25 rows a category and an effect of variance s, chance has 1 of 1 + 25 s parts."""
    for signal in (0.0, 0.1, 1.0):
        x, y, _ = many_categories(np.sqrt(signal))
        columns = np.stack([y] * classes, axis=1) if classes > 1 else y
        share = signal_share(columns[:10_000], np.ones(10_000), x[:10_000, 0].astype(int), 401)
        assert share == pytest.approx(1 - 1 / (1 + 25 * signal), abs=0.1)


def test_a_column_of_noise_categories_does_no_harm():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(8_000, 4))
    y = rows[:, 0] + np.abs(rows[:, 1]) + rng.normal(size=8_000) > 0.8
    X = np.column_stack([rows, rng.integers(0, 800, size=8_000)])
    train, test = slice(0, 4_000), slice(4_000, None)
    plain = RegressionStump(
        categorical_features=[4], min_category_weight=0.0, category_smoothing=False
    )

    def area(model, columns=slice(None)):
        model.fit(X[train, columns], y[train])
        return roc_auc_score(y[test], model.decision_function(X[test, columns]))

    without = area(BoostingClassifier(n_estimators=40), slice(0, 4))
    assert area(BoostingClassifier(estimator=plain, n_estimators=40)) < without - 0.05
    assert area(BoostingClassifier(categorical_features=[4], n_estimators=40)) > without - 0.002
    assert area(AdaBoostClassifier(categorical_features=[4], n_estimators=40)) > without - 0.02

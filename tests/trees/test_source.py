"""Columns from any source are split alike, and need not all be in memory."""

import weakref

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from maxmargin.boosting import AdaBoostClassifier, BoostingRegressor, Columns
from maxmargin.boosting.samme import Samme
from maxmargin.boosting.training_set import RowVotes
from maxmargin.boosting.weak_learner import PresortedStump
from maxmargin.ensembles.rounds import RoundLimits, Stop, boost
from maxmargin.ops.clock import Clock
from maxmargin.trees import ColumnSource
from maxmargin.trees import columns as module
from maxmargin.trees.sorted_block import SortedBlock
from maxmargin.trees.source import Entries, source_of

RNG = np.random.default_rng(0)
ROWS, WIDTH = 200, 30
X = RNG.normal(size=(ROWS, WIDTH)).round(1)
X[RNG.random(X.shape) < 0.1] = np.nan
X[:, 7] = RNG.integers(4, size=ROWS)
T = np.where(np.nansum(X[:, 10:15], axis=1) > 0, 1.0, -1.0)
WEIGHT = RNG.random(ROWS)


class Alive:
    """Counts what is alive, and the most there ever was."""

    def __init__(self):
        self.now = self.most = 0

    def watch(self, thing, count=1):
        self.now += count
        self.most = max(self.most, self.now)
        weakref.finalize(thing, self.drop, count)

    def drop(self, count):
        self.now -= count


class Computed(ColumnSource):
    """Columns that are made anew whenever they are read."""

    def __init__(self, X):
        super().__init__(*X.shape)
        self._X, self.alive, self.reads = X, Alive(), 0

    def read(self, columns):
        made = [self._X[:, j].copy() for j in columns]
        self.reads += len(made)
        for values in made:
            self.alive.watch(values)
        return [Entries(values) for values in made]


def questions(columns):
    label = np.digitize(np.nan_to_num(X[:, 12]), [-0.5, 0.5])
    yield columns.best_sign(WEIGHT * T)
    yield columns.best_square(WEIGHT * np.nan_to_num(X[:, 20]), WEIGHT)
    yield columns.best_square(WEIGHT * T, WEIGHT, "gini")
    yield columns.best_classes(label, WEIGHT, 3)
    yield columns.best_classes(label, WEIGHT, 3, "gini")


@pytest.mark.parametrize("least", [0.0, 0.2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kept", [1, 2, 7, 100])
def test_blocks_of_any_size_give_the_same_splits(kept, dtype, least):
    categorical = np.arange(WIDTH) == 7
    how = {"categorical": categorical, "weight": WEIGHT, "min_weight_fraction_leaf": least}
    whole = Columns(X.astype(dtype), **how)
    parts = Columns(Computed(X.astype(dtype)), **how, max_bytes=8 * ROWS * kept)
    found = list(questions(whole))
    assert list(questions(parts)) == found
    for split in found:
        np.testing.assert_array_equal(parts.right_side(split), whole.right_side(split))


def test_adaboost_needs_few_columns_at_once(monkeypatch):
    model = AdaBoostClassifier(n_estimators=12).fit(X, T)
    source, in_order = Computed(X), Alive()

    class Watched(SortedBlock):
        def __init__(self, features, columns):
            super().__init__(features, columns)
            in_order.watch(self, len(features))

    monkeypatch.setattr(module, "SortedBlock", Watched)
    label = (T > 0).astype(np.int32)
    with Columns(source, n_jobs=1, max_bytes=8 * ROWS * 5) as columns:
        votes = RowVotes(label, np.ones(ROWS), 2)
        booster = Samme(PresortedStump(columns, label, 2, "error"), votes, 2, 1.0)
        assert boost(booster, RoundLimits(12)) is Stop.ROUNDS
    assert booster.members == [member.split_ for member in model.estimators_]
    np.testing.assert_array_equal(booster.coefficients, model.estimator_weights_)
    assert source.alive.most <= 5  # a block that is sorted, and one column looked at
    assert in_order.most <= 5 + 5 + 1  # kept, passing, and the one found last
    assert source.reads > 12 * (WIDTH - 5)


def test_what_fits_is_read_once():
    source = Computed(X)
    columns = Columns(source, max_bytes=4 * ROWS * WIDTH)
    assert source.reads == WIDTH
    columns.best_sign(WEIGHT * T)
    assert source.reads == WIDTH + 1  # for the threshold


@pytest.mark.parametrize("order", ["C", "F"])
def test_models_of_columns_on_disk_are_those_of_columns_in_memory(tmp_path, order):
    on_disk = np.memmap(tmp_path / "X", np.float64, "w+", shape=X.shape, order=order)
    on_disk[:] = X
    for model in (AdaBoostClassifier(n_estimators=9), BoostingRegressor(n_estimators=9)):
        here = model.fit(X, T).predict(X)
        before = [member.split_ for member in np.ravel(model.estimators_)]
        np.testing.assert_array_equal(model.fit(on_disk, T).predict(on_disk), here)
        assert [member.split_ for member in np.ravel(model.estimators_)] == before


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_a_source_of_a_matrix_has_its_columns(form):
    dense = np.where(RNG.random((6, 5)) < 0.5, 0.0, RNG.normal(size=(6, 5)))
    source = source_of(form(dense))
    assert (source.n_rows, source.n_columns) == (6, 5)
    assert source_of(source) is source
    for j, entries in zip((1, 2, 4), source.read(np.array([1, 2, 4])), strict=True):
        np.testing.assert_array_equal(entries.dense(6), dense[:, j])
        assert [source.column(j).at(i) for i in range(6)] == dense[:, j].tolist()


def test_entries_stored_twice_are_added_up():
    twice = sparse.csc_array(([1.0, 2.0, 5.0], [2, 2, 0], [0, 3]), shape=(4, 1))
    column = source_of(twice).column(0)
    assert column.dense(4).tolist() == [5.0, 0.0, 3.0, 0.0]
    assert len(twice.data) == 3  # the user's matrix is left as it was


def test_whole_numbers_are_numbers():
    columns = Columns(np.arange(-2, 3)[:, None])
    assert columns.best_sign(np.array([-1.0, -1.0, 1.0, 1.0, 1.0])).threshold == -0.5


def test_columns_that_would_be_sorted_in_every_round_are_left_out_when_time_is_up():
    clock = Clock(0.0)
    with pytest.warns(ConvergenceWarning, match="28 of 30 are not searched"):
        columns = Columns(X, n_jobs=1, clock=clock, max_bytes=8 * ROWS * 2)
    assert columns.best_sign(WEIGHT * T).feature in (-1, 0, 1)

"""Long fits end at a time limit with what they have, and at Ctrl-C with nothing changed."""

import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

from maxmargin.neighbors import (
    CondensedNeighbors,
    EditedNeighbors,
    KNeighborsClassifierCV,
    KNeighborsRegressorCV,
)
from maxmargin.ops.clock import TimeUp, watch

RNG = np.random.default_rng(0)
NOISE = RNG.integers(0, 2, size=80_000)
ROWS = RNG.normal(size=(80_000, 8))
AT_ONCE = 1e-9


@pytest.mark.parametrize("kind", [KNeighborsClassifierCV, KNeighborsRegressorCV])
def test_k_is_then_chosen_by_the_rows_left_out_so_far(kind):
    X, y = np.sort(ROWS[:400, :2], axis=0), np.repeat([0, 1], 200)  # one class after the other
    model = kind(5, time_limit=AT_ONCE).fit(X, y)
    assert not model.complete_
    assert model.n_judged_ == 64
    whole = kind(5, time_limit=1e9).fit(X, y)
    assert (whole.complete_, whole.n_judged_) == (True, 400)
    found, all_rows = (each.cv_results_["mean_test_score"] for each in (model, whole))
    np.testing.assert_allclose(found, all_rows, atol=0.06)
    assert len(model.predict(X)) == 400


def test_rows_not_judged_are_kept():
    X, y = ROWS[:400, :2], NOISE[:400]
    whole, cut = (EditedNeighbors(time_limit=limit).fit(X, y) for limit in (None, AT_ONCE))
    assert (whole.complete_, cut.complete_) == (True, False)
    assert set(whole.edited_indices_) < set(cut.edited_indices_)
    assert 400 - 64 <= cut.n_kept_ < 400


def test_hart_keeps_the_first_rows_he_stored_and_the_triangulation_drops_none():
    X, y = ROWS[:400, :2], NOISE[:400]
    whole, cut = (CondensedNeighbors(time_limit=limit).fit(X, y) for limit in (None, AT_ONCE))
    assert (whole.complete_, cut.complete_) == (True, False)
    assert cut.condensed_indices_.tolist() == whole.condensed_indices_[:1].tolist()
    rows, labels = ROWS[:250, :5], NOISE[:250]
    cells = CondensedNeighbors(method="voronoi", time_limit=AT_ONCE).fit(rows, labels)
    assert (cells.complete_, cells.n_kept_) == (False, 250)


LONG = [
    KNeighborsClassifierCV(),
    KNeighborsClassifierCV(algorithm="brute"),
    EditedNeighbors(),
    CondensedNeighbors(),
    CondensedNeighbors(method="voronoi"),
]


def fit(model, n=80_000):
    if getattr(model, "method", "") == "voronoi":
        return model.fit(ROWS[:300, :5], NOISE[:300])
    return model.fit(ROWS[:n], NOISE[:n])


@pytest.mark.parametrize("model", LONG, ids=repr)
def test_ctrl_c_raises_and_changes_nothing(model):
    model = clone(model).fit(ROWS[:50, :2], NOISE[:50])
    before = dict(vars(model))
    main = threading.main_thread().ident
    finger = threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGINT))
    begun = time.process_time()
    finger.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            fit(model)
    finally:
        finger.cancel()
    assert time.process_time() - begun < 3.0
    assert all(vars(model)[name] is value for name, value in before.items())
    assert list(vars(model)) == list(before)


@pytest.mark.parametrize("model", LONG, ids=repr)
def test_a_limit_around_the_fit_ends_it(model):
    with watch(AT_ONCE), pytest.raises(TimeUp):
        fit(clone(model), n=5000)

"""LPBoost: the vote of the largest soft margin, against the program written out over all stumps."""

import signal
import threading
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import (
    AdaBoostClassifier,
    DecisionStump,
    LPBoostClassifier,
    Optimality,
    Stop,
    soft_margin,
)
from maxmargin.boosting.soft_margin import _feasible, stagewise
from maxmargin.datasets import load_mixture, load_ten_points
from maxmargin.storage import load_model, save_model

TEN = load_ten_points(return_X_y=True)
MIXTURE = load_mixture(return_X_y=True)
FEW = MIXTURE[0][::4], MIXTURE[1][::4]  # fifty rows


def all_stumps(X):
    """What every stump says of the rows: each threshold, either way round; the last is constant."""
    above = [column > cut for column in X.T for cut in np.unique(column)]
    return np.unique([side if up else ~side for side in above for up in (False, True)], axis=0)


def largest_soft_margin(X, label, nu, share):
    """Solve the primal program over all stumps at once."""
    Z = np.where(all_stumps(X) == label, 1.0, -1.0).T
    n, m = Z.shape
    solved = linprog(
        np.concatenate([np.zeros(m), [-1.0], share / nu]),
        A_ub=np.hstack([-Z, np.ones((n, 1)), -np.eye(n)]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([np.ones(m), np.zeros(n + 1)])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)] + [(0, None)] * n,
    )
    return -solved.fun


CASES = {
    "hard": (*FEW, 0.02, None),
    "soft": (*FEW, 0.3, None),
    "weighted": (*FEW, 0.2, np.random.default_rng(0).uniform(0.2, 2.0, size=50)),
}


@pytest.mark.parametrize(("X", "y", "nu", "weight"), CASES.values(), ids=CASES)
def test_the_optimum_is_that_of_the_program_over_all_stumps(X, y, nu, weight):
    model = LPBoostClassifier(nu=nu).fit(X, y, sample_weight=weight)
    given = np.ones(len(y)) if weight is None else weight
    share, best = given / given.sum(), largest_soft_margin(X, y, nu, given / given.sum())
    assert model.stop_ is Stop.OPTIMAL
    assert "would raise the soft margin" in model.stop_.sentence
    assert model.optimality_.proved
    assert model.optimality_.value == pytest.approx(best, abs=1e-8)
    assert model.optimality_.bound == pytest.approx(best, abs=1e-6)
    margins = model.margins(X, y)
    assert soft_margin(margins, nu, given) == pytest.approx(best, abs=1e-8)
    # no more than nu of the rows below rho, and the dual weights are where the margin is small
    assert share[margins < model.rho_ - 1e-9].sum() <= nu + 1e-9
    assert (model.weights_ <= share / nu * (1 + 1e-9)).all()
    assert model.weights_[margins > model.rho_ + 1e-7].max(initial=0.0) <= 1e-9
    assert model.estimator_weights_.sum() == pytest.approx(1.0)


def test_every_round_s_bound_holds_and_the_value_rises():
    X, y = FEW
    model = LPBoostClassifier(nu=0.3).fit(X, y)
    best = largest_soft_margin(X, y, 0.3, np.full(50, 0.02))
    value, gap = -model.history_.column("loss"), model.history_.column("gap")
    assert (value <= best + 1e-9).all()
    assert (value + gap >= best - 1e-9).all()
    assert (np.diff(value) >= -1e-9).all()
    assert model.history_[-1].train_error == pytest.approx(1 - model.score(X, y), abs=1e-12)


@pytest.mark.parametrize("rounds", [1, 3, 8])
def test_a_fit_cut_short_says_how_far_it_is(rounds):
    X, y = FEW
    with pytest.warns(ConvergenceWarning, match=r"ended \(ROUNDS\)|no vote of a positive"):
        model = LPBoostClassifier(nu=0.3, n_estimators=rounds).fit(X, y)
    best = largest_soft_margin(X, y, 0.3, np.full(50, 0.02))
    assert model.stop_ is Stop.ROUNDS
    assert not model.optimality_.proved
    assert model.optimality_.value <= best + 1e-9 <= model.optimality_.bound + 2e-9


def test_joint_fitting_beats_stagewise_on_its_own_measure_with_fewer_stumps():
    X, y = FEW
    joint = LPBoostClassifier(nu=0.3).fit(X, y)
    boosted = AdaBoostClassifier(n_estimators=400).fit(X, y)
    assert soft_margin(joint.margins(X, y), 0.3) > soft_margin(boosted.margins(X, y), 0.3)
    assert len(joint) < len(boosted) / 4


def test_ten_points_three_equal_votes_have_the_largest_smallest_margin():
    X, y = TEN
    model = LPBoostClassifier(nu=0.1).fit(X, y)  # a tenth of ten rows is the worst one
    np.testing.assert_allclose(model.estimator_weights_, 1 / 3, rtol=1e-9)
    assert model.margins(X, y).min() == pytest.approx(1 / 3)
    assert AdaBoostClassifier(n_estimators=3).fit(X, y).margins(X, y).min() < 0.1


def test_a_time_limit_or_a_callback_keeps_the_rounds_so_far():
    with pytest.warns(ConvergenceWarning, match="or more rounds and time"):
        model = LPBoostClassifier(nu=0.3, time_limit=0.0).fit(*MIXTURE)
    assert (model.stop_, len(model.history_), len(model)) == (Stop.TIME_LIMIT, 1, 1)
    model = LPBoostClassifier(nu=0.3, callback=lambda made: made.round == 3).fit(*MIXTURE)
    assert (model.stop_, len(model.history_)) == (Stop.CALLBACK, 3)


def test_ctrl_c_raises_or_keeps_the_rounds_so_far():
    def interrupt(made):
        if made.round == 3:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    model = LPBoostClassifier(nu=0.3, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*MIXTURE)
    assert not hasattr(model, "classes_")
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model.set_params(on_interrupt="keep").fit(*MIXTURE)
    assert model.stop_ is Stop.INTERRUPTED
    assert 3 <= len(model.history_) <= 4
    assert model.optimality_.value <= model.optimality_.bound


@pytest.mark.parametrize("make", [pl.DataFrame, sparse.csr_matrix, np.float32, np.ndarray.tolist])
def test_rows_may_come_in_any_container(make):
    X, y = np.round(FEW[0], 1), FEW[1].astype(str)  # which single precision tells apart
    model, other = LPBoostClassifier(nu=0.3).fit(X, y), LPBoostClassifier(nu=0.3).fit(make(X), y)
    assert other.optimality_.value == pytest.approx(model.optimality_.value, abs=1e-9)
    np.testing.assert_array_equal(other.predict(make(X)), model.predict(X))


def test_a_model_comes_back_from_a_file(tmp_path):
    model = LPBoostClassifier(nu=0.3).fit(*FEW)
    save_model(tmp_path / "model", model)
    again = load_model(tmp_path / "model").value
    assert again.optimality_ == model.optimality_
    np.testing.assert_array_equal(again.decision_function(FEW[0]), model.decision_function(FEW[0]))


def test_a_stump_without_error_is_the_whole_vote():
    model = LPBoostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert (len(model), model.optimality_.value, model.stop_) == (1, 1.0, Stop.OPTIMAL)


def test_weights_are_repetitions_and_rows_of_weight_0_are_left_out():
    X, y = FEW
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    a = LPBoostClassifier(nu=0.3).fit(X, y, sample_weight=weight)
    b = LPBoostClassifier(nu=0.3).fit(X[rows], y[rows])
    assert a.optimality_.value == pytest.approx(b.optimality_.value, abs=1e-8)
    assert (a.weights_[weight == 0] == 0).all()


@pytest.mark.parametrize("weak", [DecisionTreeClassifier(max_depth=2), DecisionStump("gini")])
def test_what_is_not_searched_exactly_is_not_proved(weak):
    model = LPBoostClassifier(weak, n_estimators=30, nu=0.3, random_state=0).fit(*FEW)
    assert not model.optimality_.proved
    assert model.optimality_.bound == 1.0
    assert np.isnan(model.history_.column("gap")).all()
    assert clone(model).fit(*FEW).estimator_weights_.tolist() == model.estimator_weights_.tolist()


def test_weights_of_a_loose_solver_are_made_feasible():
    caps = np.array([0.5, 0.5, 0.4])
    for loose in ([0.5, 0.5 + 1e-9, -1e-9], [0.3, 0.3, 0.3], [0.5, 0.5, 0.3]):
        u = _feasible(np.array(loose), caps)
        assert u.sum() == pytest.approx(1.0, abs=1e-15)
        assert ((u >= 0) & (u <= caps)).all()


def test_with_nu_1_the_mean_margin_is_largest_and_one_stump_has_it():
    X, y = FEW
    model, stump = LPBoostClassifier(nu=1.0).fit(X, y), DecisionStump().fit(X, y)
    assert model.optimality_.proved
    assert model.optimality_.value == pytest.approx(1 - 2 * stump.error_)
    np.testing.assert_allclose(model.weights_, 1 / 50, rtol=1e-12)


def test_the_soft_margin_lies_between_the_smallest_margin_and_the_mean():
    margins = np.array([0.5, -0.5, 0.25, 1.0])
    assert soft_margin(margins, 1e-9) == -0.5
    assert soft_margin(margins, 1.0) == pytest.approx(margins.mean())
    assert soft_margin(margins, 0.5, sample_weight=[1, 3, 0, 0]) == -0.5


def test_bad_parameters_and_rows_are_refused_in_a_sentence():
    for options, sentence in (
        ({"nu": 0.0}, "'nu' parameter of LPBoostClassifier must be a number greater than 0"),
        ({"nu": 1.5}, "must be at most 1, since it is a share"),
        ({"nu": "most"}, "'nu' parameter of LPBoostClassifier must be"),
        ({"tol": -1.0}, "'tol' parameter"),
        ({"n_estimators": 0}, "'n_estimators' parameter"),
    ):
        with pytest.raises(ValueError, match=sentence):
            LPBoostClassifier(**options).fit(*TEN)
    crosswise = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(ValueError, match="y has 3 classes, which OneVsRestClassifier"):
        LPBoostClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(ValueError, match="has an edge of 0 over random guessing"):
        LPBoostClassifier().fit(crosswise, [0, 0, 1, 1])


def noisy(n, seed=0):
    """Draw rows of which a sixth at least are of the other class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1).astype(int)


def test_by_default_noisy_rows_give_a_proved_vote_as_good_as_adaboost_s():
    (X, y), other = noisy(300), noisy(4000, seed=1)
    model = LPBoostClassifier().fit(X, y)
    assert model.nu_ == pytest.approx(2.02 * DecisionStump().fit(X, y).error_)
    assert model.optimality_.proved
    assert model.optimality_.value > 0.0
    assert model.score(*other) > AdaBoostClassifier(n_estimators=len(model)).fit(X, y).score(*other)


def test_by_default_a_single_question_is_a_vote_too():
    X, y = np.array([[0.0]] * 10 + [[1.0]] * 10), np.array([0] * 8 + [1] * 8 + [0] * 4)
    model = LPBoostClassifier().fit(X, y)
    assert model.optimality_.proved
    assert model.score(X, y) == DecisionStump().fit(X, y).score(X, y)


def test_members_never_cancel_each_other_and_a_warning_says_what_they_do_instead():
    """With a nu far below the noise, h and -h have a soft margin of 0, and no vote found more."""
    X, y = noisy(2000)
    with pytest.warns(ConvergenceWarning, match="no vote of a positive soft margin for nu=0.05"):
        model = LPBoostClassifier(nu=0.05, n_estimators=12).fit(X, y)
    assert not model.optimality_.proved
    assert model.optimality_.value == pytest.approx(soft_margin(model.margins(X, y), 0.05))
    boosted = AdaBoostClassifier(n_estimators=12).fit(X, y)
    assert model.score(X, y) > max(boosted.score(X, y) - 0.02, 0.7)


def test_members_that_vote_stagewise_have_the_margins_of_adaboost():
    X, y = FEW
    boosted = AdaBoostClassifier(n_estimators=6).fit(X, y)
    wrong = [member.predict(X) != y for member in boosted]
    margins = 1.0 - 2.0 * stagewise(wrong, np.full(50, 0.02)) @ wrong
    np.testing.assert_allclose(margins, boosted.margins(X, y), rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("heavier", [0, 1])
def test_a_tie_goes_to_the_class_with_more_weight(heavier):
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 0, 1])
    model = LPBoostClassifier().fit(X, y, sample_weight=np.where(y == heavier, 3.0, 1.0))
    model._keep_members([model._stumps[0], flipped(model._stumps[0])])
    model.estimator_weights_ = np.array([0.1 + 0.2, 0.3])  # which differ by rounding
    np.testing.assert_array_equal(model.predict(X), heavier)
    np.testing.assert_array_equal(model.decision_function(X) > 0, heavier == 1)


def flipped(split):
    return replace(split, left=split.right, right=split.left)


def test_optimality_tells_its_gap():
    short = Optimality(value=0.25, bound=0.5, tol=1e-6)
    assert (short.gap, short.proved) == (0.25, False)
    assert Optimality(0.5, 0.5 - 1e-17, 0.0).proved

"""Fully corrective boosting against a plain loop, a general minimiser and brute force."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin import losses, plots
from maxmargin.boosting import (
    AdaBoostClassifier,
    BoostingClassifier,
    BoostingRegressor,
    DecisionStump,
    LPBoostClassifier,
    Stop,
)
from maxmargin.boosting.corrective import Correction, minimise_parabola
from maxmargin.boosting.objective import RowObjective
from maxmargin.course.plots import replay
from maxmargin.datasets import load_ten_points, make_overlapping
from maxmargin.evaluation import members
from maxmargin.inputs.parameters import ParameterError
from maxmargin.ops.threads import Workers
from maxmargin.storage import load_model, save_model

X, y = make_overlapping(150, separation=1.5, n_features=4, random_state=0)
T = np.where(y == y.max(), 1.0, -1.0)
NUMBERS = load_diabetes(return_X_y=True)


def fit_all(objective, a):
    """A general minimiser, with bounds, of a function that gives value and gradient."""
    bounds, options = [(0.0, None)] * len(a), {"ftol": 0.0, "gtol": 1e-13, "maxiter": 20_000}
    return minimize(objective, a, jac=True, bounds=bounds, method="L-BFGS-B", options=options)


def exponential(h, t, share, ridge):
    """Mean exponential loss with ridge, and its gradient."""

    def value(a):
        rows = share * np.exp(-t * (h @ a))
        return rows.sum() + 0.5 * ridge * a @ a, -h.T @ (t * rows) + ridge * a

    return value


def obvious(X, t, share, rounds, ridge):
    """The algorithm as written: the best stump of the weights, then all coefficients."""
    h, a = np.empty((len(t), 0)), np.empty(0)
    for _ in range(rounds):
        weight = share * np.exp(-t * (h @ a))
        member = DecisionStump().fit(X, t, sample_weight=weight / weight.sum())
        h, a = np.column_stack([h, member.predict(X)]), np.append(a, 0.1)
        found = fit_all(exponential(h, t, share, ridge), a)
        a = found.x
    return a, found.fun


@pytest.mark.parametrize("ridge", [1e-2, 1e-4])
def test_rounds_are_those_of_the_plain_loop(ridge):
    model = AdaBoostClassifier(n_estimators=12, corrective=True, ridge=ridge).fit(X, y)
    a, value = obvious(X, T, np.full(len(X), 1 / len(X)), 12, ridge)
    np.testing.assert_allclose(model.alphas_, a, atol=2e-5)
    assert model.optimality_.primal == pytest.approx(value, rel=1e-9)
    assert model.optimality_.primal <= value * (1 + 1e-12)
    assert model.optimality_.proved
    assert (model.alphas_ >= 0).all()


SMOOTH = [
    losses.Exponential(),
    losses.Logistic(),
    losses.SquaredHinge(),
    losses.Squared(),
    losses.ModifiedHuber(),
    losses.SquaredError(),
    losses.Huber(),
    losses.Poisson(),
]


def problem(loss, seed, workers, rows=40, members=6, ridge=1e-3):
    """Random members in a joint problem, and its value with gradient in plain NumPy."""
    rng = np.random.default_rng(seed)
    t = np.where(rng.random(rows) < 0.6, 1.0, -1.0)
    t = np.abs(rng.normal(size=rows)) if loss.name == "poisson" else t
    weight, h = rng.random(rows) + 0.1, rng.normal(size=(rows, members))
    h[:, 0] = np.where(h[:, 0] > 0, 1.0, -1.0) * 10.0 ** rng.integers(-3, 4)
    joint = Correction(RowObjective(loss, t, weight, workers), 0.3, ridge, workers)
    for column in h.T:
        joint.add(column)
    share = weight / weight.sum()
    bend = share @ loss.curvature(np.full(rows, 0.3), t)
    price = ridge * (bend or 1.0) * (share @ h**2)

    def value(a):
        z = 0.3 + h @ a
        total = share @ loss.value(z, t) + 0.5 * price @ a**2
        return total, h.T @ (share * loss.derivative(z, t)) + price * a

    return joint, value, h


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: loss.name)
def test_coefficients_are_the_minimum_and_the_dual_is_below_it(loss):
    for seed in range(8):
        with Workers(1) as workers:
            joint, value, h = problem(loss, seed, workers)
            fit = joint.fit(np.zeros(h.shape[1]))
            assert fit.optimality.proved
            assert value(fit.a)[0] == pytest.approx(fit.optimality.primal, rel=1e-12)
            scale = np.abs(h).max(axis=0)
            found = fit_all(lambda b, v=value, s=scale: (v(b / s)[0], v(b / s)[1] / s), fit.a)
            slack = 1e-12 * abs(found.fun)
            assert fit.optimality.dual - slack <= found.fun
            assert fit.optimality.primal <= found.fun * (1 + 1e-9) + slack
            rng = np.random.default_rng(seed)
            for size in (0.0, 1e-6, 0.1, 2.0):  # whatever the point, the bound is one
                a = np.abs(fit.a + size * rng.normal(size=len(fit.a)) / scale)
                said = joint.value(a).optimality
                assert said.dual <= fit.optimality.primal * (1 + 1e-12)
                assert said.primal >= fit.optimality.dual * (1 - 1e-12)


def test_members_of_any_scale_are_the_same_function():
    rng = np.random.default_rng(0)
    h, t = rng.normal(size=(50, 4)), np.where(rng.random(50) < 0.5, 1.0, -1.0)
    fits = []
    for scale in (np.ones(4), np.array([1e-6, 1.0, 1e3, 1e8])):
        with Workers(1) as workers:
            joint = Correction(
                RowObjective(losses.Logistic(), t, np.ones(50), workers), 0.0, 1e-4, workers
            )
            for column in (h * scale).T:
                joint.add(column)
            fits.append((joint.fit(np.zeros(4)), scale))
    (one, _), (other, scale) = fits
    np.testing.assert_allclose(other.a * scale, one.a, rtol=1e-6, atol=1e-9)
    assert other.optimality.proved


def test_a_parabola_over_the_positive_quadrant_meets_its_conditions():
    rng = np.random.default_rng(0)
    for d in (1, 2, 7, 30):
        A, q = rng.normal(size=(d, d)), rng.normal(size=d)
        Q = A @ A.T + 1e-3 * np.eye(d)
        b = minimise_parabola(Q, q, rng.random(d) < 0.5)
        slope = Q @ b + q
        assert (b >= 0).all()
        assert (slope > -1e-8).all()
        np.testing.assert_allclose(b * slope, 0.0, atol=1e-7)


def all_stumps(X):
    """Both signs of every split of every column."""
    splits = []
    for column in np.asarray(X, np.float64).T:
        values = np.unique(column)
        for cut in np.append(-np.inf, 0.5 * (values[1:] + values[:-1])):
            splits += [np.where(column > cut, 1.0, -1.0), np.where(column > cut, -1.0, 1.0)]
    return np.array(splits).T


def test_no_vote_of_all_stumps_is_better_than_the_gap_of_a_round_says():
    X, t = load_ten_points(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=6, corrective=True, ridge=0.02).fit(X, t)
    h, share = all_stumps(X), np.full(10, 0.1)
    gaps, lost = model.history_.column("gap"), model.history_.column("loss")
    for made in range(1, len(model) + 1):
        budget = 0.5 * model._weights_after(made).sum()

        def price(b, total=budget):
            """Loss over b >= 0 of this sum, by its shares."""
            s = b.sum() + 1e-300
            rows = share * np.exp(-t * (h @ (total * b / s)))
            slope = -h.T @ (t * rows) * total
            return rows.sum(), (slope - slope @ b / s) / s

        best = fit_all(price, np.ones(h.shape[1])).fun
        assert lost[made - 1] - gaps[made - 1] <= best + 1e-9
    assert gaps[-1] < gaps[0]


def test_a_round_lowers_the_loss_at_least_as_much_as_adaboosts_step():
    ridge = 1e-6
    joint = AdaBoostClassifier(n_estimators=20, corrective=True, ridge=ridge).fit(X, y)
    stage = AdaBoostClassifier(n_estimators=20).fit(X, y)
    e, lost = joint.estimator_errors_, np.append(1.0, joint.bounds_["product"])
    price = [0.5 * ridge * np.square(joint._weights_after(m) / 2).sum() for m in range(1, 21)]
    step = np.append(0.0, price[:-1]) + 0.5 * ridge * (0.5 * np.log((1 - e) / e)) ** 2
    allowed = lost[:-1] * 2 * np.sqrt(e * (1 - e)) + step
    assert (lost[1:] + price <= allowed + 1e-12).all()
    assert lost[-1] < 0.97 * stage.bounds_["product"][-1]
    assert (joint.bounds_.error <= joint.bounds_["product"]).all()
    assert np.isnan(joint.bounds_.exponential).all()


def test_rows_that_can_be_told_apart_have_finite_coefficients():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=30, corrective=True).fit(X[:, :10], y)
    assert model.score(X[:, :10], y) == 1.0
    assert np.isfinite(model.alphas_).all()
    assert model.optimality_.proved
    perfect = AdaBoostClassifier(corrective=True, ridge=1e-3).fit([[0.0], [1.0]], [0, 1])
    assert perfect.stop_ is Stop.PERFECT
    a = perfect.alphas_[0]  # where exp(-a) = ridge a
    assert np.exp(-a) == pytest.approx(1e-3 * a, rel=1e-6)


MODELS = {
    "AdaBoost": AdaBoostClassifier(n_estimators=15, corrective=True),
    "trees": AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=2), n_estimators=6, corrective=True, random_state=0
    ),
    "samples": AdaBoostClassifier(
        n_estimators=8, corrective=True, resample=True, random_state=0, ridge=1e-3
    ),
    "leaves": BoostingClassifier(n_estimators=15, corrective=True),
    "signs": BoostingClassifier("exponential", DecisionStump(), n_estimators=9, corrective=True),
    "regression": BoostingRegressor(n_estimators=15, corrective=True),
    "poisson trees": BoostingRegressor(
        "poisson", DecisionTreeRegressor(max_depth=2), n_estimators=6, corrective=True
    ),
}
every_model = pytest.mark.parametrize("name", MODELS)


def data_of(name):
    return NUMBERS if name in ("regression", "poisson trees") else (X, y)


def values_of(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def staged_of(model, X):
    staged = "staged_decision_function" if hasattr(model, "classes_") else "staged_predict"
    return [values.copy() for values in getattr(model, staged)(X)]


def coefficients_of(model):
    return model.alphas_ if hasattr(model, "alphas_") else model.coefficients_[:, 0]


@every_model
def test_stages_are_the_models_of_fewer_rounds(name):
    A, b = data_of(name)
    model = clone(MODELS[name]).fit(A, b)
    stages = staged_of(model, A)
    assert len(stages) == len(coefficients_of(model)) == len(model.history_)
    np.testing.assert_array_equal(stages[-1], values_of(model, A))
    for made in (1, 4):
        fewer = clone(MODELS[name]).set_params(n_estimators=made).fit(A, b)
        np.testing.assert_array_equal(stages[made - 1], values_of(fewer, A))


@every_model
def test_a_warm_start_goes_on_to_the_same_bits(name):
    A, b = data_of(name)
    whole = clone(MODELS[name]).fit(A, b)
    begun = clone(MODELS[name]).set_params(n_estimators=3, warm_start=True).fit(A, b)
    begun.set_params(n_estimators=whole.n_estimators).fit(A, b)
    np.testing.assert_array_equal(coefficients_of(begun), coefficients_of(whole))
    np.testing.assert_array_equal(staged_of(begun, A)[4], staged_of(whole, A)[4])
    with pytest.raises(ValueError, match="goes on with corrective=True"):
        begun.set_params(corrective=False).fit(A, b)


@every_model
def test_threads_and_watching_change_no_bit(name):
    A, b = data_of(name)
    models = [
        clone(MODELS[name]).set_params(n_jobs=1),
        clone(MODELS[name]).set_params(n_jobs=3),
        clone(MODELS[name]).set_params(n_jobs=2, callback=lambda made: None, time_limit=600),
    ]
    values = [values_of(model.fit(A, b), A) for model in models]
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])


def test_threads_change_no_bit_of_many_rows():
    A, b = make_overlapping(40_000, separation=1.0, n_features=3, random_state=1)
    one, two = (
        AdaBoostClassifier(n_estimators=5, corrective=True, n_jobs=n).fit(A, b) for n in (1, 2)
    )
    np.testing.assert_array_equal(one.alphas_, two.alphas_)


@every_model
def test_early_stopping_returns_to_the_coefficients_of_the_best_round(name):
    A, b = data_of(name)
    half = len(A) // 2
    watched = {"X_val": A[half:], "y_val": b[half:]}
    options = {"n_iter_no_change": 2, "tol": 0.0, "n_estimators": 40}
    stopped = clone(MODELS[name]).set_params(**options).fit(A[:half], b[:half], **watched)
    rounds = len(stopped.history_)
    plain = clone(MODELS[name]).set_params(n_estimators=rounds)
    plain.fit(A[:half], b[:half], **watched)
    np.testing.assert_array_equal(coefficients_of(stopped), coefficients_of(plain))
    np.testing.assert_array_equal(values_of(stopped, A), values_of(plain, A))


@every_model
def test_the_watched_error_is_that_of_the_stages(name):
    A, b = data_of(name)
    half = len(A) // 2
    model = clone(MODELS[name]).fit(A[:half], b[:half], X_val=A[half:], y_val=b[half:])
    stages = staged_of(model, A[half:])
    if hasattr(model, "alphas_"):
        told = model.history_.column("validation_error")
        found = [np.mean((z > 0) != (b[half:] == model.classes_[1])) for z in stages]
    else:
        told, loss = model.validation_loss_, losses.named(model.loss)
        t = b[half:] if name in ("regression", "poisson trees") else T[half:]
        raw = [r[:, 0] for r in (each.copy() for each in model._staged_raw(A[half:]))]
        found = [loss.value(z, t).mean() for z in raw]
    np.testing.assert_allclose(told, found, rtol=1e-12)


@every_model
def test_a_model_file_keeps_all_stages(name, tmp_path):
    A, b = data_of(name)
    if name in ("trees", "poisson trees"):
        A = A.astype(np.float32)
    model = clone(MODELS[name]).fit(A, b)
    save_model(tmp_path / "model", model)
    again = load_model(tmp_path / "model").value
    for one, other in zip(staged_of(model, A), staged_of(again, A), strict=True):
        np.testing.assert_array_equal(one, other)


@every_model
def test_a_callback_stops_and_what_was_made_is_a_model(name):
    A, b = data_of(name)
    model = clone(MODELS[name]).set_params(callback=lambda made: made.round == 3).fit(A, b)
    fewer = clone(MODELS[name]).set_params(n_estimators=3).fit(A, b)
    assert model.stop_ is Stop.CALLBACK
    np.testing.assert_array_equal(coefficients_of(model), coefficients_of(fewer))


@pytest.mark.parametrize("model", [MODELS["AdaBoost"], MODELS["leaves"]], ids=["signs", "leaves"])
def test_a_weight_of_two_is_a_row_twice(model):
    weight = np.where(np.arange(len(X)) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(X)), weight.astype(int))
    one = clone(model).set_params(n_estimators=5).fit(X, y, sample_weight=weight)
    other = clone(model).set_params(n_estimators=5).fit(X[twice], y[twice])
    np.testing.assert_allclose(values_of(one, X), values_of(other, X), rtol=1e-7, atol=1e-9)


def test_boosting_of_the_exponential_loss_is_the_same_as_adaboost():
    ada = AdaBoostClassifier(n_estimators=12, corrective=True).fit(X, y)
    options = {"n_estimators": 12, "init": "zero", "learning_rate": 1.0, "corrective": True}
    descent = BoostingClassifier("exponential", DecisionStump(), **options).fit(X, y)
    np.testing.assert_allclose(descent.coefficients_[:, 0], ada.alphas_, rtol=1e-9, atol=1e-12)


def test_the_learning_rate_changes_nothing_but_where_the_search_begins():
    fast, slow = (
        BoostingClassifier(n_estimators=8, corrective=True, learning_rate=rate).fit(X, y)
        for rate in (1.0, 0.1)
    )
    np.testing.assert_allclose(
        fast.decision_function(X), slow.decision_function(X), rtol=1e-6, atol=1e-8
    )


def test_several_classes_have_joint_coefficients_each():
    X, y = load_iris(return_X_y=True)
    model = BoostingClassifier(n_estimators=6, corrective=True).fit(X, y)
    assert len(model.optimality_) == 3
    assert all(said.proved for said in model.optimality_)
    plain = BoostingClassifier(n_estimators=6).fit(X, y)
    assert model.train_loss_[-1] < 0.5 * plain.train_loss_[-1]
    with pytest.raises(ValueError, match="fits two classes, and y has 3; give OneVsRest"):
        AdaBoostClassifier(corrective=True).fit(X, y)
    each = OneVsRestClassifier(AdaBoostClassifier(n_estimators=5, corrective=True)).fit(X, y)
    assert each.score(X, y) > 0.9


@pytest.mark.parametrize("loss", ["hinge", losses.Huber(level=0.9), "absolute_error"])
def test_losses_that_newton_cannot_take_are_refused(loss):
    model = BoostingClassifier(loss, corrective=True)
    model = model if loss == "hinge" else BoostingRegressor(loss, corrective=True)
    with pytest.raises(ParameterError, match="convex and smooth, with a curvature"):
        model.fit(X, T)


@pytest.mark.parametrize("kind", [AdaBoostClassifier, BoostingClassifier, BoostingRegressor])
def test_what_contradicts_itself_is_refused(kind):
    with pytest.raises(ParameterError, match="leaves the first coefficient at 1"):
        kind(corrective=True, init="first").fit(X, T)
    with pytest.raises(ParameterError, match="'ridge' parameter"):
        kind(corrective=True, ridge=0.0).fit(X, T)


def test_a_time_limit_leaves_a_whole_model():
    with warnings.catch_warnings(action="ignore"):
        model = AdaBoostClassifier(n_estimators=10_000, corrective=True, time_limit=0.3).fit(X, y)
    assert model.stop_ in (Stop.TIME_LIMIT, Stop.TOO_WEAK)
    assert len(model.alphas_) == len(model.history_) == len(model)
    np.testing.assert_array_equal(staged_of(model, X)[-1], model.decision_function(X))


def test_the_soft_margin_and_the_exponential_loss_are_different_aims():
    """LPBoost has the larger soft margin, the corrective fit the lower exponential loss."""
    joint = AdaBoostClassifier(n_estimators=15, corrective=True).fit(X, y)
    program = LPBoostClassifier(nu=0.7).fit(X, y)
    margin = program.margins(X, y)
    assert joint.bounds_["product"][-1] < np.exp(-margin * joint.alphas_.sum()).mean()


# H_1 = h_1


FIRST = {
    "stumps": AdaBoostClassifier(n_estimators=10, init="first"),
    "trees": AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), init="first", n_estimators=10),
}


@pytest.mark.parametrize("name", FIRST)
def test_the_first_member_counts_one_and_the_rest_is_adaboost(name):
    model = clone(FIRST[name]).fit(X, y)
    assert model.alphas_[0] == 1.0
    t, H = T, np.zeros(len(X))
    for member, alpha, error in zip(model, model.alphas_, model.estimator_errors_, strict=True):
        weight = np.exp(-t * H)
        h = np.where(member.predict(X) == y.max(), 1.0, -1.0)
        assert weight[h != t].sum() / weight.sum() == pytest.approx(error, rel=1e-9)
        if H.any():
            assert alpha == pytest.approx(0.5 * np.log((1 - error) / error), rel=1e-9)
        H += alpha * h
    assert model.history_[-1].loss == pytest.approx(np.exp(-t * H).mean(), rel=1e-9)
    assert (model.bounds_.error <= model.bounds_["product"]).all()
    assert np.isnan(model.bounds_.exponential).all()
    assert model.weights_ == pytest.approx(np.exp(-t * H) / np.exp(-t * H).sum(), rel=1e-8)


def test_the_first_member_counts_one_however_rounds_are_made():
    whole = clone(FIRST["stumps"]).fit(X, y)
    watched = clone(FIRST["stumps"]).set_params(callback=lambda made: None).fit(X, y)
    begun = clone(FIRST["stumps"]).set_params(n_estimators=1, warm_start=True).fit(X, y)
    begun.set_params(n_estimators=10).fit(X, y)
    held = clone(FIRST["stumps"]).set_params(n_iter_no_change=20).fit(X, y, X_val=X, y_val=y)
    rates = clone(FIRST["stumps"]).set_params(learning_rate=0.5).fit(X, y)
    for other in (watched, begun):
        np.testing.assert_array_equal(other.alphas_, whole.alphas_)
        np.testing.assert_array_equal(other.bounds_["product"], whole.bounds_["product"])
    np.testing.assert_array_equal(held.alphas_, whole.alphas_[: len(held)])
    assert rates.alphas_[0] == 1.0
    assert rates.alphas_[1] == pytest.approx(0.5 * whole.alphas_[1])
    with pytest.raises(ValueError, match="goes on with init='first'"):
        begun.set_params(init="zero").fit(X, y)


def test_the_first_member_counts_one_for_several_classes_and_any_loss():
    many = AdaBoostClassifier(n_estimators=4, init="first").fit(*load_iris(return_X_y=True))
    assert many.alphas_[0] == 1.0
    A, b = NUMBERS
    model = BoostingRegressor(n_estimators=4, init="first").fit(A, b)
    h = model.estimators_[0, 0].predict(A)
    np.testing.assert_allclose(next(model.staged_predict(A)), h)
    assert model.constants_ == [0.0]
    assert model.coefficients_[:, 0].tolist() == [1.0, 0.1, 0.1, 0.1]
    sides = np.unique(h)  # the best stump of the targets themselves
    np.testing.assert_allclose(sides, sorted(b[h == side].mean() for side in sides))


# what looks at rounds later


def test_rounds_that_are_played_again_have_the_coefficients_they_had():
    model = AdaBoostClassifier(n_estimators=8, corrective=True).fit(X, y)
    chosen, first = np.arange(1, 9), np.full(len(X), 1 / len(X))
    weights, _ = replay.learned(model, X, y, chosen, first)  # refuses what is not the fit's
    H = next(model.staged_decision_function(X)) * model._path[0] / 2
    again = np.exp(-T * H / 2)
    np.testing.assert_allclose(weights[1], again / again.sum(), rtol=1e-9)
    for made, share in enumerate(members.shares(model, X), 1):
        values = list(model.staged_decision_function(X))[made - 1]
        np.testing.assert_allclose(2 * (share[:, 1] - share[:, 0]), values, atol=1e-12)
    margins = replay.margins(model, X, y, np.array([3]))[3]
    np.testing.assert_allclose(margins, model.margins(X, y, rounds=3), atol=1e-12)


def test_pictures_of_a_model_whose_rounds_fit_all_coefficients():
    model = AdaBoostClassifier(n_estimators=4, corrective=True).fit(X[:, :2], y)
    plots.error_curves(model)
    plots.margin_distribution(model, X[:, :2], y, rounds=[1, 4])
    plots.alphas(model)
    plots.tree(model, X[:, :2], y, round=3)
    for kind in ("plane", "table"):
        with pytest.raises(ValueError, match="corrective=True fits all of them again"):
            plots.rounds(model, X[:, :2], y, kind=kind)
    plt.close("all")


EXTREME = [
    *range(20),
    22,  # a step of the Poisson loss beyond all numbers
    728,
    832,
    972,
    *(pytest.param(seed, marks=pytest.mark.sweep) for seed in range(30, 300)),
]


@pytest.mark.parametrize("seed", EXTREME)
def test_extreme_problems_end_without_a_warning_and_no_dual_is_above_its_primal(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 60)), int(rng.integers(1, 5))
    A = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 9)
    b = (rng.random(n) < 0.5).astype(int)
    b[:2] = [0, 1]
    weight = rng.random(n) ** rng.integers(1, 30) * 10.0 ** rng.integers(-100, 100)
    given = {"n_estimators": 12, "corrective": True, "ridge": 10.0 ** rng.integers(-12, 2)}
    numbers = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9)
    counts = rng.poisson(3, size=n) * 10.0 ** rng.integers(-3, 4) + 1e-3
    fits = [
        [AdaBoostClassifier(**given).fit(A, b, weight).optimality_],
        BoostingClassifier(**given).fit(A, b, weight).optimality_,
        BoostingRegressor(**given).fit(A, numbers, weight).optimality_,
        BoostingRegressor("poisson", **given).fit(A, counts, weight).optimality_,
    ]
    for said in (each for fit in fits for each in fit):
        assert np.isfinite([said.primal, said.dual, said.floor]).all()
        assert said.gap >= -1e-12 * abs(said.primal) - said.floor

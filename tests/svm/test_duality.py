"""The dual of a fitted machine told on its rows: against loops, by hand, and attacked."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    SVCCV,
    HardMarginSVC,
    LinearSVC,
    SlackBudgetSVC,
    Status,
    explain_dual,
)
from maxmargin.datasets import make_overlapping, make_separable
from maxmargin.storage import load_model, save_model

X, y = make_overlapping(40, separation=3.0, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(0.5, 2.0, size=40)
MACHINES = {
    "linear": SVC(kernel="linear"),
    "radial": SVC(C=3.0, gamma=0.5),
    "weighted": SVC(kernel="poly", class_weight={-1: 2.0}),
    "budget": SlackBudgetSVC(budget=4.0, kernel="rbf"),
    "no free bias": SVC(kernel="linear", solver="coordinate_ascent", tol=1e-6),
}


def at(told, name, part=""):
    return next(c for c in told.conditions if c.name == name and part in c.formula)


def test_two_points_and_a_cost_below_their_multipliers_by_hand():
    """w = 1/2, slack 1/2 each, alpha = C = 1/4: 1/8 + 2 * 1/4 * 1/2 = 1/2 - 1/8 = 3/8."""
    rows, labels = [[-1.0], [1.0]], [-1, 1]
    told = explain_dual(SVC(kernel="linear", C=0.25).fit(rows, labels), rows, labels)
    np.testing.assert_allclose([told.primal, told.dual, told.lagrangian], 3 / 8)
    np.testing.assert_allclose(told.alpha, 0.25)
    np.testing.assert_allclose(told.slack, 0.5)
    np.testing.assert_allclose(told.mu, 0.0, atol=1e-12)
    np.testing.assert_allclose([told.squared_norm, told.coef[0], told.intercept], [0.25, 0.5, 0.0])
    assert told.kind.tolist() == ["inside or wrong"] * 2
    assert told.place.tolist() == ["at C"] * 2


@pytest.mark.parametrize("name", MACHINES)
def test_everything_is_what_loops_over_the_rows_say(name):
    model = MACHINES[name]
    weight = WEIGHT if name == "weighted" else None
    model.fit(X, y, sample_weight=weight)
    told, n = explain_dual(model, X, y, weight), len(y)
    alpha, t = np.zeros(n), np.where(y == 1, 1.0, -1.0)
    for place, value in zip(model.support_, model.dual_coef_[0], strict=True):
        alpha[place] = value * t[place]
    C = getattr(model, "C_", getattr(model, "C", None))
    cost = C * (np.ones(n) if weight is None else weight * np.where(y == -1, 2.0, 1.0))
    K = model._machine.seen.kernel(X) + (0.0 if told.free_bias else 1.0)
    norm = sum(alpha[i] * alpha[j] * t[i] * t[j] * K[i, j] for i in range(n) for j in range(n))
    slack = np.array([max(0.0, 1.0 - t[i] * told.decision[i]) for i in range(n)])
    np.testing.assert_array_equal(told.rows, np.arange(n))
    np.testing.assert_array_equal(told.t, t)
    np.testing.assert_allclose(told.alpha, alpha, atol=1e-12)
    np.testing.assert_allclose(told.cost, cost)
    np.testing.assert_allclose(told.slack, slack)
    np.testing.assert_allclose(told.squared_norm, norm)
    np.testing.assert_allclose(told.decision, model.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(told.primal, norm / 2 + cost @ slack)
    np.testing.assert_allclose(told.dual, alpha.sum() - norm / 2)
    spare = [(cost[i] - alpha[i]) * slack[i] for i in range(n)]
    assert at(told, "complementary", "C_i").worst == pytest.approx(max(spare), abs=1e-12)
    assert told.certificate.status is Status.CERTIFIED
    assert max(c.worst for c in told.conditions) < 1e-3


@pytest.mark.parametrize("steps", [1, 5, 200])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_is_what_complementary_slackness_lacks(steps):
    """At any point of the dual: gap = sum alpha (t f - 1 + xi) + sum (C - alpha) xi."""
    model = SVC(gamma=0.5, max_iter=steps, solver="smo").fit(X, y)
    told = explain_dual(model, X, y)
    lacks = told.alpha * (told.margin - 1.0 + told.slack), told.mu * told.slack
    assert min(each.min() for each in lacks) >= -1e-12
    assert told.gap == pytest.approx(sum(each.sum() for each in lacks), abs=1e-9)
    assert told.dual - 1e-9 <= told.lagrangian <= told.primal + 1e-9
    assert (told.certificate.status is Status.CERTIFIED) == (steps == 200)


def test_a_saddle():
    """L is least at w among weights, and greatest at alpha among feasible duals."""
    told = explain_dual(SVC(kernel="linear").fit(X, y), X, y)
    rng, t = np.random.default_rng(0), told.t

    def lagrangian(w, b, alpha):
        return 0.5 * w @ w + alpha @ (1.0 - t * (X @ w + b))

    here = lagrangian(told.coef, told.intercept, told.alpha)
    assert here == pytest.approx(told.lagrangian)
    for _ in range(50):
        w, b = told.coef + 0.1 * rng.normal(size=2), told.intercept + rng.normal()
        assert lagrangian(w, b, told.alpha) >= here - 1e-9
        alpha = rng.uniform(0.0, 1.0, size=len(y))
        assert lagrangian(told.coef, told.intercept, alpha) <= here + 1e-9


def test_the_hard_margin_has_no_slack():
    rows, labels = make_separable(30, margin=0.5, random_state=0)
    told = explain_dual(HardMarginSVC().fit(rows, labels), rows, labels)
    assert np.isinf(told.cost).all()
    assert not told.slack.any()
    assert told.primal == pytest.approx(2.0)  # 1 / (2 * 0.5^2)
    assert (told.kind == "on the margin").sum() == 2
    assert set(told.place) == {"at 0", "between"}
    assert max(c.worst for c in told.conditions) < 1e-6


@pytest.fixture
def honest():
    model = SVC(kernel="linear").fit(X, y)
    return model, explain_dual(model, X, y)


def test_a_wrong_bias_breaks_complementary_slackness(honest):
    model, told = honest
    free = int(np.flatnonzero(told.place == "between")[0])
    model._machine = replace(model._machine, intercepts=model._machine.intercepts - 0.5)
    shifted = explain_dual(model, X, y)
    np.testing.assert_allclose(shifted.margin - told.margin, 0.5 * told.t)
    assert shifted.kind[free] != "on the margin"
    assert max(c.worst for c in shifted.conditions if c.name == "complementary") > 0.1


def test_a_dual_on_a_row_that_supports_nothing_is_found_there(honest):
    model, told = honest
    free = int(np.flatnonzero(told.place == "between")[0])
    far = int(np.argmax(np.where(told.t == told.t[free], told.margin, -np.inf)))
    rows = np.where(model._machine.rows == free, far, model._machine.rows)
    model._machine = replace(model._machine, rows=rows.astype(np.int32))
    moved = explain_dual(model, X, y)
    assert moved.alpha[far] == told.alpha[free]
    assert at(moved, "complementary", "alpha_i (").row == far
    assert at(moved, "stationary in w").worst > 0.1  # the model decides by the other row
    assert moved.certificate.status is not Status.CERTIFIED


CONTAINERS = {
    "list": lambda: (X.tolist(), y.tolist()),
    "shuffled frame": lambda: (
        pd.DataFrame(X, columns=["a", "b"], index=np.arange(40)[::-1]),
        pd.Series(y, index=np.random.default_rng(1).permutation(40)),
    ),
    "sparse": lambda: (sparse.csr_array(X), y),
    "big-endian": lambda: (X.astype(">f8"), y),
    "float32": lambda: (X.astype(np.float32), y),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_any_container_tells_the_same(name):
    rows, labels = CONTAINERS[name]()
    told = explain_dual(SVC(C=2.0, gamma=0.5).fit(rows, labels), rows, labels)
    wanted = explain_dual(SVC(C=2.0, gamma=0.5).fit(X, y), X, y)
    rounding = 1e-4 if name == "float32" else 1e-7
    np.testing.assert_allclose(told.alpha, wanted.alpha, atol=rounding)
    np.testing.assert_allclose(told.margin, wanted.margin, atol=rounding)
    assert told.kind.tolist() == wanted.kind.tolist()
    assert (
        told.table() == explain_dual(SVC(C=2.0, gamma=0.5).fit(rows, labels), rows, labels).table()
    )


def test_rows_without_weight_are_not_told_of():
    weight = np.where(np.arange(40) % 4, 1.0, 0.0)
    told = explain_dual(SVC().fit(X, y, weight), X, y, weight)
    np.testing.assert_array_equal(told.rows, np.flatnonzero(weight))
    with pytest.raises(ValueError, match="Row 0 is none of the 30 that are told of"):
        told.table([0])


def test_a_search_tells_of_its_best_and_text_has_a_line_for_each():
    search = SVCCV(Cs=[1.0], gammas=[0.5]).fit(X, y)
    told = explain_dual(search, X, y)
    assert repr(told) == repr(explain_dual(search.best_estimator_, X, y))
    assert repr(told).count("\n") == 1 + 6 + 1
    assert told.table([3, 1]).splitlines()[1:] == [told.table().splitlines()[i] for i in (4, 2)]


def test_a_pipeline_takes_the_rows_through_its_steps():
    scaled = StandardScaler().fit(X)
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    alone = explain_dual(SVC().fit(scaled.transform(X), y), scaled.transform(X), y)
    assert repr(explain_dual(pipeline, X, y)) == repr(alone)


@pytest.mark.parametrize(
    ("model", "kind", "sentence"),
    [
        (
            lambda: LinearSVC().fit(X, y),
            TypeError,
            "maxmargin.svm.linear_svc.LinearSVC keeps no duals",
        ),
        (
            lambda: SVC().fit(X, np.arange(40) % 3),
            ValueError,
            "knows 3 classes, but a dual is told for 2",
        ),
        (
            lambda: SVC().fit(X[:30], y[:30]),
            ValueError,
            "explain_dual needs the data .* fitted to: 30 rows",
        ),
        (SVC, NotFittedError, "not fitted"),
        (
            lambda: svm.SVC().fit(X, y),
            TypeError,
            r"sklearn\.svm\.SVC keeps no duals.*maxmargin's SVC",
        ),
        (lambda: SVC().fit(X, -y), ValueError, "needs the labels and the sample_weight"),
    ],
)
def test_what_cannot_be_told_is_refused_in_a_sentence(model, kind, sentence):
    with pytest.raises(kind, match=sentence):
        explain_dual(model(), X, y)


CHANGES = {
    "linear": {"C": 10.0, "class_weight": {1: 5.0}},
    "radial": {"C": 0.01, "class_weight": {"nobody": 2.0}},
    "weighted": {"class_weight": None, "multiclass": "ovr"},
    "budget": {"budget": 0.5, "class_weight": "balanced"},
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_fitted_is_told_whatever_was_set_since(name, tmp_path):
    model = clone(MACHINES[name]).fit(X, y, sample_weight=WEIGHT)
    before, verdict = explain_dual(model, X, y, WEIGHT), model.certify(X, y, WEIGHT)
    changed = model.set_params(**CHANGES[name])
    save_model(tmp_path / "model", changed)
    for after in (changed, load_model(tmp_path / "model").value):
        assert after.certify(X, y, WEIGHT) == verdict
        assert repr(explain_dual(after, X, y, WEIGHT)) == repr(before)
    own = 0.5 * before.squared_norm + before.cost @ before.slack
    assert before.primal == pytest.approx(own, rel=1e-12)

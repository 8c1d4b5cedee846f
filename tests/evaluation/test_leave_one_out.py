from inspect import isclass, signature

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin import SVC, SVR, HardMarginSVC, NuSVC, SlackBudgetSVC
from maxmargin.evaluation import evaluate, leave_one_out
from maxmargin.evaluation import leave_one_out as function
from maxmargin.evaluation.leave_one_out import keeps_its_solution
from maxmargin.kernels import RBF, Linear
from maxmargin.svm.kernel_classifier import KernelClassifier

TIGHT = 1e-8


def data(k, n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 1.3 * np.c_[y, y % 2], y


def brute_force(model, X, y, weight=None):
    """Fit to all rows but one, once for each row."""
    said, values, everything = [], [], np.arange(len(y))
    for i in everything:
        rest = np.delete(everything, i)
        given = () if weight is None else (weight[rest],)
        fitted = clone(model).fit(X[rest], y[rest], *given)
        said.append(fitted.predict(X[i : i + 1])[0])
        values.append(fitted.decision_function(X[i : i + 1])[0])
    return np.array(said), np.array(values)


MODELS = {
    "two classes": (SVC(gamma=0.5, tol=TIGHT), 2),
    "pairs": (SVC(gamma=0.5, tol=TIGHT), 3),
    "rest": (SVC(gamma=0.5, tol=TIGHT, multiclass="ovr"), 3),
    "weighted classes": (SVC(gamma=0.5, tol=TIGHT, class_weight={0: 1.0, 1: 3.0}), 2),
    "no free variable": (SVC(kernel="linear", C=1e-3, tol=TIGHT), 2),
    "no bias": (SVC(gamma=0.5, tol=1e-6, solver="coordinate_ascent"), 2),
    "hard margin": (HardMarginSVC(kernel="rbf", gamma=20.0, tol=TIGHT), 2),
    "budget": (SlackBudgetSVC(budget=20.0, kernel="rbf", gamma=0.5, tol=TIGHT), 2),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_equals_fitting_once_a_row(name):
    model, k = MODELS[name]
    X, y = data(k, n=60 // k)
    found = leave_one_out(model, X, y)
    said, values = brute_force(model, X, y)
    np.testing.assert_allclose(found.decision, values, atol=1e-4 if name == "no bias" else 1e-6)
    np.testing.assert_array_equal(found.predictions, said)


def test_only_support_vectors_are_fitted_again():
    X, y = data(2, n=120)
    model = SVC(gamma=0.5, C=10.0, tol=TIGHT).fit(X, y)
    told = []
    found = leave_one_out(model, X, y, callback=lambda *progress: told.append(progress))
    assert found.refits == len(model.support_) < 120
    assert told == [(k, found.refits) for k in range(1, found.refits + 1)]
    others = np.delete(np.arange(120), model.support_)
    np.testing.assert_allclose(found.decision[others], model.decision_function(X[others]))


def test_the_rows_of_a_bias_without_free_variables_are_fitted_again_too():
    """The middle of the two limits moves with the rows that set them, which have no dual."""
    X = np.array([[-3.0], [-2.0], [-0.3], [0.3], [2.0], [3.1]])
    y = np.array([0, 0, 1, 0, 1, 1])
    model = SVC(kernel="linear", C=1e-4, tol=TIGHT)
    found = leave_one_out(model, X, y)
    np.testing.assert_allclose(found.decision, brute_force(model, X, y)[1], atol=1e-9)


def test_weights_count_and_rows_without_weight_are_judged_by_the_full_model():
    X, y = data(2)
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = SVC(gamma=0.5, tol=TIGHT)
    found = leave_one_out(model, X, y, sample_weight=weight)
    np.testing.assert_allclose(found.decision, brute_force(model, X, y, weight)[1], atol=1e-6)


def machines():
    """Every estimator that need not be fitted once a row, found by discovery."""
    exported = (getattr(maxmargin, name) for name in maxmargin.__all__)
    kinds = [e for e in exported if isclass(e) and issubclass(e, BaseEstimator)]
    built = (kind() for kind in kinds if all_have_defaults(kind))
    return [type(model) for model in built if keeps_its_solution(model)]


def all_have_defaults(kind):
    return all(each.default is not each.empty for each in signature(kind).parameters.values())


OF_ALL_ROWS = {
    "gamma of the rows": {"gamma": "scale"},
    "balanced": {"gamma": 0.5, "class_weight": "balanced"},
    "both": {"gamma": "scale", "class_weight": "balanced"},
    "one against the rest": {"gamma": "scale", "multiclass": "ovr"},
    "a kernel value": {"kernel": RBF("scale") + 0.1 * Linear()},
    "a bias that costs": {"gamma": "scale", "intercept": "regularized", "tol": 1e-6},
    "a little room": {"gamma": 0.5, "cache_size": 1e-4},
    "slack for all": {"gamma": 0.5, "budget": 1e4},
    "no slack": {"gamma": 20.0, "budget": 0.0},
}


@pytest.mark.parametrize("name", OF_ALL_ROWS)
@pytest.mark.parametrize("kind", machines())
def test_what_the_rows_decide_is_decided_without_the_row(kind, name):
    rows, y = data(3 if "rest" in name else 2, n=18)
    y[:3] = 0
    options = {"kernel": "rbf", "tol": TIGHT, "budget": 9.0} | OF_ALL_ROWS[name]
    model = kind(**{k: v for k, v in options.items() if k in signature(kind).parameters})
    if model.get_params().get("budget", 0.0) == 0.0 and kind is not SVC:
        rows = rows + 5.0 * y[:, None]  # nothing but separable rows will do
    found = leave_one_out(model, rows, y)
    said, values = brute_force(model, rows, y)
    np.testing.assert_allclose(found.decision, values, atol=2e-5)
    np.testing.assert_array_equal(found.predictions, said)


@pytest.mark.parametrize("nu", [0.2, 0.6])
def test_where_the_number_of_rows_states_the_problem_each_row_is_left_out_by_a_fit(nu):
    rows, y = data(2, n=40)
    model = NuSVC(nu=nu, gamma=0.5, tol=TIGHT)
    assert not keeps_its_solution(model)
    found = leave_one_out(model, rows, y)
    assert found.refits == len(y)
    np.testing.assert_array_equal(found.predictions, brute_force(model, rows, y)[0])


def test_only_what_declares_it_takes_the_short_way():
    class Other(KernelClassifier):
        kernel = "rbf"

    assert not keeps_its_solution(Other())
    assert {kind.__name__ for kind in machines()} == {"HardMarginSVC", "SVC", "SlackBudgetSVC"}


@pytest.mark.parametrize("scaled", [True, False])
def test_weights_of_rows_count_in_what_the_rows_decide(scaled):
    rows, y = data(2)
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = SVC(gamma="scale" if scaled else 0.5, tol=TIGHT, class_weight="balanced")
    found = leave_one_out(model, rows, y, sample_weight=weight)
    np.testing.assert_allclose(found.decision, brute_force(model, rows, y, weight)[1], atol=1e-6)


def test_a_kernel_matrix_and_a_kernel_value_give_the_same():
    X, y = data(2)
    usual = leave_one_out(SVC(kernel=RBF(0.5), tol=TIGHT), X, y)
    given = leave_one_out(SVC(kernel="precomputed", tol=TIGHT), rbf_kernel(X, gamma=0.5), y)
    np.testing.assert_allclose(given.decision, usual.decision, atol=1e-6)
    assert given.refits == usual.refits


def test_other_models_are_fitted_once_a_row():
    X, y = data(2)
    found = leave_one_out(make_pipeline(StandardScaler(), SVC()), X, y)
    assert found.refits == len(y)
    assert found.decision is None
    near = leave_one_out(KNeighborsClassifier(1), X, y)
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2) + np.diag([np.inf] * len(y))
    np.testing.assert_array_equal(near.predictions, y[distances.argmin(axis=1)])


def test_a_class_of_one_row_is_refused_in_a_sentence():
    X, y = data(2)
    y[0] = 7
    with pytest.raises(ValueError, match="Class 7 has one row"):
        leave_one_out(SVC(), X, y)


def test_the_protocol_of_the_name_uses_it(monkeypatch):
    X, y = data(2)
    calls = []
    monkeypatch.setattr(
        "maxmargin.evaluation.run.leave_one_out",
        lambda *args, **kwargs: calls.append(1) or function(*args, **kwargs),
    )
    runs = evaluate({"near": KNeighborsClassifier(1), "svc": SVC(gamma=0.5)}, X, y, protocol="loo")
    assert calls == [1]
    assert list(runs) == ["near", "svc"]
    said, _ = brute_force(SVC(gamma=0.5), X, y)
    np.testing.assert_array_equal(runs["svc"].scores, said == y)
    np.testing.assert_array_equal([fold.validate[0] for fold in runs["near"].folds], range(len(y)))


def test_the_outcome_prints_its_score():
    X, y = data(2)
    found = leave_one_out(SVC(gamma=0.5), X, y)
    right = np.mean(found.predictions == y)
    assert str(found).startswith(f"accuracy {right:.3f} over {len(y)} rows")
    assert "root mean squared error" in str(leave_one_out(SVR(gamma=0.5), X, X[:, 0]))

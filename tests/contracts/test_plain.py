"""Every fitted estimator, with every algorithm, becomes plain data and comes back bit by bit."""

import json

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from maxmargin import SVC, AdaBoostClassifier, BaggingClassifier
from maxmargin.kernels import RBF, FromFunction, Linear, Polynomial
from maxmargin.storage import NotPlainError, from_plain, to_plain


def lay_open(plain):
    """The same in JSON alone: arrays as their type, shape and bytes."""
    if isinstance(plain, np.ndarray):
        assert not plain.dtype.hasobject
        return ["array", plain.dtype.str, list(plain.shape), plain.tobytes().hex()]
    if isinstance(plain, dict):
        assert all(type(key) is str for key in plain)
        return {key: lay_open(value) for key, value in plain.items()}
    return [lay_open(each) for each in plain] if isinstance(plain, list) else plain


def written(value):
    return json.dumps(lay_open(to_plain(value)), allow_nan=False)


def answers(model, X):
    names = "predict", "decision_function", "predict_proba"
    return [getattr(model, name)(X) for name in names if hasattr(model, name)]


@pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)
def test_a_fitted_model_comes_back(variant, data):
    model = data.learn(variant)
    again = from_plain(to_plain(model))
    assert type(again) is type(model)
    assert written(again) == written(model)
    for one, other in zip(answers(again, data.X), answers(model, data.X), strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_that_is_not_fitted_comes_back(model):
    assert repr(from_plain(to_plain(model))) == repr(model)


def test_what_comes_back_can_be_fitted_again(model, data):
    if is_classifier(model):
        again = data.fit(from_plain(to_plain(data.learn(model))))
        np.testing.assert_array_equal(again.predict(data.X), data.learn(model).predict(data.X))


@pytest.mark.parametrize(
    "kernel",
    [RBF("scale"), 2.0 * RBF(0.5) + Linear() ** 2, Polynomial(2).restrict([0, 1]).normalized()],
    ids=str,
)
def test_kernels_and_pipelines_come_back(kernel, data):
    model = make_pipeline(StandardScaler(), SVC(kernel=kernel)).fit(data.X, data.labels)
    again = from_plain(to_plain(model))
    np.testing.assert_array_equal(again.predict(data.X), model.predict(data.X))


@pytest.mark.parametrize("kind", [AdaBoostClassifier, BaggingClassifier])
def test_members_come_back(kind, data):
    model = kind(n_estimators=3).fit(data.X, data.labels)
    again = from_plain(to_plain(model))
    for one, other in zip(again.estimators_, model.estimators_, strict=True):
        assert written(one) == written(other)


def test_a_function_is_refused_by_name(data):
    model = SVC(kernel=FromFunction(lambda x, y: float(x @ y))).fit(data.X, data.labels)
    with pytest.raises(NotPlainError, match=r"the model\.kernel\.\w+ is a builtins\.function"):
        to_plain(model)


@pytest.mark.parametrize(
    "plain",
    [
        {"is": "os.system", "given": {}},
        {"is": "builtins.eval", "of": "1"},
        {"is": "maxmargin.cli.app.main", "given": {}},
        {"is": "maxmargin.svm.svc.SVC", "given": {"C": 1.0, "evil": 2}, "has": {}},
        {"is": "maxmargin.svm.machine.KernelMachine", "has": {"rows": 1}},
        {"is": "maxmargin.storage.plain.os.system", "of": []},
        {"is": "sklearn.utils.Bunch", "given": {}, "has": {}},
        {"is": "tuple"},
        {"is": ["tuple"], "of": []},
        {"of": 3},
        {"is": "csr_matrix", "shape": [1, 1], "data": np.ones(1)},
        {"is": "maxmargin.certify.status.Status", "named": "SPLENDID"},
        {"is": "maxmargin.kernels.base.Kernel", "given": {}},
    ],
    ids=str,
)
def test_what_is_not_a_model_is_refused_in_a_sentence(plain):
    with pytest.raises(NotPlainError, match=r"\.$"):
        from_plain(plain)


def broken(model, change):
    plain = to_plain(model)
    change(plain)
    with pytest.raises(ValueError, match="do not fit together"):
        from_plain(plain)


def test_splits_that_would_be_read_from_elsewhere_are_refused(data):
    model = AdaBoostClassifier(n_estimators=3).fit(data.X, data.labels)
    broken(model, lambda p: p["has"]["_stumps"]["has"].update(end=np.full(3, 10**6)))
    broken(model, lambda p: p["has"]["_stumps"]["has"].update(threshold=np.zeros(1)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"feature": np.full(3, 10**9)}, "asks for column 1000000000"),
        ({"left": np.full(3, 1e9)}, "vote for other classes"),
        ({"right": np.full(3, -1.0)}, "vote for other classes"),
    ],
    ids=str,
)
def test_splits_that_ask_for_what_is_not_there_are_refused(change, said):
    X, label = np.arange(30.0)[:, None], np.repeat([0, 1, 2], 10)
    plain = to_plain(AdaBoostClassifier(n_estimators=3).fit(X, label))
    plain["has"]["_stumps"]["has"].update(change)
    model = from_plain(plain)
    with pytest.raises(ValueError, match=said):
        model.predict(X)


def test_weights_that_are_missing_are_not_read_from_elsewhere():
    X, label = np.arange(30.0)[:, None], np.repeat([0, 1, 2], 10)
    plain = to_plain(AdaBoostClassifier(n_estimators=3).fit(X, label))
    plain["has"]["estimator_weights_"] = np.ones(1)
    with pytest.raises(ValueError, match="two classes and a weight"):
        from_plain(plain).predict(X)


def test_trees_that_run_in_circles_are_refused(data):
    model = DecisionTreeClassifier(max_depth=3).fit(data.X, data.labels)
    again = from_plain(to_plain(model))
    np.testing.assert_array_equal(again.predict(data.X), model.predict(data.X))

    def turn_back(plain):
        nodes = dict(plain["has"]["tree_"]["nodes"]["of"])
        nodes["left_child"] = np.zeros_like(nodes["left_child"])
        plain["has"]["tree_"]["nodes"]["of"] = [list(item) for item in nodes.items()]

    broken(model, turn_back)

"""The features of a kernel as a step of a pipeline."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from maxmargin import SVC, LinearSVC
from maxmargin.kernels import (
    RBF,
    Categorical,
    Graph,
    Graphlet,
    KernelFeatures,
    Linear,
    Polynomial,
    ShortestPath,
    Spectrum,
    WeightedDegree,
    WeisfeilerLehman,
)

X = np.random.default_rng(0).normal(size=(30, 3))
Y = (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("step", [KernelFeatures(), Polynomial(2).features()])
def test_it_is_an_estimator(step):
    results = check_estimator(step, on_skip=None)
    assert {each["status"] for each in results} <= {"passed", "skipped"}
    assert sum(each["status"] == "passed" for each in results) > 30


def test_a_linear_model_of_them_is_the_machine_of_the_kernel():
    step = Polynomial(2, gamma="scale").features()
    linear = make_pipeline(step, LinearSVC(loss="hinge", intercept="free", tol=1e-8)).fit(X, Y)
    machine = SVC(kernel=Polynomial(2, gamma="scale"), tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(linear.decision_function(X), machine.decision_function(X), atol=1e-4)
    assert step.get_feature_names_out()[0] == "polynomial0"


def test_features_of_a_table_by_names():
    table = pd.DataFrame({"a": X[:, 0], "b": ["xy", "yy", "x"] * 10, "c": list("uvw") * 10})
    kernel = Linear().restrict("a") + Spectrum(1).restrict("b") + Categorical().restrict(["c"])
    step = kernel.features().fit(table)
    phi = step.transform(table[["c", "a", "b"]])
    assert phi.shape == (30, 1 + 2 + 3)
    assert step.get_feature_names_out()[1:].tolist() == ["b: x", "b: y", "c=u", "c=v", "c=w"]
    np.testing.assert_allclose((phi @ phi.T).toarray(), kernel(table), rtol=1e-12)
    again = pickle.loads(pickle.dumps(step))
    np.testing.assert_array_equal(again.transform(table).toarray(), step.transform(table).toarray())
    assert clone(step).kernel == kernel


def test_products_of_features_are_named_by_both():
    step = (Spectrum(1) * Spectrum(2)).features().fit(["ab", "bc"])
    assert step.get_feature_names_out().tolist() == [
        "a * ab", "a * bc", "b * ab", "b * bc", "c * ab", "c * bc",
    ]  # fmt: skip
    assert len((Linear() * Linear()).features().fit([[1.0, 2.0]]).get_feature_names_out()) == 4


def test_what_has_no_features_is_refused():
    with pytest.raises(ValueError, match="no features that could be written out"):
        RBF(1.0).features().fit_transform(X)
    with pytest.raises(TypeError, match="needs a kernel such as Spectrum"):
        KernelFeatures("rbf").fit(X)


def test_features_are_named_by_their_column_and_in_words():
    table = pd.DataFrame({"thal": ["normal", None], "p": ["ab", "b"], "q": ["a", "bb"]})
    graphs = [Graph([(0, 1), (1, 2)], ["C", "O", "H"])]
    for kernel, X, names in [
        (Categorical().restrict(["thal"]), table, ["thal=normal", "thal=missing"]),
        (Categorical(), [["missing"], [None]], ["0='missing'", "0=missing"]),
        (Spectrum(1).restrict("p") + Spectrum(1).restrict("q"), table,
         ["p: a", "p: b", "q: a", "q: b"]),
        (WeisfeilerLehman(0, base="edge"), graphs, ["C - O", "O - H"]),
        (ShortestPath(), graphs[:1], ["C to O: 1", "C to H: 2", "O to C: 1", "O to H: 1",
                                      "H to O: 1", "H to C: 2"]),
        (Graphlet(3), graphs, ["0-1 0-2", "0-1 0-2 1-2"]),
    ]:  # fmt: skip
        assert kernel.features().fit(X).get_feature_names_out().tolist() == names


def test_fit_says_that_there_are_no_features():
    for kernel, X in [(WeightedDegree(2), ["ab"]), (RBF(1.0), [[1.0]])]:
        with pytest.raises(ValueError, match="has no features that could be written out"):
            kernel.features().fit(X)

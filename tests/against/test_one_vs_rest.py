"""multiclass="ovr" is scikit-learn's OneVsRestClassifier around its SVC."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC as LibSVC  # noqa: N811

from maxmargin import SVC


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_decision_values_and_predictions(five, new, kernel, layout):
    X, y = five
    ours = SVC(kernel=kernel, tol=1e-8, multiclass="ovr").fit(layout(X), y)
    theirs = OneVsRestClassifier(LibSVC(kernel=kernel, tol=1e-5)).fit(X, y)  # slow if tighter
    values = ours.decision_function(layout(new))
    assert values.shape == (len(new), 5)
    np.testing.assert_allclose(values, theirs.decision_function(new), atol=1e-4)
    np.testing.assert_array_equal(ours.predict(layout(new)), theirs.predict(new))


def test_attributes_are_one_line_a_class(five):
    model = SVC(kernel="linear", multiclass="ovr").fit(*five)
    assert model.dual_coef_.shape == (5, len(model.support_))
    assert model.coef_.shape == (5, 6)
    assert model.intercept_.shape == (5,)
    assert len(model.certificates_) == 5
    assert model.n_support_.sum() == len(model.support_)


def test_two_classes_are_one_problem(binary, new):
    pairs, rest = (SVC(multiclass=how).fit(*binary) for how in ("ovo", "ovr"))
    np.testing.assert_array_equal(pairs.decision_function(new), rest.decision_function(new))
    assert len(rest.certificates_) == 1


def test_the_class_weight_is_that_of_the_row(five, new):
    """As in OneVsRestClassifier with these weights given row by row."""
    X, y = five
    weights = {0: 3.0, 1: 1.0, 2: 0.5, 3: 1.0, 4: 2.0}
    ours = SVC(tol=1e-8, multiclass="ovr", class_weight=weights).fit(X, y)
    each = np.array([weights[label] for label in y])
    for c in range(5):
        theirs = LibSVC(tol=1e-8, gamma=1 / (X.shape[1] * X.var())).fit(
            X, y == c, sample_weight=each
        )
        np.testing.assert_allclose(
            ours.decision_function(new)[:, c], theirs.decision_function(new), atol=1e-5
        )

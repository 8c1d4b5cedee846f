"""Linear models against LIBLINEAR and scikit-learn's solvers, on data that everyone has."""

from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as Liblinear

from maxmargin import LinearClassifier, LinearSVC, Status


@cache
def data(name):
    if name == "sparse":
        X = sparse.random(300, 800, 0.03, format="csr", random_state=0)
        return X, np.where(X @ np.random.default_rng(0).normal(size=800) > 0.1, 1, 0)
    load = {"iris": load_iris, "digits": load_digits, "breast cancer": load_breast_cancer}[name]
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X[:400]), y[:400]


def objective(theta, X, t, kind, C):
    """The primal of one class against the rest; the constant column's weight is the intercept."""
    short = np.maximum(0, 1 - t * (X @ theta[:-1] + theta[-1]))
    size = np.abs(theta).sum() if kind.get("penalty") == "l1" else theta @ theta / 2
    return size + C * (short if kind.get("loss") == "hinge" else short**2).sum()


def joint_objective(theta, X, y, C):
    values = X @ theta[:, :-1].T + theta[:, -1]
    own = values[np.arange(len(y)), y]
    rivals = values + 1.0
    rivals[np.arange(len(y)), y] -= 1.0
    return (theta**2).sum() / 2 + C * (rivals.max(axis=1) - own).sum()


KINDS = {
    "hinge": {"loss": "hinge"},
    "squared hinge": {"loss": "squared_hinge"},
    "l1": {"penalty": "l1"},
}
every_set = pytest.mark.parametrize("name", ["iris", "digits", "breast cancer", "sparse"])


def both(name, C, **kind):
    """Our model, and LIBLINEAR's to a tolerance that its own stopping test can keep."""
    X, y = data(name)
    ours = LinearSVC(**kind, C=C, tol=1e-5, max_iter=100_000).fit(X, y)
    theirs = Liblinear(**kind, C=C, tol=1e-5, max_iter=10**5, random_state=0)
    with_l1 = kind.get("penalty") == "l1"
    theirs.set_params(dual=not with_l1).fit(X, y)
    thetas = [np.c_[model.coef_, model.intercept_] for model in (ours, theirs)]
    return X, y, ours, theirs, thetas


@every_set
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [0.01, 0.1])
def test_the_same_objective_and_the_same_predictions(name, kind, C):
    X, y, ours, theirs, thetas = both(name, C, **KINDS[kind])
    assert ours.certificate_.status is Status.CERTIFIED
    assert thetas[0].shape == thetas[1].shape
    positives = [1] if len(thetas[0]) == 1 else range(len(thetas[0]))
    for number, positive in enumerate(positives):
        t = np.where(y == positive, 1.0, -1.0)
        mine, peer = (objective(theta[number], X, t, KINDS[kind], C) for theta in thetas)
        assert mine == pytest.approx(ours.certificates_[number].primal, rel=1e-9)
        assert ours.certificates_[number].dual <= peer * (1 + 1e-9)  # it bounds every point
        assert mine <= peer * (1 + 2e-5)
    agree = ours.predict(X) == theirs.predict(X)
    assert agree.mean() >= 0.99


@pytest.mark.parametrize("name", ["iris", "digits", "breast cancer"])
@pytest.mark.parametrize("C", [0.01, 0.1])
def test_crammer_and_singers_machine(name, C):
    X, y, ours, theirs, thetas = both(name, C, multi_class="crammer_singer")
    assert ours.certificate_.status is Status.CERTIFIED
    if len(thetas[0]) == 1:  # two classes come as one row: the difference of two opposite ones
        thetas = [np.concatenate([-theta, theta]) / 2 for theta in thetas]
    mine, peer = (joint_objective(theta, X, y, C) for theta in thetas)
    assert mine == pytest.approx(ours.certificate_.primal, rel=1e-9)
    assert ours.certificate_.dual <= peer
    assert mine <= peer * (1 + 2e-5)
    assert (ours.predict(X) == theirs.predict(X)).mean() >= 0.99


@pytest.mark.parametrize("name", ["breast cancer", "sparse"])
@pytest.mark.parametrize("solver", ["lbfgs", "liblinear", "newton-cholesky"])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_logistic_regression(name, solver, C):
    X, y = data(name)
    intercept = "regularized" if solver == "liblinear" else "free"
    if name == "sparse" and solver == "newton-cholesky":
        X = X.toarray()
    ours = LinearClassifier(C=C, intercept=intercept, tol=1e-9).fit(X, y)
    theirs = LogisticRegression(C=C, solver=solver, tol=1e-9, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-4)


# scikit-learn's documented examples


def test_the_example_of_linear_svcs_docstring():
    X, y = make_classification(n_features=4, random_state=0)
    models = [
        make_pipeline(StandardScaler(), model(random_state=0, tol=1e-5)).fit(X, y)
        for model in (LinearSVC, Liblinear)
    ]
    ours, theirs = (model.named_steps["linearsvc"] for model in models)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.coef_, [[0.141, 0.526, 0.679, 0.493]], atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, [0.169], atol=2e-3)
    assert [model.predict([[0, 0, 0, 0]]).tolist() for model in models] == [[1], [1]]


def test_the_example_of_logistic_regressions_docstring():
    """Three classes at once there, each against the rest here: the same labels and score."""
    X, y = load_iris(return_X_y=True)
    theirs = LogisticRegression(random_state=0, max_iter=1000).fit(X, y)
    ours = LinearClassifier().fit(X, y)
    np.testing.assert_array_equal(ours.predict(X[:2, :]), theirs.predict(X[:2, :]))
    assert ours.predict_proba(X[:2, :]).shape == (2, 3)
    assert theirs.score(X, y) == pytest.approx(0.97, abs=0.01)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.03)


def test_the_user_guides_four_points_in_the_plane():
    """Section 1.4.1.1: lin_clf.decision_function([[1]]) has a value for each of four classes."""
    X, Y = [[0], [1], [2], [3]], [0, 1, 2, 3]
    models = [model().fit(X, Y) for model in (LinearSVC, Liblinear)]
    values = [model.decision_function([[1]]) for model in models]
    assert values[0].shape == values[1].shape == (1, 4)
    np.testing.assert_allclose(*values, atol=1e-3)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_user_guides_iris_with_l1_features(C):
    """Section 1.13.4.1: LinearSVC(C=0.01, penalty="l1", dual=False) keeps three columns of four."""
    X, y = load_iris(return_X_y=True)
    ours, theirs = (
        model(C=C, penalty="l1", dual=False, tol=1e-7, max_iter=10**5).fit(X, y)
        for model in (LinearSVC, Liblinear)
    )
    np.testing.assert_array_equal(ours.coef_ != 0, theirs.coef_ != 0)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if C == 0.01:
        assert (np.abs(ours.coef_).max(axis=0) > 0).sum() == 3


@pytest.mark.parametrize("columns", [[0, 1], [0, 1, 2, 3]])
def test_the_user_guides_iris_with_a_linear_machine(columns):
    """Of "Plot different SVM classifiers in the iris dataset": LinearSVC(C=1.0)."""
    X, y = load_iris(return_X_y=True)
    X = X[:, columns]
    ours = LinearSVC(C=1.0, max_iter=10_000).fit(X, y)
    theirs = Liblinear(C=1.0, max_iter=10**5, tol=1e-6, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

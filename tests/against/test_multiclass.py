"""The wrappers are scikit-learn's: same estimators inside, same values, same ties."""

from itertools import product

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn import multiclass as theirs
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as LibSVC  # noqa: N811
from sklearn.svm import LinearSVC as LibLinearSVC

from maxmargin import SVC, OneVsOneClassifier, OneVsRestClassifier
from maxmargin.svm.hard_margin import HardMarginSVC

WRAPPERS = [
    pytest.param(OneVsOneClassifier, theirs.OneVsOneClassifier, id="one"),
    pytest.param(OneVsRestClassifier, theirs.OneVsRestClassifier, id="rest"),
]
LOGISTIC = LogisticRegression(tol=1e-8, max_iter=1000)
ESTIMATORS = [
    SVC(gamma=0.2),
    SVC(kernel="linear", class_weight="balanced"),
    SVC(gamma=0.2, solver="smo", tol=1e-8),
    HardMarginSVC(kernel="rbf", gamma=1.0),
    LibSVC(tol=1e-8),
    LibLinearSVC(random_state=0, tol=1e-8),
    LOGISTIC,
    GaussianNB(),
    make_pipeline(StandardScaler(), SVC()),
    Ridge(),
]
METHODS = ["predict", "decision_function", "predict_proba"]


def same_answers(mine, other, new, atol=1e-6):
    """The same labels, and values as near as solvers come that stop at 1e-8.

    Products are summed in another order where BLAS has one thread or a matrix is shared.
    """
    for method in METHODS:
        assert hasattr(mine, method) == hasattr(other, method), method
        if hasattr(other, method):
            values = getattr(mine, method)(new), getattr(other, method)(new)
            if method == "predict":
                np.testing.assert_array_equal(*values)
            else:
                np.testing.assert_allclose(*values, rtol=atol, atol=atol)
    np.testing.assert_array_equal(mine.classes_, other.classes_)
    assert mine.n_classes_ == other.n_classes_
    assert len(mine.estimators_) == len(other.estimators_)
    assert getattr(mine, "n_features_in_", None) == getattr(other, "n_features_in_", None)


@pytest.mark.parametrize(("ours", "other"), WRAPPERS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_same_answers(data, new, ours, other, estimator):
    same_answers(ours(estimator).fit(*data), other(estimator).fit(*data), new)


@pytest.mark.parametrize(("ours", "other"), WRAPPERS)
@pytest.mark.parametrize("estimator", [SVC(gamma=0.2), LOGISTIC], ids=["own", "other"])
def test_sparse_rows_and_labels_of_strings(five, new, ours, other, estimator):
    X, y = sparse.csr_array(five[0]), np.array(list("edcba"))[five[1]]
    same_answers(ours(estimator).fit(X, y), other(estimator).fit(X, y), sparse.csr_array(new))


@pytest.mark.parametrize(("ours", "other"), WRAPPERS)
@pytest.mark.parametrize("estimator", [SVC(), LibSVC()], ids=["own", "other"])
def test_precomputed_kernels(five, new, ours, other, estimator):
    (X, y), model = five, clone(estimator).set_params(kernel="precomputed")
    mine, same = ours(model).fit(X @ X.T, y), other(model).fit(X @ X.T, y)
    same_answers(mine, same, new @ X.T)
    if ours is OneVsOneClassifier:
        for own, rows in zip(mine.pairwise_indices_, same.pairwise_indices_, strict=True):
            np.testing.assert_array_equal(own, rows)


@pytest.mark.parametrize(("ours", "other"), WRAPPERS)
@pytest.mark.parametrize("estimator", [SVC(gamma=0.2), LOGISTIC], ids=["own", "other"])
def test_weights_reach_the_estimator(five, new, ours, other, estimator):
    X, y = five
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    mine = ours(estimator).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(sample_weight=True)
        same_answers(ours(asking).fit(X, y, sample_weight=weight), mine, new)
        same_answers(mine, other(asking).fit(X, y, sample_weight=weight), new)
        scored = ours(asking).set_score_request(sample_weight=True)
        grid = GridSearchCV(scored, {"estimator__C": [0.5, 2.0]}, cv=2)
        grid.fit(X, y, sample_weight=weight)
        with pytest.raises(ValueError, match="sample_weight"):
            ours(estimator).fit(X, y, sample_weight=weight)
        with pytest.raises(TypeError, match="colour"):
            ours(asking).fit(X, y, colour="red")


def test_gamma_of_a_pair_is_that_of_all_rows(five, new):
    """As SVC has it for its pairs; scikit-learn's wrapper gives each pair its own."""
    X, y = five
    gamma = 1.0 / (X.shape[1] * X.var())
    mine = OneVsOneClassifier(SVC()).fit(X, y)
    same_answers(mine, theirs.OneVsOneClassifier(SVC(gamma=gamma)).fit(X, y), new)
    pairs = SVC(decision_function_shape="ovo", tol=1e-8).fit(X, y).decision_function(new)
    each = OneVsOneClassifier(SVC(tol=1e-8)).fit(X, y).estimators_
    values = np.stack([-pair.decision_function(new) for pair in each], axis=1)
    np.testing.assert_allclose(values, pairs, atol=1e-9)


def test_one_against_the_rest_is_what_svc_does(five, new):
    mine = OneVsRestClassifier(SVC(tol=1e-8)).fit(*five)
    values = SVC(tol=1e-8, multiclass="ovr").fit(*five).decision_function(new)
    np.testing.assert_allclose(mine.decision_function(new), values, atol=1e-9)


class FromColumns(ClassifierMixin, BaseEstimator):
    """Says what a column of X says: the pair's, or the positive class's.

    The last column of the training rows is the number of their class.
    """

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        labels = X[:, -1].astype(int)
        low, high = labels.min(), labels.max()
        positive = set(labels[y == 1])
        self.column_ = low + high - 1 if len(set(labels)) == 2 else min(positive)
        return self

    def decision_function(self, X):
        return X[:, self.column_]

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


@pytest.mark.parametrize(("ours", "other"), WRAPPERS)
def test_every_tie_of_three_classes(ours, other):
    new = np.array([[*values, 0] for values in product([-2.0, -1.0, -0.0, 0.0, 1.0], repeat=3)])
    X = np.array([[0.0, 0.0, 0.0, c] for c in (0, 1, 2, 0, 1, 2)])
    y = X[:, -1].astype(int)
    mine, same = ours(FromColumns()).fit(X, y), other(FromColumns()).fit(X, y)
    same_answers(mine, same, new, atol=0.0)
    assert set(mine.predict(new)) == {0, 1, 2}
    assert len({each.column_ for each in mine.estimators_}) == 3


@pytest.mark.parametrize(("ours", "other"), WRAPPERS)
def test_ties_of_our_own_classifier(ours, other):
    """Between the corners of a triangle no class is nearer: values are 0, up to rounding."""
    X, y = np.repeat(np.eye(3), 2, axis=0), np.repeat([0, 1, 2], 2)
    new = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    model = SVC(kernel="linear")
    same_answers(ours(model).fit(X, y), other(model).fit(X, y), new)


@pytest.mark.parametrize("estimator", [SVC(), LOGISTIC], ids=["own", "other"])
def test_several_labels_a_row(estimator):
    X, Y = make_multilabel_classification(60, n_classes=4, random_state=0)
    Y[:, 2] = 1
    mine, same = OneVsRestClassifier(estimator), theirs.OneVsRestClassifier(estimator)
    for model in (mine, same):
        with pytest.warns(UserWarning, match="Label 2 is present in all training examples"):
            model.fit(X, Y)
    assert mine.multilabel_
    same_answers(mine, same, X)


@pytest.mark.parametrize(("ours", "other"), WRAPPERS)
@pytest.mark.parametrize("estimator", [SVC(gamma=0.2), LOGISTIC], ids=["own", "other"])
def test_names_of_columns(five, ours, other, estimator):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(five[0], columns=list("abcdef"))
    mine, same = ours(estimator).fit(X, five[1]), other(estimator).fit(X, five[1])
    same_answers(mine, same, X)
    np.testing.assert_array_equal(mine.feature_names_in_, same.feature_names_in_)
    for own, each in zip(mine.estimators_, same.estimators_, strict=True):
        assert hasattr(own, "feature_names_in_") == hasattr(each, "feature_names_in_")
    with pytest.raises(ValueError, match="feature names should match"):
        mine.predict(X.rename(columns={"a": "z"}))

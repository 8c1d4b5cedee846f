"""Bad input: the type of error that scikit-learn raises, in one helpful sentence."""

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC as LibSVC  # noqa: N811

from maxmargin import SVC
from maxmargin.kernels import RBF, FromFunction

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 3.0]])
Y = np.array([0, 0, 1, 1])


def spoilt(value):
    bad = X.copy()
    bad[1, 1] = value
    return bad


FITS = {
    "nan": ({}, spoilt(np.nan), Y),
    "inf": ({}, spoilt(np.inf), Y),
    "minus inf": ({}, spoilt(-np.inf), Y),
    "nan in a sparse matrix": ({}, sparse.csr_array(spoilt(np.nan)), Y),
    "nan in float32": ({}, spoilt(np.nan).astype(np.float32), Y),
    "nan in y": ({}, X, [0.0, np.nan, 1.0, 1.0]),
    "one class": ({}, X, [1, 1, 1, 1]),
    "continuous target": ({}, X, [0.1, 0.2, 0.3, 0.4]),
    "no target": ({}, X, None),
    "fewer labels": ({}, X, Y[:3]),
    "one dimension": ({}, X[:, 0], Y),
    "three dimensions": ({}, X[None], Y),
    "two columns of labels": ({}, X, np.stack([Y, 1 - Y], axis=1)),
    "a number": ({}, 3.0, Y),
    "strings": ({}, [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]], Y),
    "complex numbers": ({}, X + 1j, Y),
    "no rows": ({}, X[:0], Y[:0]),
    "no columns": ({}, X[:, :0], Y),
    "kernel name": ({"kernel": "gaussian"}, X, Y),
    "kernel number": ({"kernel": 3}, X, Y),
    "precomputed not square": ({"kernel": "precomputed"}, X, Y),
    "precomputed sparse": ({"kernel": "precomputed"}, sparse.csr_array(X @ X.T), Y),
    "negative C": ({"C": -1.0}, X, Y),
    "zero C": ({"C": 0.0}, X, Y),
    "nan C": ({"C": np.nan}, X, Y),
    "C as a string": ({"C": "1"}, X, Y),
    "negative gamma": ({"gamma": -1.0}, X, Y),
    "gamma name": ({"gamma": "wide"}, X, Y),
    "negative degree": ({"kernel": "poly", "degree": -1}, X, Y),
    "fraction of a degree": ({"kernel": "poly", "degree": 2.5}, X, Y),
    "coef0": ({"kernel": "poly", "coef0": "one"}, X, Y),
    "zero tol": ({"tol": 0.0}, X, Y),
    "negative tol": ({"tol": -1e-3}, X, Y),
    "no cache": ({"cache_size": 0}, X, Y),
    "max_iter": ({"max_iter": -2}, X, Y),
    "fraction of a step": ({"max_iter": 1.5}, X, Y),
    "shape of decisions": ({"decision_function_shape": "both"}, X, Y),
    "shrinking": ({"shrinking": "sometimes"}, X, Y),
    "class_weight name": ({"class_weight": "fair"}, X, Y),
    "class_weight number": ({"class_weight": 2.0}, X, Y),
}

WEIGHTS = {
    "all zero": np.zeros(4),
    "all negative": -np.ones(4),
    "one class left": [1.0, 1.0, 0.0, 0.0],
    "too few": np.ones(3),
    "two dimensions": np.ones((4, 1)),
    "strings": ["a", "b", "c", "d"],
}


def error_of(action):
    """The error of an action; whatever it warns of on the way is not the subject here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            action()
        except Exception as error:
            return error
    raise AssertionError("nothing was raised")


def same_type_and_helpful(ours, theirs):
    """Whoever catches scikit-learn's built-in type catches ours, and the message reads."""
    builtin = next(kind for kind in type(theirs).__mro__ if kind.__module__ == "builtins")
    assert isinstance(ours, builtin), (ours, theirs)
    helpful(str(ours))


def helpful(message):
    assert 10 < len(message) < 400, message
    assert "\n" not in message.strip() or message.startswith(FROM_SCIKIT_LEARN), message
    assert "Traceback" not in message
    assert "maxmargin." not in message


# scikit-learn's own validation speaks first on shapes, and check_estimator wants its words.
FROM_SCIKIT_LEARN = ("Expected 2D array", "Complex data")


@pytest.mark.parametrize("name", FITS)
def test_fit_refuses_what_scikit_learn_refuses(name):
    params, data, labels = FITS[name]
    ours = error_of(lambda: SVC(**params).fit(data, labels))
    theirs = error_of(lambda: LibSVC(**params).fit(data, labels))
    same_type_and_helpful(ours, theirs)


@pytest.mark.parametrize("name", WEIGHTS)
def test_fit_refuses_the_same_weights(name):
    weight = WEIGHTS[name]
    ours = error_of(lambda: SVC().fit(X, Y, sample_weight=weight))
    theirs = error_of(lambda: LibSVC().fit(X, Y, sample_weight=weight))
    same_type_and_helpful(ours, theirs)


PREDICTS = {
    "another number of columns": X[:, :1],
    "nan": spoilt(np.nan),
    "one dimension": X[0],
    "strings": [["a", "b"]],
    "sparse after dense": sparse.csr_array(X),
    "no rows": X[:0],
}


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("name", PREDICTS)
def test_a_fitted_model_refuses_the_same_rows(name, method):
    models = SVC().fit(X, Y), LibSVC().fit(X, Y)
    ours, theirs = (
        error_of(lambda model=model: getattr(model, method)(PREDICTS[name])) for model in models
    )
    same_type_and_helpful(ours, theirs)


def test_precomputed_rows_need_a_column_for_every_training_row():
    models = [model(kernel="precomputed").fit(X @ X.T, Y) for model in (SVC, LibSVC)]
    errors = [error_of(lambda model=model: model.predict(X @ X[:3].T)) for model in models]
    same_type_and_helpful(*errors)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_an_unfitted_model_says_so(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(SVC(), method)(X)


def test_break_ties_needs_one_value_a_class():
    params = {"break_ties": True, "decision_function_shape": "ovo"}
    errors = [error_of(lambda m=m: m(**params).fit(X, Y).predict(X)) for m in (SVC, LibSVC)]
    same_type_and_helpful(*errors)


def test_probabilities_are_not_there_unless_asked_for():
    errors = [error_of(lambda m=m: m().fit(X, Y).predict_proba) for m in (SVC, LibSVC)]
    same_type_and_helpful(*errors)


def test_weights_of_columns_are_there_for_the_linear_kernel_only():
    errors = [error_of(lambda m=m: m().fit(X, Y).coef_) for m in (SVC, LibSVC)]
    same_type_and_helpful(*errors)


def test_values_too_large_for_the_kernel():
    huge = X * 1e200
    errors = [error_of(lambda m=m: m(kernel="linear").fit(huge, Y)) for m in (SVC, LibSVC)]
    assert isinstance(errors[0], ValueError)
    helpful(str(errors[0]))


# What only we have.

OURS = {
    "multiclass": ({"multiclass": "both"}, "'multiclass' parameter of SVC must be one of"),
    "time_limit": ({"time_limit": -1.0}, "'time_limit' parameter of SVC must be a number at least"),
    "time as a string": ({"time_limit": "1s"}, "'time_limit' parameter of SVC must be a number"),
    "n_jobs": ({"n_jobs": 0}, "n_jobs == 0 has no meaning"),
}


@pytest.mark.parametrize("name", OURS)
def test_our_own_parameters(name):
    params, message = OURS[name]
    with pytest.raises(ValueError, match=re.escape(message)):
        SVC(**params).fit(X, Y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_numbers(value):
    """scikit-learn takes these and fits something."""
    with pytest.raises(ValueError, match="sample_weight contains NaN or infinity"):
        SVC().fit(X, Y, sample_weight=[1.0, value, 1.0, 1.0])


def test_certify_wants_the_training_data():
    model = SVC().fit(X, Y)
    with pytest.raises(ValueError, match="certify needs the data the model was fitted to: 4 rows"):
        model.certify(X[:3], Y[:3])
    with pytest.raises(ValueError, match="classes \\[0, 1\\]"):
        model.certify(X, [0, 0, 1, 7])


def test_a_function_of_the_wrong_shape():
    with pytest.raises(ValueError, match=r"square|shape|column") as caught:
        SVC(kernel=lambda A, B: np.ones((len(A), 1))).fit(X, Y)
    helpful(str(caught.value))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_kernel_that_gives_no_numbers_never_passes_as_a_model(value):
    kernels = [lambda A, B: np.full((len(A), len(B)), value), FromFunction(lambda x, y: value)]
    for kernel in kernels:
        error = error_of(lambda kernel=kernel: strictly(SVC(kernel=kernel)))
        helpful(str(error))


def strictly(model):
    """Fit, taking a warning of ours for an error, and a foreign one for a defect."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            model.fit(X, Y)
        except RuntimeWarning as leak:
            raise AssertionError(f"NumPy's own warning came through: {leak}\n\n") from None


def test_a_failed_fit_leaves_the_last_model_alone():
    model = SVC(kernel=RBF(gamma=1.0)).fit(X, Y)
    before = model.decision_function(X)
    error_of(lambda: model.fit(spoilt(np.nan), Y))
    np.testing.assert_array_equal(model.decision_function(X), before)

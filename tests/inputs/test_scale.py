"""Columns of different scales are told of once, and sensible columns never."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

import maxmargin
from maxmargin import (
    SVC,
    SVCCV,
    BaggingClassifier,
    LinearSVC,
    OneVsRestClassifier,
    UnscaledColumnsWarning,
)
from maxmargin.datasets import load_heart, load_mixture
from maxmargin.inputs.vectors import warn_of_scales
from maxmargin.kernels import (
    RBF,
    FourierFeatures,
    Laplacian,
    Linear,
    Nystroem,
    Polynomial,
    Sigmoid,
)
from maxmargin.svm.kernel_estimator import KernelEstimator

WINE = datasets.load_wine(return_X_y=True)
RNG = np.random.default_rng(0)
INCOME = np.c_[RNG.normal(5e4, 2e4, 300), RNG.random((300, 20)) < 0.1]
BASES = {
    "heart": load_heart(return_X_y=True)[0],
    "wine": WINE[0],
    "breast cancer": datasets.load_breast_cancer(return_X_y=True)[0],
}
SCALED = {
    f"{name}, {type(step).__name__}": step.fit_transform(X)
    for name, X in BASES.items()
    for step in (StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler())
}
SENSIBLE = SCALED | {
    "components": PCA().fit_transform(SCALED["breast cancer, StandardScaler"]),
    "pixels": datasets.load_digits(return_X_y=True)[0],
    "iris": datasets.load_iris(return_X_y=True)[0],
    "mixture": load_mixture(return_X_y=True)[0],
    "indicators": np.eye(50)[np.minimum(RNG.geometric(0.1, 1000), 49)],
    "counts": RNG.poisson(RNG.lognormal(-2, 2, 200), size=(500, 200)).astype(float),
    "products": PolynomialFeatures(3).fit_transform(RNG.normal(size=(500, 4))),
    "a long tail": np.c_[RNG.normal(size=(1000, 3)), RNG.lognormal(0.0, 4.0, 1000)],
    "few sums, mostly none": np.c_[
        RNG.normal(size=(1000, 3)), np.where(RNG.random(1000) < 0.1, 99999.0, 0.0)
    ],
    "equal columns": np.ones((50, 3)),
    "enormous": RNG.normal(size=(50, 3)) * 1e200,
    "sparse": sparse.csr_matrix(INCOME),
    "one row too few": INCOME[:9],
}


def told(do):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        do()
    return [each for each in found if each.category is UnscaledColumnsWarning]


def look(X):
    return told(lambda: warn_of_scales("SVC", X, X))


@pytest.mark.parametrize("name", SENSIBLE)
def test_sensible_columns_are_no_reason_to_warn(name):
    assert look(SENSIBLE[name]) == []


@pytest.mark.parametrize("X", [*BASES.values(), INCOME, INCOME[:, :2], INCOME.astype("f4")])
def test_columns_in_units_of_their_own_are(X):
    assert len(look(X)) == 1
    assert look(StandardScaler().fit_transform(X)) == []


def test_the_sentence_names_columns_and_the_line_that_mends_it():
    (found,) = told(lambda: SVC().fit(*WINE))
    assert "make_pipeline(StandardScaler(), SVC(...))" in str(found.message)
    assert "such as column 12, decide" in str(found.message)
    assert found.filename == __file__


def kernel_machines():
    exported = (getattr(maxmargin, name) for name in maxmargin.__all__)
    kinds = [e for e in exported if inspect.isclass(e) and issubclass(e, BaseEstimator)]
    return [kind for kind in kinds if issubclass(kind, KernelEstimator)]


@pytest.mark.parametrize("kind", kernel_machines())
def test_every_kernel_machine_warns_once(kind):
    parameters = inspect.signature(kind).parameters
    model = kind(**({"kernel": RBF(1.0)} if "kernel" in parameters else {}))
    if "kernels" in parameters:
        model.set_params(kernels=[RBF("scale"), Linear()])
    X = np.c_[1e4 * RNG.normal(size=60), RNG.normal(size=60)]
    y = (X[:, 0] > 0).astype(int)
    assert len(told(lambda: model.fit(X, y))) == 1


MODELS = {
    "a pipeline": make_pipeline(FunctionTransformer(), SVC()),
    "a search": GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2),
    "a parallel search": GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2, n_jobs=2),
    "our search": SVCCV(Cs=2, gammas=2, cv=2),
    "several classes": OneVsRestClassifier(SVC()),
    "a bag": BaggingClassifier(SVC(), n_estimators=3),
    "landmarks": make_pipeline(Nystroem(RBF("scale"), n_components=20), LinearSVC()),
    "frequencies": make_pipeline(FourierFeatures(RBF("scale"), n_components=20), LinearSVC()),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.sweep if "parallel" in n else ()) for n in MODELS],
)
def test_whatever_fits_it_it_is_said_once(name):
    assert len(told(lambda: MODELS[name].fit(*WINE))) == 1


@pytest.mark.parametrize(
    "kernel",
    [RBF(1.0), Laplacian(1.0), Polynomial(2), Sigmoid(), 2.0 * RBF(1.0) + 1, Linear() ** 2],
)
def test_kernels_that_add_columns_up_say_so(kernel):
    assert kernel.adds_columns


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(1), RBF(1.0).restrict([0, 1])])
def test_others_do_not(kernel):
    assert not kernel.adds_columns
    assert told(lambda: SVC(kernel=kernel, max_iter=5).fit(*WINE)) == []

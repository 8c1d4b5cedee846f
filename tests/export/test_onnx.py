"""ONNX Runtime agrees with every family of models."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import maxmargin as mm
from maxmargin import kernels
from maxmargin.export import ExportError, to_onnx
from maxmargin.neighbors import KNeighborsClassifierCV, KNeighborsRegressorCV
from maxmargin.svm.multiclass import _Constant
from tests.export.runtime import assert_same

RANDOM = np.random.default_rng(0)
X, NEW = RANDOM.normal(size=(90, 4)), RANDOM.normal(size=(40, 4))
TWO = (X[:, 0] + 0.5 * RANDOM.normal(size=90) > 0).astype(int)
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
NUMBER = X[:, 0] + np.sin(3 * X[:, 1])
GAPS = np.where(RANDOM.random(NEW.shape) < 0.2, np.nan, NEW)

KERNELS = [
    kernels.Linear(),
    kernels.RBF(0.5),
    kernels.Laplacian(0.5),
    kernels.Polynomial(degree=3),
    kernels.Sigmoid(0.1, 0.0),
    kernels.Matern(2.5, 0.5),
    kernels.Matern(1.5, 0.5, "absolute"),
    kernels.RationalQuadratic(2.0, 0.5),
    kernels.RBF(0.5) + 2.0 * kernels.Linear(),
    kernels.RBF(0.5) * kernels.Linear() ** 2,
    kernels.exp(kernels.Polynomial(degree=2).normalized()),
    kernels.RBF(1.0).restrict([0, 2]) + 1.0,
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernels_and_their_algebra(kernel):
    assert len(assert_same(mm.SVC(kernel=kernel).fit(X, TWO), NEW)["label"]) == len(NEW)


MACHINES = {
    "pairs": mm.SVC(),
    "rest": mm.SVC(multiclass="ovr"),
    "values of pairs": mm.SVC(decision_function_shape="ovo"),
    "ties": mm.SVC(break_ties=True),
    "nu": mm.NuSVC(nu=0.1),
    "landmarks": mm.SVC(approximate=20),
    "search": mm.SVCCV(cv=2),
    "linear": mm.LinearSVC(),
    "logistic": mm.LinearClassifier(),
    "kernel logistic": mm.KernelLogisticRegression(),
    "mixture": mm.MultipleKernelSVC(),
    "discriminant": mm.KernelDiscriminant(),
    "one against one": mm.OneVsOneClassifier(mm.LinearSVC()),
    "one against the rest": mm.OneVsRestClassifier(mm.SVC()),
    "neighbours": KNeighborsClassifierCV(),
    "forest": RandomForestClassifier(5, random_state=0),
    "regression": LogisticRegression(),
    "axes": LinearDiscriminantAnalysis(),
    "trees": mm.AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=5),
    "boosted trees": mm.BoostingClassifier(
        estimator=DecisionTreeRegressor(max_depth=2), n_estimators=5
    ),
    "bag": mm.BaggingClassifier(DecisionTreeClassifier(), n_estimators=5),
    "calibrated": CalibratedClassifierCV(mm.LinearSVC(), cv=2),
    "features": make_pipeline(StandardScaler(), kernels.Nystroem(n_components=20), mm.LinearSVC()),
    "waves": make_pipeline(
        MinMaxScaler(), kernels.FourierFeatures(n_components=20), mm.LinearSVC()
    ),
    "steps": make_pipeline(
        RobustScaler(), PCA(3, whiten=True), PolynomialFeatures(2), MaxAbsScaler(), mm.LinearSVC()
    ),
    "columns": make_pipeline(
        make_column_transformer((Normalizer(), [0, 1]), remainder="passthrough"), mm.SVC()
    ),
    "grid": GridSearchCV(mm.SVC(), {"C": [1.0, 10.0]}, cv=2),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MACHINES)
def test_classifiers_of_two_and_three_classes(name):
    for labels in (TWO, THREE):
        assert "label" in assert_same(MACHINES[name].fit(X, labels), NEW)


TAKE_GAPS = {
    "AdaBoost": mm.AdaBoostClassifier(n_estimators=10),
    "boosting": mm.BoostingClassifier(n_estimators=10),
    "bag": mm.BaggingClassifier(n_estimators=5),
    "glass box": mm.GlassBoxClassifier(n_estimators=20, n_bags=2),
    "stump": mm.DecisionStump(),
    "table": mm.TableSVC(),
    "tree": DecisionTreeClassifier(max_depth=3),
    "histogram": HistGradientBoostingClassifier(max_iter=2),
    "imputed": make_pipeline(SimpleImputer(add_indicator=True), mm.LinearSVC()),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TAKE_GAPS)
def test_gaps_go_where_they_went(name):
    rows = np.where(RANDOM.random(X.shape) < 0.1, np.nan, X)
    for labels in (TWO, THREE):
        assert "label" in assert_same(TAKE_GAPS[name].fit(rows, labels), GAPS)


REGRESSORS = {
    "SVR": mm.SVR(),
    "linear": mm.LinearSVR(),
    "huber": mm.KernelMachineRegressor(),
    "boosting": mm.BoostingRegressor(n_estimators=10),
    "counts": mm.BoostingRegressor("poisson", n_estimators=10),
    "glass box": mm.GlassBoxRegressor(n_estimators=20, n_bags=2),
    "stump": mm.RegressionStump(),
    "table": mm.TableSVR(),
    "neighbours": KNeighborsRegressorCV(),
    "ridge": Ridge(),
    "trees": ExtraTreesRegressor(5, random_state=0),
    "histogram": HistGradientBoostingRegressor(max_iter=2),
    "scaled": TransformedTargetRegressor(mm.SVR(), transformer=StandardScaler()),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name):
    assert "value" in assert_same(REGRESSORS[name].fit(X, np.exp(NUMBER)), NEW)


@pytest.mark.parametrize("model", [mm.OneClassSVM(), mm.TableOneClass()], ids=repr)
def test_sides_of_one_class(model):
    assert set(assert_same(model.fit(X), NEW)["label"].tolist()) <= {-1, 1}


def test_a_class_that_a_part_of_the_problems_lacks():
    model = mm.OneVsRestClassifier(mm.LinearSVC()).fit(X[:20], THREE[:20])
    model.estimators_[1] = _Constant(0)
    assert "label" in assert_same(model, NEW)


def test_rows_far_from_the_origin():
    assert "label" in assert_same(mm.SVC().fit(X + 1e4, TWO), NEW + 1e4)


def test_probabilities_of_a_temperature():
    with pytest.warns(FutureWarning, match="probability"):
        model = mm.SVC(probability=True, random_state=0).fit(X, THREE)
    assert "probabilities" in assert_same(model, NEW)


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (mm.SVC(kernel=kernels.Spectrum(2)).fit(["abab", "baba", "aabb"], [0, 1, 0]), "Spectrum"),
        (mm.SVC(kernel="precomputed").fit(np.eye(4), [0, 1, 0, 1]), "Precomputed"),
        (mm.SVC(kernel=kernels.FromFunction(np.vdot)).fit(X, TWO), "FromFunction"),
    ],
    ids=["strings", "matrix", "function"],
)
@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_expressed_is_refused_by_name(model, named):
    with pytest.raises(ExportError, match=f"{named} cannot be exported: "):
        to_onnx(model, X[:1])


def test_what_is_no_model_is_refused():
    with pytest.raises(ExportError, match="object cannot be exported"):
        to_onnx(object(), X[:1])


def test_without_onnx_the_sentence_has_the_pip_line(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match=r'pip install "maxmargin\[onnx\]"'):
        to_onnx(mm.LinearSVC().fit(X, TWO))

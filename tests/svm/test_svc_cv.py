"""SVCCV: the scores of a full search, point by point, with its work done once."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as LibSVC  # noqa: N811

from maxmargin import SVC, SVCCV, Status
from maxmargin.kernels import RBF, FromFunction, Laplacian, Linear, Polynomial
from maxmargin.svm.training import Training

TIGHT = 1e-6  # so that two searches agree on every row
CS, GAMMAS = [0.1, 1.0, 10.0, 100.0], [0.01, 0.1, 1.0]
X, y = make_classification(150, 6, n_informative=4, n_classes=3, random_state=0)
X2, y2 = make_classification(120, 5, flip_y=0.2, random_state=1)
WORDS = np.array(["no", "yes", "maybe"])


def assert_same_search(ours, theirs):
    """Every fold's score of every point, in the same order, and the same choice."""
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    for name, column in theirs.cv_results_.items():
        if name.endswith("_test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], column, atol=1e-12, err_msg=name)
        if name.startswith("param_"):
            assert ours.cv_results_[name].tolist() == column.tolist()
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("memory", [1000.0, 0.0], ids=["shared", "no room"])
def test_the_scores_are_those_of_a_full_search(kernel, classes, memory):
    data = (X2, y2) if classes == 2 else (X, y)
    grid = {"C": CS} | ({} if kernel == "linear" else {"gamma": GAMMAS})
    theirs = GridSearchCV(SVC(kernel=kernel, tol=TIGHT), grid).fit(*data)
    ours = SVCCV(CS, GAMMAS, kernel=kernel, memory=memory, tol=TIGHT).fit(*data)
    assert_same_search(ours, theirs)
    np.testing.assert_array_equal(ours.predict(data[0]), theirs.predict(data[0]))
    assert ours.certificate_.status is Status.CERTIFIED


def test_the_scores_are_those_of_scikit_learn_but_for_rows_on_the_boundary():
    theirs = GridSearchCV(LibSVC(), {"C": CS, "gamma": GAMMAS}).fit(X2, y2)
    ours = SVCCV(CS, GAMMAS).fit(X2, y2)
    for fold in range(5):
        name = f"split{fold}_test_score"
        apart = np.abs(ours.cv_results_[name] - theirs.cv_results_[name]) * len(y2) / 5
        assert (apart < 1.5).all()  # a row


@pytest.mark.parametrize(
    "options",
    [
        {"class_weight": "balanced"},
        {"multiclass": "ovr"},
        {"decision_function_shape": "ovo"},
        {"break_ties": True},
        {"tol": 1e-5},
    ],
    ids=str,
)
def test_options_of_the_machine(options):
    options = {"tol": TIGHT, **options}
    theirs = GridSearchCV(SVC(**options), {"C": CS, "gamma": GAMMAS}).fit(X, y)
    assert_same_search(SVCCV(CS, GAMMAS, **options).fit(X, y), theirs)


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", "average_precision", "f1"])
def test_any_scorer(scoring):
    theirs = GridSearchCV(SVC(tol=TIGHT), {"C": CS, "gamma": GAMMAS}, scoring=scoring).fit(X2, y2)
    ours = SVCCV(CS, GAMMAS, scoring=scoring, tol=TIGHT).fit(X2, y2)
    assert_same_search(ours, theirs)
    assert ours.score(X2, y2) == pytest.approx(theirs.score(X2, y2))


@pytest.mark.parametrize(
    "cv", [3, RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), LeaveOneOut()]
)
def test_any_splitter(cv):
    some = slice(None, None, 4)
    theirs = GridSearchCV(SVC(), {"C": CS[:2], "gamma": GAMMAS}, cv=cv).fit(X2[some], y2[some])
    assert_same_search(SVCCV(CS[:2], GAMMAS, cv=cv).fit(X2[some], y2[some]), theirs)


def test_groups_and_weights():
    groups, weight = np.arange(len(y2)) // 6, np.random.default_rng(0).uniform(0, 2, len(y2))
    theirs = GridSearchCV(SVC(), {"C": CS, "gamma": GAMMAS}, cv=GroupKFold(4))
    theirs.fit(X2, y2, groups=groups, sample_weight=weight)
    ours = SVCCV(CS, GAMMAS, cv=GroupKFold(4)).fit(X2, y2, weight, groups)
    assert_same_search(ours, theirs)


def test_gammas_that_rows_decide_are_those_of_each_fold():
    gammas = ["scale", "auto", 0.5]
    theirs = GridSearchCV(SVC(), {"C": CS, "gamma": gammas}).fit(X, y)
    assert_same_search(SVCCV(CS, gammas).fit(X, y), theirs)


def test_kernel_values_with_parameters_of_their_own():
    kernel = 0.5 * RBF(gamma=1.0) + Polynomial(degree=2)
    grid = {"left__kernel__gamma": [0.1, 1.0], "right__degree": [1, 2]}
    ours = SVCCV(CS, kernel=kernel, grid=grid).fit(X, y)
    whole = {"C": CS, **{f"kernel__{name}": values for name, values in grid.items()}}
    assert_same_search(ours, GridSearchCV(SVC(kernel=kernel), whole).fit(X, y))
    assert kernel == 0.5 * RBF(gamma=1.0) + Polynomial(degree=2)


def test_matrices_items_and_sparse_rows():
    K = RBF(0.1)(X)
    plain = SVCCV(CS, [0.1]).fit(X, y)
    matrix = SVCCV(CS, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(
        matrix.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )
    items = SVCCV(CS, kernel=FromFunction(lambda a, b: float(np.dot(a, b)))).fit(list(X), y)
    np.testing.assert_allclose(
        items.cv_results_["mean_test_score"],
        SVCCV(CS, kernel="linear").fit(X, y).cv_results_["mean_test_score"],
    )
    rows = SVCCV(CS, GAMMAS).fit(sparse.csr_matrix(X), y)
    assert_same_search(rows, SVCCV(CS, GAMMAS).fit(X, y))


def test_any_number_of_threads_and_words_as_labels():
    one, three = (SVCCV(CS, GAMMAS, n_jobs=n).fit(X, WORDS[y]) for n in (1, 3))
    assert_same_search(one, three)
    np.testing.assert_array_equal(one.decision_function(X), three.decision_function(X))
    assert set(one.predict(X)) <= set(WORDS)


def test_numbers_of_points():
    model = SVCCV(Cs=3, gammas=2).fit(X2, y2)
    assert len(model.cv_results_["params"]) == 6
    assert sorted({p["C"] for p in model.cv_results_["params"]}) == pytest.approx([0.1, 10, 1000])
    model = make_pipeline(StandardScaler(), SVCCV(Cs=2, gammas=2)).fit(X2, y2)
    assert model[-1].C_ in (0.1, 1000.0)


def test_linear_kernels_have_no_gamma():
    assert SVCCV(CS, kernel=Linear()).fit(X2, y2).best_params_.keys() == {"C"}


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"Cs": [1.0, -1.0]}, "'Cs' parameter"),
        ({"Cs": 0}, "'Cs' parameter"),
        ({"gammas": "scale"}, "'gammas' parameter"),
        ({"gammas": 0}, "'gammas' parameter"),
        ({"memory": -1}, "'memory' parameter"),
        ({"tol": 0}, "'tol' parameter"),
    ],
)
def test_wrong_parameters_are_named(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        SVCCV(**params).fit(X2, y2)


def test_a_race_drops_only_points_that_are_surely_worse():
    full = SVCCV(CS, GAMMAS, cv=5).fit(X2, y2)
    race = SVCCV(CS, GAMMAS, cv=5, race=True).fit(X2, y2)
    scores = [model.cv_results_["mean_test_score"] for model in (full, race)]
    dropped = np.isnan(scores[1])
    assert 0 < dropped.sum() < len(dropped)
    np.testing.assert_allclose(scores[1][~dropped], scores[0][~dropped], atol=1.5 / len(y2))
    assert race.best_params_ == full.best_params_
    first = [race.cv_results_[f"split{fold}_test_score"] for fold in range(2)]
    assert np.isfinite(first).all()  # two folds at least before anything is dropped


def test_what_is_not_scored_in_time_is_missing_and_the_rest_counts():
    rng = np.random.default_rng(0)
    rows, label = rng.normal(size=(4000, 20)), rng.integers(0, 2, 4000)
    model = SVCCV(np.geomspace(0.01, 1e6, 6), np.geomspace(1e-3, 1.0, 6), time_limit=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows, label)
    mean = model.cv_results_["mean_test_score"]
    assert model.stop_ is Status.TIME_LIMIT
    assert np.isnan(mean).any()
    if np.isfinite(mean).any():
        assert model.best_score_ == np.nanmax(mean)
    assert model.predict(rows[:3]).shape == (3,)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.7), RBF(sigma=2.0), Laplacian(gamma=0.3)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_serve_kernels_of_every_rate(kernel, dtype):
    rows = kernel.prepare(X.astype(dtype))
    D, K = np.empty((len(X), len(X)), dtype), np.empty((len(X), len(X)), np.float32)
    kernel.distances(rows, rows, D)
    kernel.of_distances(D, K)
    assert kernel.distance in ("squared", "absolute")
    assert (D >= 0).all()
    np.testing.assert_allclose(K, kernel(X), atol=1e-5)


def test_steps_that_run_out_are_told():
    with pytest.warns(ConvergenceWarning) as told:
        SVCCV([1.0, 10.0], [1.0], max_iter=2).fit(X2, y2)
    search, fit = (str(warning.message) for warning in told)
    assert "max_iter steps" in search
    assert "terminated early" in fit


def test_rows_that_do_not_count_in_fits_do_not_count_in_scores():
    weight = np.where(np.arange(len(y2)) % 3, 1.0, -1.4)
    ours = SVCCV(CS, GAMMAS).fit(X2, y2, weight)
    zero = SVCCV(CS, GAMMAS).fit(X2, y2, np.maximum(weight, 0.0))
    assert_same_search(ours, zero)
    assert ours.cv_results_["mean_test_score"].max() <= 1.0
    weight = np.where(np.arange(len(y2)) < 24, 0.0, 1.0)  # nothing to judge the first fold by
    empty = SVCCV(CS, [0.1], cv=KFold(5)).fit(X2, y2, weight)
    assert np.isnan(empty.cv_results_["split0_test_score"]).all()


@pytest.mark.parametrize("kernel", ["poly", Polynomial(degree=3)], ids=["name", "value"])
def test_the_best_machine_has_the_parameters_that_were_chosen(kernel):
    grid = {"gamma": [0.01, 5.0], "degree": [1, 2], "coef0": [1.0, 2.0]}
    model = SVCCV([1.0, 10.0], kernel=kernel, grid=grid).fit(X2, y2)
    chosen = {name.partition("__")[2]: v for name, v in model.best_params_.items() if name != "C"}
    assert model.best_estimator_.kernel == Polynomial(**chosen)
    assert model.best_params_["C"] == model.best_estimator_.C


@pytest.mark.parametrize("data", [(X2, y2), (X, y)], ids=["two", "three"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_rows_drawn_several_times_count_as_often(data, multiclass):
    rng, n = np.random.default_rng(0), len(data[1])
    draws = [rng.integers(0, n, n) for _ in range(3)]
    cv = [(drawn, np.setdiff1d(np.arange(n), drawn)) for drawn in draws]
    given = {"tol": TIGHT, "multiclass": multiclass}
    theirs = GridSearchCV(SVC(**given), {"C": CS, "gamma": GAMMAS}, cv=cv).fit(*data)
    assert_same_search(SVCCV(CS, GAMMAS, cv=cv, **given).fit(*data), theirs)


def test_splits_may_be_masks():
    masks = [np.arange(len(y)) % 3 == k for k in range(3)]
    numbers = [(np.flatnonzero(~mask), np.flatnonzero(mask)) for mask in masks]
    ours = SVCCV(CS, [0.1], cv=[(~mask, mask) for mask in masks]).fit(X, y)
    assert_same_search(ours, SVCCV(CS, [0.1], cv=numbers).fit(X, y))


def test_what_rows_decide_of_a_kernel_is_decided_on_training_rows():
    far = X2.copy()
    far[:24] *= 30.0
    kernel = RBF("scale") + Linear()
    given = {"kernel": kernel, "tol": TIGHT}
    theirs = GridSearchCV(SVC(**given), {"C": CS[:2]}, cv=KFold(5)).fit(far, y2)
    assert_same_search(SVCCV(CS[:2], cv=KFold(5), **given).fit(far, y2), theirs)


def test_scorers_see_the_rows_as_they_came_and_no_others():
    table = pd.DataFrame(X2, columns=list("abcde"))

    def by_name(model, rows, truth):
        assert list(rows.columns) == list("abcde")
        return float((model.predict(rows) == truth).mean())

    named = SVCCV(CS, GAMMAS, scoring=by_name).fit(table, y2)
    assert_same_search(named, SVCCV(CS, GAMMAS).fit(X2, y2))
    with pytest.raises(ValueError, match="a scorer that changes or picks rows"):
        SVCCV(CS, GAMMAS, scoring=lambda m, rows, t: m.predict(rows + 5).mean()).fit(X2, y2)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"gammas": []}, "'gammas' parameter .* at least one"),
        ({"cv": []}, "'cv' parameter .* at least one split"),
        ({"cv": [(np.arange(200, 210), np.arange(3))]}, "'cv' parameter"),
        ({"cv": [(np.flatnonzero(y2 == 0), np.arange(3))]}, "Split 0 .* one class"),
        ({"scoring": ["accuracy", "f1"]}, "'scoring' parameter"),
    ],
)
def test_searches_that_cannot_be_made_say_why(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        SVCCV(**params).fit(X2, y2)


def test_without_room_for_all_that_is_kept_nothing_is(monkeypatch):
    stored = []
    monkeypatch.setattr(Training, "stored", lambda self, matrix: stored.append(matrix))
    need = 3 * 8 * len(y2) ** 2 / 2**20  # one kernel, one thread, and a square that is cut out
    SVCCV(CS, [0.1], memory=0.6 * need, n_jobs=1).fit(X2, y2)
    assert stored == []

"""LinearSVCCV: the scores of a full search, each fit begun where the one before ended."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold

from maxmargin import LinearSVC, LinearSVCCV, Status

CS, TIGHT = [0.01, 0.1, 1.0, 10.0], 1e-8  # so that two searches agree on every row
X, y = make_classification(150, 6, n_informative=4, n_classes=3, random_state=0)
X2, y2 = make_classification(120, 5, flip_y=0.2, random_state=1)


def assert_same_search(ours, theirs):
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for name, column in theirs.cv_results_.items():
        if name.endswith("_test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], column, atol=1e-12, err_msg=name)
    assert ours.best_params_ == theirs.best_params_


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": "hinge"},
        {"penalty": "l1", "dual": False},
        {"intercept": "free"},
        {"class_weight": "balanced"},
        {"solver": "dual_coordinate", "max_iter": 100_000, "tol": 1e-5},
        {"multi_class": "crammer_singer", "max_iter": 20_000, "tol": 1e-5},
    ],
    ids=str,
)
@pytest.mark.parametrize("data", [(X2, y2), (X, y)], ids=["two", "three"])
def test_the_scores_are_those_of_a_full_search(options, data):
    options = {"tol": TIGHT, **options}
    theirs = GridSearchCV(LinearSVC(**options), {"C": CS}).fit(*data)
    ours = LinearSVCCV(CS, **options).fit(*data)
    assert_same_search(ours, theirs)
    np.testing.assert_array_equal(ours.coef_, theirs.best_estimator_.coef_)
    assert ours.stop_ is Status.CERTIFIED


def test_groups_weights_scorers_and_sparse_rows():
    groups, weight = np.arange(len(y2)) // 6, np.random.default_rng(0).uniform(0, 2, len(y2))
    given = {"cv": GroupKFold(4), "scoring": "roc_auc"}
    theirs = GridSearchCV(LinearSVC(tol=TIGHT), {"C": CS}, **given)
    theirs.fit(X2, y2, groups=groups, sample_weight=weight)
    rows = sparse.csr_matrix(X2)
    ours = LinearSVCCV(CS, tol=TIGHT, **given).fit(rows, y2, weight, groups)
    assert_same_search(ours, theirs)
    assert ours.score(rows, y2) == pytest.approx(theirs.score(X2, y2))


def test_any_number_of_threads():
    one, three = (LinearSVCCV(CS, n_jobs=n).fit(X, y) for n in (1, 3))
    assert_same_search(one, three)
    np.testing.assert_array_equal(one.coef_, three.coef_)


def test_steps_that_run_out_are_told():
    with pytest.warns(ConvergenceWarning) as told:
        LinearSVCCV([1.0, 10.0], max_iter=1, tol=1e-9, solver="dual_coordinate").fit(X2, y2)
    assert any("max_iter steps" in str(warning.message) for warning in told)


def test_wrong_costs_are_named():
    with pytest.raises(ValueError, match="'Cs' parameter of LinearSVCCV must be"):
        LinearSVCCV([0.0]).fit(X2, y2)

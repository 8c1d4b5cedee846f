"""scikit-learn's own checks of an estimator, none of them expected to fail or to be skipped."""

import os
import subprocess
import sys

import pytest
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from maxmargin import (
    SVC,
    SVR,
    HardMarginSVC,
    KernelDiscriminant,
    KernelLogisticRegression,
    KernelMachineRegressor,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    MultipleKernelSVC,
    NotSeparable,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OneVsOneClassifier,
    OneVsRestClassifier,
    SlackBudgetSVC,
)
from maxmargin.kernels import RBF, Linear

# The check of foreign arrays needs an environment variable that SciPy reads when it is imported.
ELSEWHERE = "check_array_api_input"
ESTIMATORS = [
    SVC(),
    SVC(kernel="linear"),
    SVC(kernel=RBF(gamma=0.5) + Linear()),
    SVC(multiclass="ovr"),
    OneVsOneClassifier(SVC()),
    OneVsRestClassifier(SVC()),
    SlackBudgetSVC(budget=10.0, kernel="rbf", break_ties=True),
    LinearSVC(),
    LinearSVC(loss="hinge"),
    LinearSVC(intercept="free"),
    LinearSVC(penalty="l1"),
    LinearClassifier(),
    LinearClassifier("hinge"),
    LinearClassifier(penalty="l1"),
    SVR(),
    LinearSVR(loss="squared_epsilon_insensitive"),
    KernelLogisticRegression(),
    KernelMachineRegressor(),
    KernelDiscriminant(),
]

# Weights and repeated rows are to agree to seven digits. These stop where the gap is small enough,
# as asked, and agree to that; test_linear_svc.py asks them for a smaller one.
ESTIMATORS_TO_A_GAP = [
    LinearSVC(loss="hinge", intercept="free", solver="working_set"),
    LinearSVC(multi_class="crammer_singer", tol=1e-3),
    LinearSVC(solver="dual_coordinate"),
    LinearClassifier(penalty=None, max_iter=30),
    SVC(approximate=20),
    MultipleKernelSVC(),
    NuSVC(),
    NuSVR(),
    LinearSVR(),
    OneClassSVM(),  # whose rows on the boundary have a value of 0 up to rounding
]
TO_SEVEN_DIGITS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


# A share of one half cannot be met where nearly all of the weight is one class's.
IMPOSSIBLE = {("NuSVC", "check_class_weight_classifiers")}


def checks():
    for estimator in ESTIMATORS + ESTIMATORS_TO_A_GAP:
        apart = {ELSEWHERE} | (TO_SEVEN_DIGITS if estimator in ESTIMATORS_TO_A_GAP else set())
        for each, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if (type(estimator).__name__, name) in IMPOSSIBLE:
                continue
            if name not in apart:
                yield pytest.param(each, check, id=f"{estimator!r}-{name}".replace(" ", ""))


# Some checks allow a thousand steps only, on data that are not scaled.
@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.filterwarnings("ignore:STALLED. rho is 0")  # of labels drawn at random
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
# Others have separable classes, on which maximum likelihood has no maximum.
@pytest.mark.filterwarnings("ignore:The classes are separable")
@pytest.mark.filterwarnings("ignore:ITERATION_LIMIT")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_check(estimator, check):
    check(estimator)


SCRIPT = f"""
from sklearn.utils.estimator_checks import check_estimator
from maxmargin import SVC, LinearClassifier, LinearSVC, OneVsOneClassifier, OneVsRestClassifier
wrapped = OneVsOneClassifier(SVC()), OneVsRestClassifier(SVC())
for estimator in (SVC(), *wrapped, LinearSVC(), LinearClassifier()):
    results = check_estimator(estimator, on_skip=None)
    assert "{ELSEWHERE}" in {{result["check_name"] for result in results}}
    assert {{result["status"] for result in results}} == {{"passed"}}
"""


def test_all_of_check_estimator_without_a_skip():
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.filterwarnings("ignore")
def test_nothing_is_expected_to_fail():
    results = check_estimator(SVC(), on_skip=None, on_fail=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {ELSEWHERE}
    assert not any(r["expected_to_fail"] for r in results)


# A hard margin cannot be fitted to the data of these checks, and says so with a proof. The first
# have equal rows with different labels, which no kernel separates; the others' no line does.
EQUAL_ROWS = {
    "check_estimator_sparse_tag",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
}
NOT_LINEAR = EQUAL_ROWS | {
    "check_classifier_data_not_an_array",
    "check_classifiers_train",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_non_transformer_estimators_n_iter",
    "check_positive_only_tag_during_fit",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_supervised_y_2d",
}


def causes(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "not_separable"),
    [(HardMarginSVC(kernel="rbf", gamma=10.0), EQUAL_ROWS), (HardMarginSVC(), NOT_LINEAR)],
    ids=["rbf", "linear"],
)
def test_a_hard_margin_fails_only_where_the_data_are_not_separable(estimator, not_separable):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    failed = [r for r in results if r["status"] == "failed"]
    assert {r["check_name"] for r in failed} == not_separable
    for result in failed:
        assert any(isinstance(e, NotSeparable) for e in causes(result["exception"])), result
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {ELSEWHERE}

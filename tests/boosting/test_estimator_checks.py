"""scikit-learn's own checks of an estimator, none of them expected to fail or to be skipped."""

import os
import subprocess
import sys

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from maxmargin.boosting import (
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    DecisionStump,
    LPBoostClassifier,
    RegressionStump,
)
from maxmargin.losses import Huber

# The check of foreign arrays needs an environment variable that SciPy reads when it is imported.
ELSEWHERE = "check_array_api_input"
ESTIMATORS = [
    AdaBoostClassifier(),
    AdaBoostClassifier(DecisionStump("gini")),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=10),
    BaggingClassifier(),
    BaggingClassifier(DecisionTreeClassifier(max_depth=2)),
    BoostingClassifier(n_estimators=10),
    BoostingClassifier("exponential", DecisionStump(), n_estimators=10),
    BoostingClassifier(estimator=GaussianNB(), n_estimators=5),
    BoostingRegressor(),
    BoostingRegressor(Huber(level=0.9)),
    BoostingRegressor("absolute_error", DecisionTreeRegressor(max_depth=2), n_estimators=20),
    BoostingRanker(n_estimators=10),
    DecisionStump(),
    DecisionStump("gini"),
    LPBoostClassifier(tol=0.3),
    RegressionStump(),
]

# Rows drawn by weight are others when their number is: a row of weight two is not two rows.
ESTIMATORS_THAT_DRAW = [
    AdaBoostClassifier(KNeighborsClassifier(1), n_estimators=5, resample=True),
    AdaBoostClassifier(n_estimators=5, resample=True),
]
OF_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


def checks():
    for estimator in ESTIMATORS + ESTIMATORS_THAT_DRAW:
        apart = {ELSEWHERE} | (OF_WEIGHTS if estimator in ESTIMATORS_THAT_DRAW else set())
        for each, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if name not in apart:
                yield pytest.param(each, check, id=f"{estimator!r}-{name}".replace(" ", ""))


@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_check(estimator, check):
    check(estimator)


SCRIPT = f"""
from sklearn.utils.estimator_checks import check_estimator
from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier
from maxmargin.boosting import BoostingClassifier, BoostingRanker, BoostingRegressor
from maxmargin.boosting import DecisionStump, RegressionStump
ours = BoostingClassifier(n_estimators=5), BoostingRegressor(), BoostingRanker(n_estimators=5)
stumps = DecisionStump(), DecisionStump("gini"), RegressionStump()
for estimator in (AdaBoostClassifier(), BaggingClassifier(), *ours, *stumps):
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
@pytest.mark.parametrize("estimator", [AdaBoostClassifier()])
def test_nothing_is_expected_to_fail(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {ELSEWHERE}
    assert not any(r["expected_to_fail"] for r in results)

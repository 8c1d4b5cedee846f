"""scikit-learn's own checks of an estimator, none of them expected to fail or to be skipped."""

import os
import subprocess
import sys

import pytest
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from maxmargin import SVC, OneVsOneClassifier, OneVsRestClassifier
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
]


def checks():
    for estimator in ESTIMATORS:
        for each, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if name != ELSEWHERE:
                yield pytest.param(each, check, id=f"{estimator!r}-{name}".replace(" ", ""))


# Some checks allow a thousand steps only, on data that are not scaled.
@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_check(estimator, check):
    check(estimator)


SCRIPT = f"""
from sklearn.utils.estimator_checks import check_estimator
from maxmargin import SVC, OneVsOneClassifier, OneVsRestClassifier
for estimator in (SVC(), OneVsOneClassifier(SVC()), OneVsRestClassifier(SVC())):
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

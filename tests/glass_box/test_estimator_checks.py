"""scikit-learn's own checks, none of them expected to fail."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from maxmargin import GlassBoxClassifier, GlassBoxRegressor

ELSEWHERE = "check_array_api_input"  # which needs an environment variable


def checks():
    for estimator in (GlassBoxClassifier(), GlassBoxRegressor()):
        for each, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if name != ELSEWHERE:
                yield pytest.param(each, check, id=f"{type(each).__name__}-{name}")


@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_check(estimator, check):
    check(estimator)

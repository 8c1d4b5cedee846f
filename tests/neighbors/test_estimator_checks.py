import pytest
from sklearn.utils.estimator_checks import check_estimator

from maxmargin import neighbors

# Of each class the plain one, and of searches over columns the shorter.
MODELS = [
    neighbors.CondensedNeighbors(),
    neighbors.EditedNeighbors(),
    neighbors.KNeighborsClassifierCV(),
    neighbors.KNeighborsRegressorCV(),
    neighbors.MixedNeighborsClassifier(),
    neighbors.MixedNeighborsRegressor(),
    neighbors.MixedNeighborsClassifier(selection="eliminate"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_scikit_learns_checks(model):
    results = check_estimator(model, on_skip=None)
    skipped = {each["check_name"] for each in results if each["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}

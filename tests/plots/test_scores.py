import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from maxmargin.evaluation import RocCurve
from maxmargin.plots.scores import curves_of, named_models, probabilities_of

X, Y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
MODEL = LogisticRegression().fit(X, Y)


def test_a_model_has_the_name_of_its_class():
    assert named_models(MODEL) == {"LogisticRegression": MODEL}
    assert named_models({"mine": MODEL}) == {"mine": MODEL}


def test_curves_are_made_of_decision_values():
    assert curves_of(MODEL, X, Y, RocCurve, "classifiers")["LogisticRegression"].area == 1.0
    with pytest.raises(ValueError, match="one class"):
        curves_of(MODEL, X, np.zeros(6), RocCurve, "classifiers")


def test_probabilities_are_those_of_the_second_class():
    hits, p = probabilities_of(MODEL, X, Y, "classifiers")
    assert hits.tolist() == (Y == 1).tolist()
    np.testing.assert_array_equal(p, MODEL.predict_proba(X)[:, 1])
    with pytest.raises(TypeError, match="classifiers"):
        probabilities_of(Ridge().fit(X, Y), X, Y, "classifiers")

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, LinearClassifier, plots
from maxmargin.datasets import load_mixture

X, y = load_mixture(return_X_y=True)


def test_the_field_is_what_the_model_says_and_the_line_of_one_half_its_boundary():
    model = LinearClassifier().fit(X, y)
    display = plots.probability_field(model, X, y, grid_resolution=40)
    rows = np.c_[display.xx0.ravel(), display.xx1.ravel()]
    np.testing.assert_array_equal(display.probability.ravel(), model.predict_proba(rows)[:, 1])
    middle = display.lines_.get_paths()[2].vertices  # 0.1, 0.25, 0.5, ...
    np.testing.assert_allclose(model.decision_function(middle), 0, atol=5e-3)
    assert [len(points.get_offsets()) for points in display.points_] == [100, 100]
    assert display.bar_.ax.get_ylabel() == "probability of class 1"


def test_names_pipelines_and_one_axes_of_several():
    names = pd.DataFrame(X, columns=["width", "$ price"])
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(names, y)
    display = plots.probability_field(model, names, y, grid_resolution=20, bar=False)
    assert display.bar_ is None
    assert display.ax_.get_ylabel() == r"\$ price"
    sure = LinearClassifier(C=1e6).fit(X + 20.0 * y[:, None], y)
    assert plots.probability_field(sure, X[:3], y[:3], grid_resolution=5).lines_ is None


def test_what_has_no_field_is_refused_in_a_sentence():
    with pytest.raises(TypeError, match="SVC has no probabilities: a field is drawn of a classi"):
        plots.probability_field(SVC().fit(X, y), X, y)
    three = LogisticRegression().fit(X, np.arange(200) % 3)
    with pytest.raises(ValueError, match="knows 3 classes, but a field of probabilities is drawn"):
        plots.probability_field(three, X, y)
    two = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="y holds 7, which is no class of the model"):
        plots.probability_field(two, X, np.full(200, 7))

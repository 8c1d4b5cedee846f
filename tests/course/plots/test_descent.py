import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier
from maxmargin.datasets import load_mixture, load_ten_points


def test_steps_lie_in_the_plane_at_their_angles():
    model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    display = plots.descent(model)
    tips = np.array([arrow.xy for arrow in display.steps_.values()])
    np.testing.assert_allclose(tips[:, 0], model.descent_.cosine, rtol=1e-15)
    np.testing.assert_allclose((tips**2).sum(axis=1), 1.0, rtol=1e-15)
    said = [text.get_text() for text in display.axes_[0].texts if "round" in text.get_text()]
    assert said == ["round 1: 66°", "round 2: 58°", "round 3: 49°"]


def test_curves_are_those_of_the_model_and_rounds_may_be_chosen():
    X, y = load_mixture(return_X_y=True)
    model = make_pipeline(StandardScaler(), BoostingClassifier(n_estimators=40)).fit(X, y)
    _, axes = plt.subplots(1, 3)
    display = plots.descent(model, rounds=[5, 40], axes=axes)
    assert list(display.steps_) == [5, 40]
    assert display.axes_[2] is axes[2]
    descent = model[-1].descent_
    for name, drawn in (("cosine", "cosine"), ("first_order", "first_order")):
        np.testing.assert_array_equal(display.lines_[drawn].get_ydata(), descent[name])
    np.testing.assert_array_equal(display.lines_["after"].get_ydata()[1:], descent.after)


def test_what_has_no_gradient_or_no_such_round_is_refused():
    several = AdaBoostClassifier(n_estimators=3).fit(*load_wine(return_X_y=True))
    with pytest.raises(ValueError, match="has none of more than two classes"):
        plots.descent(several)
    two = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    with pytest.raises(ValueError, match=r"rounds must be some of 1, \.\.\., 3"):
        plots.descent(two, rounds=[4])

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, BoostingRegressor
from maxmargin.losses import Quantile


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def test_the_losses_of_both_parts_are_drawn(diabetes):
    model = BoostingRegressor(n_estimators=9, n_iter_no_change=9, random_state=0).fit(*diabetes)
    _, ax = plt.subplots()
    display = plots.loss_curves(model, log_rounds=True, ax=ax)
    assert display.ax_ is ax
    np.testing.assert_array_equal(display.lines_["train"].get_ydata(), model.train_loss_)
    np.testing.assert_array_equal(display.lines_["validation"].get_ydata(), model.validation_loss_)
    assert ax.get_ylabel() == "mean loss (squared error)"
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names == ["train loss", "validation loss"]


def test_without_a_validation_part_there_is_one_curve(diabetes):
    model = BoostingRegressor(Quantile(0.9), n_estimators=3).fit(*diabetes)
    display = plots.loss_curves(model)
    assert list(display.lines_) == ["train"]
    assert display.ax_.get_ylabel() == "mean loss (quantile)"


def test_a_model_without_losses_is_refused(diabetes):
    X, y = diabetes
    with pytest.raises(TypeError, match="AdaBoostClassifier has no train_loss_: losses are drawn"):
        plots.loss_curves(AdaBoostClassifier(n_estimators=2).fit(X, y > 100))
    assert plt.get_fignums() == []

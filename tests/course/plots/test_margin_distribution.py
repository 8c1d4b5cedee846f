import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn import ensemble
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier, BoostingClassifier
from maxmargin.datasets import load_mixture, load_ten_points
from maxmargin.plots import MarginDistributionDisplay


def test_margins_of_the_ten_points():
    X, y = load_ten_points(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    display = plots.margin_distribution(model, X, y, rounds=[3, 1])
    assert list(display.lines_) == [1, 3]
    assert sorted(set(display.margins[1])) == [-1.0, 1.0]
    a, b, c = 0.5 * np.log([7 / 3, 11 / 3, 19 / 3])
    # Each stump errs on three rows, no two on the same one, and one row is right in all rounds.
    expected = {x / (a + b + c) for x in (a + b - c, a - b + c, -a + b + c, a + b + c)}
    np.testing.assert_allclose(sorted(set(display.margins[3].round(12))), sorted(expected))


def test_the_curve_at_zero_is_the_training_error():
    X, y = load_mixture(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    display = plots.margin_distribution(model, X, y)
    assert list(display.lines_) == [5, 20]
    margin, share = display.lines_[20].get_data()
    assert share[margin <= 0].max() == pytest.approx(np.mean(model.predict(X) != y))
    assert share[-1] == 1.0
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names == ["after 5 rounds", "after 20 rounds", "wrong: margin ≤ 0"]


def test_nothing_is_written_where_curves_run():
    """Words at the line between wrong and right were overprinted by the curves."""
    X, y = load_mixture(return_X_y=True)
    ax = plots.margin_distribution(AdaBoostClassifier(n_estimators=20).fit(X, y), X, y).ax_
    assert list(ax.texts) == []
    (shade,) = ax.patches
    assert (shade.get_x(), shade.get_width()) == (-1.0, 1.0)
    assert shade.get_zorder() < min(line.get_zorder() for line in ax.lines)


@pytest.mark.parametrize("classes", [2, 3])
def test_scikit_learns_votes_have_the_same_margins(classes):
    X, _ = load_mixture(return_X_y=True)
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [0.5, 1.2][: classes - 1])]
    y[::9] = "a"
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    ours = AdaBoostClassifier(tree, n_estimators=7, random_state=0).fit(X, y)
    theirs = ensemble.AdaBoostClassifier(tree, n_estimators=7, random_state=0).fit(X, y)
    expected = ours.margins(X, y, rounds=7)
    found = plots.margin_distribution(theirs, X, y, rounds=[7]).margins[7]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_margins_of_bags():
    X, y = load_mixture(return_X_y=True)
    model = make_pipeline(StandardScaler(), BaggingClassifier(n_estimators=20, random_state=0))
    display = plots.margin_distribution(model.fit(X, y), X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(
        display.margins[20], np.where(y == 1, 1, -1) * (p[:, 1] - p[:, 0]), atol=1e-12
    )
    assert display.legend_.get_texts()[0].get_text() == "after 5 members"
    with pytest.raises(ValueError, match=r"one of \[0, 1\]"):
        plots.margin_distribution(model, X[:2], [0, 7])


def test_it_draws_plain_margins_on_given_axes():
    _, ax = plt.subplots()
    display = MarginDistributionDisplay(margins={1: np.array([0.1, -0.5])}).plot(ax=ax)
    assert display.ax_ is ax
    assert display.legend_.get_texts()[0].get_text() == "after 1 round"


def test_rounds_that_were_not_made_are_refused():
    X, y = load_ten_points(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match=r"rounds must be some of 1, \.\.\., 3"):
        plots.margin_distribution(model, X, y, rounds=[100])
    other = BoostingClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match="BoostingClassifier has no margins: they are drawn of a"):
        plots.margin_distribution(other, X, y)

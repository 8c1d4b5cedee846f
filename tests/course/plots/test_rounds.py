import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import ensemble
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import load_going_to_class, load_mixture, load_ten_points
from maxmargin.plots import RoundsDisplay


@pytest.fixture
def ten():
    X, y = load_ten_points(return_X_y=True)
    return AdaBoostClassifier(n_estimators=3).fit(X, y), X, y


def title(ax):
    return ax.get_title(loc="left")


def facts(ax):
    return ax.texts[0].get_text()


def test_the_rounds_of_the_lectures(ten):
    display = plots.rounds(*ten)
    assert [facts(ax) for ax in display.axes_[0]] == [
        "error 0.3000    α = 0.4236",
        "error 0.2143    α = 0.6496",
        "error 0.1364    α = 0.9229",
    ]
    assert [facts(ax) for ax in display.axes_[1]] == [
        "training error 0.3000",
        "training error 0.3000",
        "training error 0.0000",
    ]
    assert title(display.axes_[0, 1]) == "round 2"
    assert title(display.axes_[1, 2]) == "H₃ = 0.42 h₁ + 0.65 h₂ + 0.92 h₃"


def test_the_weights_are_those_of_the_update(ten):
    model, X, y = ten
    weight, display = np.full(10, 0.1), plots.rounds(*ten)
    for k, (stump, error) in enumerate(
        zip(model.estimators_, [3 / 10, 3 / 14, 3 / 22], strict=True)
    ):
        np.testing.assert_allclose(display.weights[k], weight, rtol=1e-12)
        wrong = stump.predict(X) != y
        assert weight[wrong].sum() == pytest.approx(error)
        # The lectures' update with its normaliser: each side of the stump gets half the weight.
        factor = np.where(wrong, np.sqrt((1 - error) / error), np.sqrt(error / (1 - error)))
        weight = weight * factor / (2 * np.sqrt(error * (1 - error)))


def test_points_are_sized_by_weight_and_wrong_ones_ringed(ten):
    display = plots.rounds(*ten)
    blue, orange, rings = display.axes_[0, 1].collections[-3:]
    ratio = orange.get_sizes().max() / orange.get_sizes().min()
    assert ratio == pytest.approx(7 / 3)  # (1 - e) / e of the first round
    assert len(blue.get_offsets()) + len(orange.get_offsets()) == 10
    assert len(rings.get_offsets()) == 3
    assert len(display.axes_[1, 2].collections[-1].get_offsets()) == 0


def test_weights_given_to_fit_are_where_it_starts():
    X, y = load_ten_points(return_X_y=True)
    weight = np.arange(1.0, 11.0)
    model = AdaBoostClassifier(n_estimators=2).fit(X, y, sample_weight=weight)
    display = plots.rounds(model, X, y, sample_weight=weight)
    np.testing.assert_allclose(display.weights[0], weight / weight.sum())
    wrong = model.estimators_[1].predict(X) != y
    assert display.weights[1][wrong].sum() == pytest.approx(model.estimator_errors_[1])


def test_chosen_rounds_of_a_long_run_and_no_legend():
    X, y = load_mixture(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    display = RoundsDisplay.from_estimator(model, X, y, rounds=[30, 2], legend=False)
    assert display.rounds.tolist() == [2, 30]
    assert display.legend_ is None
    first, last = model.alphas_[[0, 29]]
    assert title(display.axes_[1, 1]) == f"H₃₀ = {first:.2f} h₁ + … + {last:.2f} h₃₀"
    error = np.mean(model.predict(X) != y)
    assert facts(display.axes_[1, 1]) == f"training error {error:.4f}"
    np.testing.assert_allclose(
        display.weights[1][model.estimators_[29].predict(X) != y].sum(),
        model.estimator_errors_[29],
    )


def test_it_draws_on_given_axes_and_names_them_after_a_table():
    X, y = load_ten_points(return_X_y=True)
    table = pl.DataFrame({"US$": X[:, 0], "height": X[:, 1]})
    model = AdaBoostClassifier(n_estimators=2).fit(table, np.where(y > 0, "$^$", "no"))
    _, axes = plt.subplots(2, 2)
    display = plots.rounds(model, table, np.where(y > 0, "$^$", "no"), axes=axes)
    assert display.axes_[0, 0] is axes[0, 0]
    assert axes[1, 0].get_xlabel() == r"US\$"
    assert axes[0, 0].get_ylabel() == "height"
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize("rounds", [[0], [4], []])
def test_rounds_that_were_not_made_are_refused(ten, rounds):
    with pytest.raises(ValueError, match=r"rounds must be some of 1, \.\.\., 3"):
        plots.rounds(*ten, rounds=rounds)
    assert plt.get_fignums() == []


def test_what_cannot_be_drawn_is_refused():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.arange(60) % 3
    with pytest.raises(ValueError, match="X has 3 columns, but a picture of rounds needs 2"):
        plots.rounds(AdaBoostClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="The model knows 3 classes"):
        plots.rounds(AdaBoostClassifier().fit(X[:, :2], y), X[:, :2], y)
    with pytest.raises(NotFittedError):
        plots.rounds(AdaBoostClassifier(), X, y)
    other = GradientBoostingClassifier(n_estimators=2).fit(X[:, :2], y > 0)
    with pytest.raises(TypeError, match="GradientBoostingClassifier has no alphas_"):
        plots.rounds(other, X[:, :2], y > 0)


def test_titles_stay_within_their_panels():
    X, y = load_mixture(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=12).fit(X, y)
    _, narrow = plt.subplots(2, 5)
    for axes in (None, narrow):
        display = plots.rounds(model, X, y, rounds=[1, 3, 4, 5, 12], axes=axes)
        display.figure_.draw_without_rendering()
        for ax in display.axes_.flat:
            assert ax._left_title.get_window_extent().x1 <= ax.get_window_extent().x1
    assert title(narrow[1, 4]) == "H₁₂"


def test_rings_are_thin_and_below_the_points_in_a_crowd(ten):
    X, y = load_mixture(return_X_y=True)
    crowd = plots.rounds(AdaBoostClassifier(n_estimators=1).fit(X, y), X, y).axes_[0, 0]
    few = plots.rounds(*ten).axes_[0, 0]
    assert crowd.collections[-1].get_linewidth() < few.collections[-1].get_linewidth()
    levels = [marks.get_zorder() for marks in crowd.collections[-3:]]
    assert levels[2] < min(levels[:2])


def test_scikit_learns_rounds_are_drawn_too():
    X, y = load_mixture(return_X_y=True)
    theirs = ensemble.AdaBoostClassifier(n_estimators=5).fit(X, y)
    display = plots.rounds(theirs, X, y, rounds=[1, 5])
    for k, number in enumerate([1, 5]):
        wrong = theirs.estimators_[number - 1].predict(X) != y
        assert display.weights[k][wrong].sum() == pytest.approx(
            theirs.estimator_errors_[number - 1]
        )


def test_a_pipeline_is_drawn_in_the_units_of_its_input(ten):
    _, X, y = ten
    scaled = make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=3)).fit(X, y)
    display, plain = plots.rounds(scaled, X, y), plots.rounds(*ten)
    np.testing.assert_array_equal(display.X, plain.X)
    np.testing.assert_allclose(display.weights, plain.weights)
    np.testing.assert_array_equal(display.member_grid, plain.member_grid)


def test_tables_of_words_have_rounds():
    X, y = load_going_to_class(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3, categorical_features=[0, 1]).fit(X[:, :2], y)
    display = plots.rounds(model, X[:, :2], y)
    words = [sorted(set(X[:, j])) for j in (0, 1)]
    bottom = display.axes_[1, 0]
    assert [text.get_text() for text in bottom.get_xticklabels()] == [str(w) for w in words[0]]
    assert [text.get_text() for text in bottom.get_yticklabels()] == [str(w) for w in words[1]]
    assert len(np.unique(display.X, axis=0)) == len(y)
    error = np.mean(model.predict(X[:, :2]) != y)
    assert facts(display.axes_[1, -1]) == f"training error {error:.4f}"
    # A lattice point around a word says what the model says of it.
    at = [np.rint(grid).astype(int).clip(0, len(w) - 1)
          for grid, w in zip((display.xx0, display.xx1), words, strict=True)]  # fmt: skip
    asked = np.array([[words[0][i], words[1][j]] for i, j in zip(*map(np.ravel, at), strict=True)])
    said = model.decision_function(asked.astype(object)).reshape(display.xx0.shape)
    np.testing.assert_array_equal(said > 0, display.ensemble_grid[-1] > 0)
    display.figure_.draw_without_rendering()


def test_a_missing_word_has_its_own_place():
    table = pd.DataFrame({"word": ["a", None, "b", "a", None, "b"], "x": np.arange(6.0)})
    y = np.array([0, 1, 0, 0, 1, 0])
    model = AdaBoostClassifier(n_estimators=2, categorical_features=["word"]).fit(table, y)
    display = plots.rounds(model, table, y)
    assert [t.get_text() for t in display.axes_[1, 0].get_xticklabels()] == ["a", "b", "missing"]
    assert (display.t * display.ensembles[-1] > 0).all()


def test_other_rows_than_those_of_the_fit_are_refused():
    X, y = load_mixture(return_X_y=True)
    weight = np.random.default_rng(0).uniform(size=len(y))
    for kind in (AdaBoostClassifier, ensemble.AdaBoostClassifier):
        model = kind(n_estimators=4).fit(X, y)
        for how in ("plane", "table"):
            for rows, labels, given in ((X[::-1], y, None), (X, 1 - y, None), (X, y, weight)):
                with pytest.raises(ValueError, match=r"Round 1 has the error .* fitted to\.$"):
                    plots.rounds(model, rows, labels, sample_weight=given, kind=how)
    with pytest.raises(ValueError, match="Round 2 has the error"):
        plots.tree(AdaBoostClassifier(n_estimators=4).fit(X, y), X[::-1], y, round=2)
    model = AdaBoostClassifier(n_estimators=4).fit(X, y)
    with pytest.raises(ValueError, match="X has 50 rows, but rounds are drawn of the 200"):
        plots.rounds(model, X[:50], y[:50])


def test_four_columns_of_numbers_are_pointed_to_the_table():
    X = np.random.default_rng(0).normal(size=(20, 4))
    y = X.sum(axis=1) > 0
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match=r'two of them, or ask for kind="table"\.$'):
        plots.rounds(model, X, y)
    assert plots.rounds(model, X, y, kind="table").weights.shape == (2, 20)

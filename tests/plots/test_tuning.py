import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.datasets import make_overlapping
from maxmargin.plots import TuningDisplay, tuning

TRIED = {
    "param_svc__C": np.ma.array([0.1, 0.1, 10.0, 10.0, 1.0, 1.0]),
    "param_svc__gamma": np.ma.array([1.0, 2.0, 1.0, 2.0, 1.0, 2.0]),
    "mean_test_score": np.array([0.5, 0.6, 0.7, 0.9, 0.8, np.nan]),
}


def cells(display):
    """Give the scores as they are written, from the lower left."""
    return {text.get_position(): text.get_text() for text in display.ax_.texts[:-1]}


def test_two_parameters_are_a_map_in_the_order_of_their_values():
    display = tuning(TRIED, scoring="accuracy")
    assert display.grid.axes == {"C": [0.1, 1.0, 10.0], "gamma": [1.0, 2.0]}
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("C", "gamma")
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["0.1", "1", "10"]
    assert cells(display)[2, 1] == "0.900"
    assert (1, 1) not in cells(display)  # a point without a score
    assert display.facts == "best accuracy 0.9 at C = 10, gamma = 2"
    frame = display.ax_.patches[-1]
    assert frame.get_xy() == (1.5, 0.5)
    assert not frame.get_fill()


def test_better_cells_are_deeper():
    display = tuning(TRIED)
    opacity = {patch.get_xy(): patch.get_facecolor()[3] for patch in display.ax_.patches[:-1]}
    assert opacity[1.5, 0.5] > opacity[0.5, -0.5] > opacity[-0.5, -0.5] > opacity[0.5, 0.5] == 0


def test_one_parameter_is_a_line_in_the_order_of_its_values():
    tried = {"param_C": [10.0, 1.0], "mean_test_score": [0.7, 0.8], "std_test_score": [0.1, 0.0]}
    display = tuning(tried)
    np.testing.assert_array_equal(display.ax_.lines[0].get_ydata(), [0.8, 0.7])
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["1", "10"]


def test_of_three_parameters_the_longest_are_drawn_with_the_best_of_the_rest():
    tried = {
        "param_a": [1, 1, 2, 2, 3, 3, 1],
        "param_b": ["x", "y", "x", "y", "x", "y", "x"],
        "param_c": [0, 0, 0, 0, 0, 0, 1],
        "mean_test_score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
    }
    display = tuning(tried)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("a", "b")
    assert cells(display)[0, 0] == "0.700"
    assert display.facts == "best score 0.7 at a = 1, b = x, c = 1"


def test_parts_of_a_search_without_a_parameter_and_values_that_are_objects():
    kernels = np.ma.array([SVC(), SVC(C=2.0), None], mask=[False, False, True], dtype=object)
    display = tuning({"param_kernel": kernels, "mean_test_score": [0.1, 0.2, 0.3]})
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert labels == ["SVC()", "SVC(C=2.0)", "–"]


def test_a_search_and_its_results_give_the_same_picture():
    X, y = make_overlapping(40, random_state=0)
    grid = {"svc__C": [0.1, 1.0], "svc__gamma": [0.1, 1.0]}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=2).fit(X, y)
    assert cells(tuning(search)) == cells(TuningDisplay.from_results(search.cv_results_))
    assert tuning(search).grid.scores[tuning(search).grid.best] == search.best_score_


@pytest.mark.parametrize("given", [None, {"a": 1}, {"mean_test_score": [1.0]}])
def test_what_is_no_search_is_refused_in_a_sentence(given):
    with pytest.raises(TypeError, match="holds no scores of a search, and tuning is drawn of"):
        tuning(given)


def test_a_search_without_a_score_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"^No point of the search has a score"):
        tuning({"param_C": [1.0], "mean_test_score": [np.nan]})

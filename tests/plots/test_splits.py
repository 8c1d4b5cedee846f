import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from maxmargin.evaluation import Trail, Use, nested, select
from maxmargin.plots import SplitsDisplay, splits

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 1)), np.arange(60) % 2


@pytest.fixture(scope="module")
def chosen():
    return select(DummyClassifier(), X, Y, 4, random_state=0)


def cells(display):
    return np.asarray(display.ax_.collections[0].get_array())


def test_folds_make_a_staircase_with_a_line_for_each_step(chosen):
    display = splits(chosen)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["fold 1", "fold 2", "fold 3", "fold 4", "refit"]
    painted = cells(display)
    assert painted.shape == (5, 5)  # four folds and the test rows, alike ones as one
    np.testing.assert_array_equal(np.diag(painted), [2, 2, 2, 2, 0])
    assert (painted[:, -1] == 0).all()
    np.testing.assert_array_equal(np.sort(display.rows_), np.arange(60))


def test_rows_may_stand_as_in_the_data(chosen):
    display = splits(chosen.trail, order="data")
    np.testing.assert_array_equal(display.rows_, np.arange(60))
    assert cells(display).shape[1] > 10


def test_what_the_picture_says_follows_the_trail(chosen):
    assert "no row is judged by a model that learned from it" in _facts(splits(chosen))
    used = np.arange(6)
    bad = Trail((Use("fold 1", "train", used), Use("fold 1", "validate", used)), 8)
    assert "fold 1 judges on 6 of the rows it learns from" in _facts(splits(bad))


def _facts(display):
    return display.ax_.texts[0].get_text()


def test_outer_folds_stay_in_one_piece():
    found = nested(DummyClassifier(), X, Y, outer=3, inner=2, random_state=0)
    display = splits(found)
    refit = [row for row, step in enumerate(found.trail.steps) if step.endswith("refit")]
    for row in cells(display)[refit]:
        assert np.count_nonzero(np.diff(row)) <= 2


def test_the_title_may_be_left_to_others(chosen):
    display = SplitsDisplay(trail=chosen.trail).plot(title=False)
    assert not display.ax_.texts
    assert not display.ax_.get_title(loc="left")


def test_many_steps_are_not_all_named():
    found = select(DummyClassifier(), X, Y, "loo", random_state=0)
    display = splits(found)
    assert len(display.ax_.get_yticks()) == 40
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize("given", [None, 3, Trail((), 3)])
def test_what_has_no_trail_is_refused_in_a_sentence(given):
    with pytest.raises(TypeError, match="has no trail of rows, and splits are drawn of a Trail"):
        splits(given)

"""The picture of a table machine's search."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from maxmargin import TableSVR, plots


def test_points_are_what_was_tried_and_the_best_is_ringed():
    X, y = make_friedman1(650, random_state=0)
    model = make_pipeline(FunctionTransformer(), TableSVR()).fit(X, y)
    display = plots.table_search(model)
    found = model[-1].search_results()
    assert sum(len(points.get_offsets()) for points in display.points_) == len(found["loss"])
    assert {points.get_label() for points in display.points_} == {
        name.split(",")[0] for name in found["candidate"]
    }
    last = found["rows"] == found["rows"].max()
    assert display.losses[display.best] == found["loss"][last].min()
    said = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    rows = sorted({int(count) for count in found["rows"]})
    assert [each.split()[0] for each in said] == [str(count) for count in rows]
    assert (rows[0], rows[-1]) == (600, 650)
    assert f"{len(found['loss']):,} candidates" in display.ax_.get_title("left")
    places = np.concatenate([points.get_offsets()[:, 0] for points in display.points_])
    assert (np.abs(places - places.round()) < 0.4).all()


@pytest.mark.parametrize("losses", [[0.0, 0.0, 3.0], [0.5, 0.5, 0.5], [0.01, 0.5, 1.0]])
def test_any_losses_are_drawn(losses):
    display = plots.TableSearchDisplay(names=["a", "b, 1", "b, 2"], rows=[9, 9, 9], losses=losses)
    display.plot().figure_.draw_without_rendering()
    low, high = display.ax_.get_ylim()
    assert low < min(losses) <= min(max(losses), 1.15) < high
    assert ("left out" in display.ax_.get_title("left")) == (max(losses) > 1.15)


def test_each_candidate_has_all_three():
    with pytest.raises(ValueError, match="There are 1 names, 2 numbers of rows and 2 losses"):
        plots.TableSearchDisplay(names=["a"], rows=[9, 9], losses=[0.1, 0.2])

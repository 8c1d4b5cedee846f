"""The picture of the rows that decide."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from maxmargin import TableSVC, TableSVR, plots


def table(n=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"column ${j}": rng.normal(size=n) for j in range(12)})
    frame["none"] = 1.0
    return frame, np.where(frame["column $0"] > 0, "a rather long name of a class", "b")


def test_bars_are_contributions_and_colours_distances():
    frame, y = table()
    found = TableSVC().fit(frame, y).explain(frame.iloc[0], frame, y)
    display = plots.evidence(found, k=4)
    display.figure_.draw_without_rendering()
    widths = np.array([bar.get_width() for bar in display.bars_])
    assert (np.diff(widths) <= 0).all()
    np.testing.assert_array_equal(
        np.sort(widths[:4]), np.sort(found.contributions[found.strongest(4)])
    )
    names = [tick.get_text() for tick in display.axes_[1].get_xticklabels()]
    assert len(names) == 10
    assert "none" not in names
    j = found.names.index(names[3].replace("\\", ""))
    typical = found.distances[:, j].mean()
    np.testing.assert_allclose(
        display.image_.get_array()[:, 3], found.distances[display.positions, j] / typical
    )
    label = display.axes_[0].get_yticklabels()[0].get_text()
    assert label.startswith(f"row {found.rows[display.positions[0]]}: ")
    assert label.endswith(("…", "b"))
    assert display.axes_[0].get_title("left").startswith("Predicted ")


def test_quantities_and_axes_of_ones_own():
    frame, _ = table()
    found = TableSVR().fit(frame, frame["column $1"]).explain(frame.iloc[0])
    _, axes = plt.subplots(1, 2)
    display = plots.evidence(found, axes=axes)
    assert display.axes_ == tuple(axes)
    assert "prediction" in display.axes_[0].get_xlabel()
    assert ":" not in display.axes_[0].get_yticklabels()[0].get_text()


def test_no_evidence_is_no_picture():
    found = TableSVR().fit([[1.0], [2.0], [3.0]], [5.0, 5.0, 5.0]).explain([2.0])
    with pytest.raises(ValueError, match="No training row decides here"):
        plots.evidence(found)

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import load_mixture
from maxmargin.plots import HardestDisplay


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], np.where(y[:400] % 2, "odd", "even")
    flipped = np.arange(0, 400, 50)
    y[flipped] = np.where(y[flipped] == "odd", "even", "odd")
    return AdaBoostClassifier(n_estimators=15).fit(X, y), X, y, flipped


def test_images_are_shown_with_labels_weights_and_frames(digits):
    model, X, y, flipped = digits
    display = plots.hardest(model, X, y, k=12, image_shape=(8, 8), suspects=flipped)
    assert display.images.shape == (12, 8, 8)
    np.testing.assert_array_equal(display.images[0].ravel(), X[display.rows[0]])
    assert (np.diff(display.weights) <= 0).all()
    for k, ax in enumerate(display.axes_[:12]):
        assert ax.get_title() == f"labelled {y[display.rows[k]]}"
        thick = ax.spines["left"].get_linewidth() > 2
        assert thick == (display.rows[k] in flipped)
    assert not display.axes_[12].axison
    assert display.suspects.any()


@pytest.mark.parametrize(("options", "name"), [({}, "gray"), ({"cmap": "gray_r"}, "gray_r")])
def test_photographs_are_no_negatives_and_share_one_scale(digits, options, name):
    model, X, y, _ = digits
    display = plots.hardest(model, X, y, k=4, image_shape=(8, 8), **options)
    shown = [ax.images[0] for ax in display.axes_]
    assert {image.get_cmap().name for image in shown} == {name}
    assert {image.get_clim() for image in shown} == {(display.images.min(), display.images.max())}
    bright = shown[0].cmap(1.0)[0]  # of the largest number
    assert bright == (1.0 if name == "gray" else 0.0)


def test_a_pipeline_shows_the_rows_as_they_were_given(digits):
    model, X, y, _ = digits
    scaled = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    display = plots.hardest(scaled, X, y, k=5, image_shape=(8, 8))
    np.testing.assert_array_equal(display.images[0].ravel(), X[display.rows[0]])
    np.testing.assert_array_equal(display.predictions, scaled.predict(X[display.rows]))


def test_bars_say_where_the_model_disagrees(digits):
    model, X, y, flipped = digits
    display = plots.hardest(model, X, y, k=10, suspects=np.isin(np.arange(400), flipped))
    (ax,) = display.axes_
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(display.weights)
    wrong = model.predict(X) != y
    for k, name in enumerate(text.get_text() for text in ax.get_yticklabels()):
        assert name.startswith(f"row {display.rows[k]}, labelled {y[display.rows[k]]}")
        assert ("model:" in name) == wrong[display.rows[k]]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the hardest stands at the top


def test_weights_are_multiples_of_the_average():
    X, y = load_mixture(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    display = plots.hardest(model, X, y, k=len(y))
    assert display.weights.sum() == pytest.approx(len(y))


def test_it_draws_plain_arrays_on_given_axes():
    _, ax = plt.subplots()
    display = HardestDisplay(
        rows=np.array([7, 3]),
        weights=np.array([12.0, 2.0]),
        labels=np.array(["$a$", "b"]),
        predictions=np.array(["b", "b"]),
    ).plot(axes=ax)
    assert display.axes_[0] is ax
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == [r"row 7, labelled \$a\$, model: b", "row 3, labelled b"]
    assert len(ax.get_legend().get_texts()) == 2
    display.figure_.draw_without_rendering()


def test_the_legend_names_what_is_drawn_and_covers_no_bar():
    for says, expected in (("a", "the model agrees"), ("b", "the model says otherwise")):
        display = HardestDisplay(
            rows=np.arange(60),
            weights=np.full(60, 5.0),
            labels=np.full(60, "a"),
            predictions=np.full(60, says),
        ).plot()
        (ax,) = display.axes_
        display.figure_.draw_without_rendering()
        legend = ax.get_legend()
        assert [text.get_text() for text in legend.get_texts()] == [expected]
        assert legend.get_window_extent().y0 >= ax.patches[0].get_window_extent().y1
        assert ax.get_ylim() == (59.6, -0.6)


def test_what_stands_below_an_image_does_not_run_into_the_next(digits):
    model, X, y, flipped = digits
    display = plots.hardest(model, X, y, k=10, image_shape=(8, 8), suspects=flipped)
    display.figure_.draw_without_rendering()
    boxes = [ax.xaxis.label.get_window_extent() for ax in display.axes_]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("k", [1, 2, 10])
def test_the_note_below_images_fits_the_figure(digits, k):
    model, X, y, flipped = digits
    figure = plots.hardest(model, X, y, k=k, image_shape=(8, 8), suspects=flipped).figure_
    figure.draw_without_rendering()
    note = figure._supxlabel.get_window_extent()
    assert note.x0 >= 0.0
    assert note.x1 <= figure.bbox.width


@pytest.mark.parametrize(
    "container", [sparse.csr_matrix, pl.DataFrame, pd.DataFrame, np.ndarray.tolist]
)
def test_rows_of_any_container_are_shown(digits, container):
    _, X, y, _ = digits
    rows = container(X)
    model = AdaBoostClassifier(n_estimators=3).fit(rows, y)
    display = plots.hardest(model, rows, y, k=2, image_shape=(8, 8))
    np.testing.assert_array_equal(display.images[1].ravel(), X[display.rows[1]])


def test_what_cannot_be_drawn_is_refused(digits):
    model, X, y, _ = digits
    with pytest.raises(ValueError, match=r"image_shape=\(8, 9\) has 72 pixels, but X has 64"):
        plots.hardest(model, X, y, image_shape=(8, 9))
    with pytest.raises(ValueError, match="image_shape must be a height and a width"):
        plots.hardest(model, X, y, image_shape=(8, 8, 1))
    with pytest.raises(ValueError, match="X has 10 rows, but the model was fitted to 400"):
        plots.hardest(model, X[:10], y[:10])
    with pytest.raises(TypeError, match="SVC has no hardest rows"):
        plots.hardest(SVC().fit(X, y), X, y)
    assert plt.get_fignums() == []

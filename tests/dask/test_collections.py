import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import maxmargin
from maxmargin.dask import LinearSVC, LinearSVR
from maxmargin.datasets import load_mixture

X, y = load_mixture(return_X_y=True)
FRAME = pd.DataFrame({"width": X[:, 0], "height": X[:, 1]})


def frames(*parts):
    """A DataFrame whose partitions are these, whatever its schema says."""
    first = parts[0].iloc[:0]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=first, verify_meta=False)


def halves(change):
    return frames(FRAME.iloc[:100], change(FRAME.iloc[100:].copy()))


LABELS = da.from_array(y, chunks=((100, len(y) - 100),))


def test_a_frame_with_unknown_sizes_gives_the_same_model_and_its_names(client):
    frame = dd.from_pandas(FRAME.assign(label=y), npartitions=3)
    frame = frame[frame["width"] > -1e9]
    model = LinearSVC(tol=1e-9).fit(frame[["width", "height"]], frame["label"])
    assert model.feature_names_in_.tolist() == ["width", "height"]
    assert model.coef_ == pytest.approx(maxmargin.LinearSVC(tol=1e-9).fit(X, y).coef_, abs=1e-6)
    said = model.predict(frame[["width", "height"]]).compute()
    assert np.array_equal(said, model.predict(FRAME))


def test_arrays_of_unknown_chunks_and_of_columns_in_blocks(client):
    rows = da.from_array(X, chunks=(60, 1))
    label = da.from_array(y, chunks=60)
    some = label >= 0
    unknown = LinearSVC(tol=1e-9).fit(rows[some], label[some])
    assert unknown.coef_ == pytest.approx(LinearSVC(tol=1e-9).fit(rows, label).coef_, abs=1e-6)


def test_labels_cut_in_other_places_are_cut_as_the_rows_are(client):
    rows, label = da.from_array(X, chunks=(60, 2)), da.from_array(y, chunks=35)
    assert LinearSVC().fit(rows, label).score(X, y) > 0.6


def spoiled(change):
    data = X.copy()
    change(data)
    return da.from_array(data, chunks=((100, len(y) - 100), 2))


def put(value, row, column):
    def change(data):
        data[row, column] = value

    return change


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (lambda: spoiled(put(np.nan, 150, 1)), r"NaN in column 1 of partition 1 \(its row 50\)"),
        (lambda: spoiled(put(np.inf, 3, 0)), "infinity in column 0 of partition 0"),
        (
            lambda: halves(lambda part: part.assign(height=np.nan)),
            "NaN in column 'height' of partition 1",
        ),
        (
            lambda: halves(lambda part: part[["height", "width"]]),
            "Partition 1 .* columns .*'height', 'width'.* in this order",
        ),
        (
            lambda: halves(lambda part: part.assign(width=part["width"].astype(str))),
            "Column 'width' .* in partition 1; encode it",
        ),
        (
            lambda: halves(lambda part: part.assign(width=part["width"].astype("category"))),
            "Column 'width' of X holds category in partition 1",
        ),
    ],
)
def test_bad_rows_are_named_by_column_and_partition(client, nothing_left, rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        LinearSVC().fit(rows(), LABELS)


def test_bad_targets_and_weights_are_named_by_partition(client, nothing_left):
    rows = da.from_array(X, chunks=((100, len(y) - 100), 2))
    with pytest.raises(ValueError, match=r"NaN or infinity in partition 1 \(its row 7\)"):
        LinearSVR().fit(rows, da.where(da.arange(len(y), chunks=LABELS.chunks) == 107, np.nan, 1.0))
    with pytest.raises(ValueError, match="negative number in partition 0"):
        LinearSVC().fit(rows, LABELS, da.where(LABELS >= 0, -1.0, 1.0))
    mixed = da.map_blocks(_texts_in_the_second, LABELS, dtype=object)
    with pytest.raises(ValueError, match="texts in some partitions and numbers in others"):
        LinearSVC().fit(rows, mixed)


def _texts_in_the_second(part, block_info=None):
    second = block_info is not None and block_info[0]["chunk-location"] == (1,)
    return part.astype(str).astype(object) if second else part


def test_what_does_not_fit_together_is_said(client):
    rows = da.from_array(X, chunks=(100, 2))
    with pytest.raises(TypeError, match="must be a Dask array or DataFrame, got ndarray"):
        LinearSVC().fit(X, y)
    with pytest.raises(ValueError, match=f"X has {len(y)} rows, its targets or weights 10"):
        LinearSVC().fit(rows, LABELS[:10])
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        LinearSVC().fit(rows, da.ones_like(LABELS))
    frame = dd.from_pandas(FRAME, npartitions=2)
    with pytest.raises(ValueError, match="X has 2 partitions and its target 1"):
        LinearSVC().fit(frame, da.from_array(y, chunks=-1))


def test_labels_that_some_partitions_lack_and_empty_partitions_are_no_obstacle(client):
    order = np.argsort(y, kind="stable")
    chunks = (0, 50, len(y) - 50, 0)
    rows = da.from_array(X[order], chunks=(chunks, 2))
    model = LinearSVC(tol=1e-9).fit(rows, da.from_array(y[order], chunks=(chunks,)))
    assert model.coef_ == pytest.approx(maxmargin.LinearSVC(tol=1e-9).fit(X, y).coef_, abs=1e-6)
    assert len(model.predict(rows).compute()) == len(y)

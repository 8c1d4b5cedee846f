from collections import Counter

import numpy as np
import polars as pl
import pytest

from maxmargin.datasets import heart_path, load_heart


def test_complete_rows_by_default():
    X, y = load_heart(return_X_y=True)
    assert X.shape == (297, 18)
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    assert Counter(y.tolist()) == {"No": 160, "Yes": 137}


def test_all_rows_keep_their_gaps():
    heart = load_heart(complete=False)
    assert heart.data.shape == (303, 18)
    assert Counter(heart.target.tolist()) == {"No": 164, "Yes": 139}
    gaps = dict(zip(heart.feature_names, np.isnan(heart.data).sum(axis=0).tolist(), strict=True))
    assert {name: n for name, n in gaps.items() if n} == {
        "Ca": 4,
        "Thal=fixed": 2,
        "Thal=normal": 2,
        "Thal=reversable": 2,
    }


def test_names_fit_columns_and_indicators_add_up_to_one():
    heart = load_heart()
    assert len(heart.feature_names) == heart.data.shape[1]
    for name, n_levels in (("ChestPain", 4), ("Thal", 3)):
        columns = [j for j, f in enumerate(heart.feature_names) if f.startswith(f"{name}=")]
        assert len(columns) == n_levels
        np.testing.assert_array_equal(heart.data[:, columns].sum(axis=1), 1)


def test_first_patient():
    heart = load_heart()
    patient = dict(zip(heart.feature_names, heart.data[0].tolist(), strict=True))
    assert (patient["Age"], patient["Chol"], patient["Oldpeak"]) == (63, 233, 2.3)
    assert patient["ChestPain=typical"] == patient["Thal=fixed"] == 1
    assert heart.target[0] == "No"


def test_table_holds_the_raw_columns():
    table = load_heart(as_table=True, complete=False)
    assert len(table) == 14
    assert {len(column) for column in table.values()} == {303}
    assert table["Ca"].dtype == np.float64
    assert np.isnan(table["Ca"]).sum() == 4
    assert sum(value is None for value in table["Thal"]) == 2
    assert set(table["AHD"]) == {"No", "Yes"}


def test_shipped_file_reads_as_the_same_table():
    frame = pl.read_csv(heart_path())
    table = load_heart(as_table=True, complete=False)
    assert frame.columns == list(table)
    assert frame.null_count().sum_horizontal().item() == 6
    assert frame["Thal"].to_list() == table["Thal"].tolist()
    np.testing.assert_array_equal(frame["Oldpeak"].to_numpy(), table["Oldpeak"])


def test_two_forms_at_once_are_refused():
    with pytest.raises(ValueError, match="exclude each other; set only one"):
        load_heart(return_X_y=True, as_table=True)

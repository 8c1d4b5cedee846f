"""Parquet that is too large to be read whole: a sample of its rows, read block by block."""

import numpy as np
import polars as pl
import pytest

from maxmargin.tables import Wishes, load_table, parquet, preparation, read_frame

ROWS = 1000


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(preparation, "MOST_VALUES", 900)
    monkeypatch.setattr(parquet, "_BLOCK", 170)
    x = np.random.default_rng(0).normal(size=ROWS)
    place = np.arange(ROWS, dtype=np.float64) ** 2
    target = [None if i % 10 == 0 else "yes" if x[i] > 0 else "no" for i in range(ROWS)]
    file = tmp_path / "large.parquet"
    pl.DataFrame({"x": x, "place": place, "y": target}).write_parquet(file, row_group_size=300)
    return file


def test_models_get_a_random_sample_and_a_note_says_so(path):
    table = load_table(path, Wishes("y"))
    (note,) = (each for each in table.notes if "random sample" in each)
    assert "has 1000 rows" in note
    assert "sample of 300 of them" in note
    assert table.n_rows == ROWS
    assert 250 < len(table.target) < 300
    # rows keep their places in the file
    assert table.features["place"].to_numpy() == pytest.approx(table.rows.astype(float) ** 2)
    assert abs(table.rows.mean() - ROWS / 2) < 60


def test_it_is_the_same_sample_each_time(path):
    first, second = (load_table(path, Wishes("y")) for _ in range(2))
    assert first.features.equals(second.features)
    assert first.rows.tolist() == second.rows.tolist()


def test_predictions_read_all_rows(path):
    assert read_frame(path).height == ROWS
    assert read_frame(path)["place"].to_list() == [float(i * i) for i in range(ROWS)]


def test_a_smaller_table_is_read_whole(path, monkeypatch):
    monkeypatch.setattr(preparation, "MOST_VALUES", 3 * ROWS)
    table = load_table(path, Wishes("y"))
    assert len(table.target) == 900
    assert not any("sample" in note for note in table.notes)

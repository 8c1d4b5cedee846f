"""A sample of a large file has rows from all over it."""

import polars as pl
import pytest

from maxmargin.studio import sample
from maxmargin.studio.error import SceneError


def test_a_text_is_sampled_from_its_first_row_to_its_last(tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = [f'{k},"x, {k}",{"yes" if k < 50_000 else "no"}' for k in range(100_000)]
    path.write_text("\n".join(["a,b,label", *rows]))
    sample.draw_sample(path, out, most=200_000)
    found = pl.read_csv(out)
    assert found.columns == ["a", "b", "label"]
    assert 3_000 < found.height < 20_000
    assert found["label"].value_counts()["count"].min() > 0.45 * found.height
    assert (found["b"] == "x, " + found["a"].cast(pl.String)).all()


def test_a_parquet_file_is_sampled_evenly(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_ROWS", 10)
    pl.DataFrame({"a": range(100)}).write_parquet(tmp_path / "a.parquet")
    sample.draw_sample(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert pl.read_parquet(tmp_path / "b.parquet")["a"].to_list() == list(range(0, 100, 10))


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv.gz", b"x"), ("a.csv", b"0" * (1 << 17)), ("a.parquet", b"no parquet")],
)
def test_what_cannot_be_sampled_is_a_sentence(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SceneError):
        sample.draw_sample(tmp_path / name, tmp_path / "out")


def test_a_large_file_is_refused_with_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(sample, "LARGEST_TABLE", 4)
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SceneError, match="maxmargin fit"):
        sample.refuse_large(tmp_path / "a.csv")

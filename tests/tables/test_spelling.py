import numpy as np
import polars as pl
import pytest

from maxmargin.tables import InputError, Wishes, load_table, make_table, read_frame

N = 40


@pytest.fixture
def labelled(tmp_path):
    """A file whose target is spelt so, row by row in turn."""

    def write(*labels):
        path = tmp_path / "spelt.csv"
        rows = [f"{i * 0.5},{labels[i % len(labels)]}" for i in range(N)]
        path.write_text("\n".join(["x,y", *rows]) + "\n")
        return path

    return write


@pytest.mark.parametrize(
    "labels",
    [("TRUE", "FALSE"), ("01", "02"), ("1.0", "0.0"), ("+1", "-1"), ("True", "False")],
)
def test_classes_keep_their_spelling_and_are_found_again(labelled, labels):
    path = labelled(*labels)
    table = load_table(path, Wishes("y"))
    assert table.schema.classes == tuple(sorted(labels))
    assert table.target.tolist() == [labels[i % 2] for i in range(N)]
    assert np.array_equal(table.schema.target_of(read_frame(path)), table.target)


def test_plain_whole_numbers_stay_numbers(labelled):
    assert load_table(labelled("0", "1"), Wishes("y")).schema.classes == (0, 1)


def test_a_class_of_two_spellings_is_one_class(labelled):
    assert load_table(labelled("1", "1.0", "0"), Wishes("y")).schema.classes == (0, 1)


def test_quantities_are_numbers(labelled):
    assert load_table(labelled("1.50", "2.25"), Wishes("y")).schema.task == "regression"


class TestPositive:
    def test_it_is_named_as_the_file_spells_it(self, labelled):
        assert load_table(labelled("TRUE", "FALSE"), Wishes("y", positive="FALSE")).positive == (
            "FALSE"
        )
        assert load_table(labelled("0", "1"), Wishes("y", positive="0")).positive == 0
        assert load_table(labelled("0", "1"), Wishes("y")).positive is None

    @pytest.mark.parametrize(
        ("labels", "sentence"),
        [
            (("no", "yes"), r"no class 'ja' \(--positive\): it has 'no', 'yes'"),
            (("a", "b", "c"), "two classes, and 'y' has 3 classes"),
            ((1.25, 2.5, 3.75), "two classes, and 'y' has a quantity"),
        ],
    )
    def test_what_it_cannot_be_is_one_sentence(self, labels, sentence):
        frame = pl.DataFrame({"x": range(12), "y": [labels[i % len(labels)] for i in range(12)]})
        with pytest.raises(InputError, match=sentence):
            make_table(frame, Wishes("y", positive="ja"))

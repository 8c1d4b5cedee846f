"""Which numbers are classes, and what a target must be."""

import numpy as np
import polars as pl
import pytest

from maxmargin.tables import InputError, Wishes, make_table

RNG = np.random.default_rng(0)


def table(target, task=None):
    frame = pl.DataFrame({"x": RNG.normal(size=len(target)), "y": target})
    return make_table(frame, Wishes("y", task=task))


CLASSES = {
    "words": ["no", "yes"] * 4,
    "booleans": [True, False] * 4,
    "two numbers": [1.0, 2.0] * 3,
    "codes": [2, 4, 4, 2],
    "signs": [-1, 1] * 5,
    "three": [0, 1, 2] * 2,
    "letters": np.arange(20_000) % 26,
    "vowels": np.arange(528) % 11 + 1,
    "whole floats": np.arange(600) % 12 + 0.0,
    "unequal": np.repeat([1, 2, 3, 4, 5, 6, 7], [2118, 2833, 357, 27, 94, 173, 205]),
    "faces": np.arange(400) % 40 + 1,
}
QUANTITIES = {
    "fractions": RNG.normal(size=50),
    "two fractions": [0.5, 1.5] * 5,
    "ages": RNG.normal(38, 13, size=5000).round().clip(17, 90).astype(int),
    "prices": RNG.integers(300, 19_000, size=5000),
    "counts": RNG.poisson(12.0, size=5000),
    "rare counts": RNG.geometric(0.3, size=4000),
    "years": np.arange(2000) % 20 + 2000,
    "few rows": [10, 12, 15, 17, 20, 30],
    "rank": np.arange(1000),
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name):
    found = table(CLASSES[name])
    assert found.schema.task == "classification"
    assert found.schema.classes == tuple(sorted({*found.target.tolist()}))
    assert found.target.dtype.kind in "iU"


@pytest.mark.parametrize("name", QUANTITIES)
def test_quantities(name):
    found = table(QUANTITIES[name])
    assert (found.schema.task, found.schema.classes) == ("regression", ())
    assert found.target.dtype == np.float64
    np.testing.assert_array_equal(found.target, QUANTITIES[name])


def test_a_decision_about_numbers_is_told_with_the_way_to_change_it():
    assert table(CLASSES["vowels"]).notes == (
        "'y' has 11 different whole numbers, which are taken for classes: --task regression"
        " changes that.",
    )
    assert table(QUANTITIES["fractions"]).notes == (
        "'y' has numbers with fractions, which are taken for a quantity: --task classification"
        " changes that.",
    )
    assert table(CLASSES["words"]).notes == ()


def test_the_user_decides():
    assert table([1, 2] * 5, "regression").target.tolist() == [1.0, 2.0] * 5
    assert table(np.arange(40) // 2, "classification").schema.classes == tuple(range(20))
    assert table([0.5, 1.5] * 5, "classification").schema.classes == ("0.5", "1.5")


def test_labels_are_whole_numbers_or_words():
    assert table([1.0, 0.0] * 2).schema.classes == (0, 1)
    assert table([True, False] * 2).schema.classes == ("false", "true")


def test_rows_without_a_label_are_set_aside_and_counted():
    found = table(["a", None, "b", "a", None, "b"])
    assert found.rows.tolist() == [0, 2, 3, 5]
    assert (found.n_rows, found.features.height) == (6, 4)
    assert found.notes == ("2 rows of 6 set aside for want of a label.",)
    assert found.columns[-1].missing == 2


def test_small_classes_are_told():
    notes = table(["a"] * 40 + ["b"] * 3).notes
    assert notes == ("Classes of fewer than 10 rows can hardly be judged: b (3).",)


@pytest.mark.parametrize(
    ("target", "task", "sentence"),
    [
        (["no"] * 4, None, "holds one class only, 'no'"),
        ([None] * 4, None, "is empty: no row has a label"),
        (["a", "a", "b"], None, "Class 'b' of column 'y' has a single row"),
        (["a", "a", "b", "c"], None, "Classes 'b', 'c' of column 'y' have a single row"),
        ([f"t{i}" for i in range(30)], None, "has 30 classes in 30 rows"),
        ([3.5] * 4, None, "holds 3.5 in every row"),
        (["a", "b"] * 2, "regression", "holds words such as 'a', and regression needs numbers"),
        (pl.Series([1, 2]).cast(pl.Date), None, "holds dates, which are neither"),
    ],
)
def test_targets_that_cannot_be_learned(target, task, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        table(target, task)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"target": "Y"}, "no column 'Y': did you mean 'y'"),
        ({"target": "label"}, "no column 'label': it has 'x', 'y'"),
        ({"target": "y", "drop": "z"}, "no column 'z'"),
        ({"target": "y", "drop": "y"}, "cannot be both used and dropped"),
        ({"target": "y", "id": "y"}, "cannot be predicted and name or group rows"),
        ({"target": "y", "group": "g"}, "no column 'g'"),
        ({"target": "y", "task": "ranking"}, "The task is 'classification' or 'regression'"),
        ({"target": "y", "drop": "x"}, "No column beside 'y' can serve as a feature"),
    ],
)
def test_wishes_that_cannot_be_met(wishes, sentence):
    with pytest.raises(InputError, match=sentence):
        make_table(pl.DataFrame({"x": [1.5, 2.5] * 2, "y": ["a", "b"] * 2}), Wishes(**wishes))


@pytest.mark.parametrize("target", ["1", "-1", "c1"])
def test_columns_without_names_are_numbered(target):
    frame = pl.DataFrame({"c0": [1.5, 2.5, 3.5, 4.5], "c1": ["a", "b"] * 2})
    assert make_table(frame, Wishes(target)).schema.target == "c1"

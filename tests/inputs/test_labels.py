"""Class labels that cannot be learned are refused in a sentence."""

import numpy as np
import pandas as pd
import pytest

from maxmargin.inputs.labels import check_labels


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", None, "b"], dtype=object),
        np.array(["a", np.nan, "b"], dtype=object),
        pd.Series(["a", pd.NA, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
    ],
    ids=["None", "NaN", "NA", "category"],
)
def test_a_missing_label_is_named_by_its_row(labels):
    with pytest.raises(ValueError, match=r"instead of a label \(row 1\)"):
        check_labels(labels)


def test_texts_and_numbers_together_are_no_labels():
    with pytest.raises(ValueError, match="texts and numbers together"):
        check_labels(np.array([1, "a", 1], dtype=object))


def test_texts_as_objects_are_labels():
    assert check_labels(np.array(["a", "b"], dtype=object)).tolist() == ["a", "b"]

import numpy as np
import pytest
from scipy.stats import binom

from maxmargin import SVC
from maxmargin.report import Proportion, Scores


@pytest.mark.parametrize(("count", "total"), [(73, 90), (1, 7), (500, 1000)])
def test_the_interval_is_exact(count, total):
    low, high = Proportion(count, total).interval()
    assert binom.sf(count - 1, total, low) == pytest.approx(0.025)
    assert binom.cdf(count, total, high) == pytest.approx(0.025)


def test_none_and_all_have_ends_at_0_and_1():
    assert Proportion(0, 20).interval()[0] == 0.0
    assert Proportion(20, 20).interval()[1] == 1.0


def test_scores_count_what_is_right():
    X, y = np.arange(6.0)[:, None], np.array(["a", "a", "a", "b", "b", "b"])
    model = SVC(kernel="linear", C=100.0).fit(X, y)
    scores = Scores.of(model, X, np.array(["a", "b", "a", "b", "b", "a"]))
    assert scores.confusion.tolist() == [[2, 1], [1, 2]]
    assert scores.accuracy == Proportion(4, 6)
    assert scores.majority == ("a", Proportion(3, 6))


def test_a_label_the_model_never_saw_counts_as_wrong():
    X = np.arange(4.0)[:, None]
    model = SVC().fit(X, [0, 0, 1, 1])
    scores = Scores.of(model, X, [0, 0, 1, 2])
    assert scores.labels == (0, 1, 2)
    assert scores.accuracy == Proportion(3, 4)

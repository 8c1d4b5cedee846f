import numpy as np
import pytest

from maxmargin.evaluation import choose_threshold

LABELS = np.array([0, 0, 1, 0, 1, 1])
SCORES = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_the_threshold_reaches_what_it_promises():
    found = choose_threshold(LABELS, SCORES, "accuracy")
    predicted = found.value <= SCORES
    assert np.mean(predicted == LABELS) == found.score
    assert found.recall == pytest.approx(predicted[LABELS == 1].mean())


def test_a_least_recall_is_kept():
    found = choose_threshold(LABELS, SCORES, "precision", min_recall=1.0)
    assert found.recall == 1.0
    assert found.precision == 0.75

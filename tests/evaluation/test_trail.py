import numpy as np

from maxmargin.evaluation.trail import Trail, Use


def test_rows_of_a_step_that_are_tested_and_learnt_from_are_problems():
    train = Use("fit", "train", np.array([0, 1, 2]))
    clean = Trail([train, Use("fit", "test", np.array([3]))], 4)
    assert list(clean.problems) == []
    assert clean.steps == ["fit"]
    leaking = Trail([train, Use("fit", "test", np.array([2, 3]))], 4)
    assert len(leaking.problems) == 2

import numpy as np
import polars as pl

from maxmargin.evaluation import Fold
from maxmargin.job.metric import Judgement
from maxmargin.job.suspicion import find_suspects, margins_of, row_id


def test_margins_of_two_classes_by_value_and_by_probability():
    truth, classes = np.array(["a", "b", "b"]), np.array(["a", "b"])
    assert margins_of(np.array([-2.0, 1.0, -3.0]), truth, classes, False).tolist() == [2, 1, -3]
    by_share = margins_of(np.array([0.25, 1.0, 0.5]), truth, classes, True)
    assert by_share.tolist() == [0.5, 1.0, 0.0]


def test_margins_of_several_classes_are_to_the_strongest_other_one():
    values = np.array([[0.6, 0.3, 0.1], [0.2, 0.1, 0.7], [0.5, 0.2, 0.3]])
    truth = np.array([0, 1, 9])  # the last one was not among the training rows
    found = margins_of(values, truth, np.array([0, 1, 2]), False)
    assert np.allclose(found, [0.3, -0.6, 0.0])


def test_the_worst_wrong_rows_come_first_by_their_lines_and_names(make_table):
    y = np.array(["a", "b", "a", "b"])
    table = make_table(
        pl.DataFrame({"x": np.arange(4.0)}),
        y,
        ids=pl.DataFrame({"key": ["k0", "k1", "k2", "k3"], "n": [5, 6, 7, 8]}),
    )
    places, decision = np.array([3, 0, 2, 1]), np.array([-1.0, -2.0, 3.0, 0.5])
    fold = Fold(
        np.array([], dtype=int), places, 0.5, 0.0, decision, y[places], np.array(["a", "b"])
    )
    said = Judgement({}, np.where(decision > 0, "b", "a"), by_probability=False)
    worst = find_suspects(table, [fold], [said])
    assert [(each.row, each.given, each.predicted, each.margin) for each in worst] == [
        (3, "a", "b", -3.0),
        (4, "b", "a", -1.0),
    ]
    assert worst[0].id == row_id(table, 2) == "k2, 7"


def test_of_a_quantity_the_predictions_that_are_furthest_off(make_table):
    table = make_table(pl.DataFrame({"x": np.arange(3.0)}), [1.0, 2.0, 3.0], "regression")
    fold = Fold(np.array([], dtype=int), np.arange(3), 0.5, 0.0)
    worst = find_suspects(table, [fold], [Judgement({}, np.array([1.5, 2.0, 9.0]), False)])
    assert [(each.row, each.margin) for each in worst] == [(3, 6.0), (1, 0.5)]

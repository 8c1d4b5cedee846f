"""What is heard of a fit: its stages, one after the other, without a change of the model."""

import re

import numpy as np
import pytest
from sklearn.base import clone

from maxmargin import TableOneClass, TableSVC, TableSVR
from maxmargin.progress.work import Work

RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 3))
Y = X[:, 0] + X[:, 1] ** 2
FEW, MANY = 200, 700
TARGETS = {TableSVC: Y > 1, TableSVR: Y, TableOneClass: None}


def fit(model, count=FEW):
    target = TARGETS[type(model)]
    return model.fit(X[:count], None if target is None else target[:count])


@pytest.mark.parametrize("kind", TARGETS)
def test_the_share_done_grows_by_stages_to_the_whole(kind):
    shares = []
    with Work(listener=shares.append).at_work():
        fit(kind())
    assert len(shares) >= 3 or kind is TableOneClass
    assert shares == sorted(shares)
    assert shares[0] <= 0.1
    assert shares[-1] == 1.0


def test_stages_are_printed_with_the_best_so_far(capsys):
    fit(TableSVR(verbose=2), MANY)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        f"TableSVR: {n} of 5 stages" for n in range(1, 6)
    ]
    assert all(re.search(r"best so far \d", line) for line in lines[1:])


def test_a_short_table_has_a_stage_less_to_search(capsys):
    fit(TableSVC(verbose=2))
    assert "3 of 3 stages" in capsys.readouterr().out


def test_nothing_is_printed_unless_asked_for(capsys):
    fit(TableSVC())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("kind", TARGETS)
def test_who_watches_gets_the_same_model(kind, capsys):
    plain = fit(kind())
    with Work(listener=[].append).at_work():
        watched = fit(clone(plain).set_params(verbose=2))
    for values in ("predict", "score_samples", "predict_proba"):
        if hasattr(plain, values):
            a, b = (getattr(each, values)(X) for each in (plain, watched))
            assert a.tobytes() == b.tobytes()
    assert f"{kind.__name__}: " in capsys.readouterr().out

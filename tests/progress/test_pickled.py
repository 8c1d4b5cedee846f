import pickle
import warnings

import pytest
from sklearn.base import clone

from maxmargin import SVC
from maxmargin.progress.pickled import InconsistentVersionWarning


def test_a_pickle_of_this_version_is_silent_and_leaves_no_trace():
    model = SVC().fit([[0.0], [1.0]], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pickle.loads(pickle.dumps(model))
    assert vars(again).keys() == vars(model).keys()
    assert (
        again.predict([[0.2]]).tolist()
        == clone(model).fit([[0.0], [1.0]], [0, 1]).predict([[0.2]]).tolist()
    )


def test_a_pickle_of_another_version_warns_as_scikit_learns_do(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("maxmargin.progress.pickled._version", lambda: "0.0.1")
        written = pickle.dumps(SVC(C=2.0))
    with pytest.warns(
        InconsistentVersionWarning, match=r"pickled by maxmargin 0\.0\.1 and is read"
    ):
        assert pickle.loads(written).C == 2.0


def test_pickles_of_versions_that_noted_none_warn_too():
    model = SVC()
    with pytest.warns(InconsistentVersionWarning, match="an older version"):
        model.__setstate__({"C": 3.0})
    assert model.C == 3.0

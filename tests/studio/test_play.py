"""Scenes are the library's models, and every broken one is a sentence."""

import base64

import numpy as np
import pytest

from maxmargin import SVC, AdaBoostClassifier
from maxmargin.datasets import load_ten_points
from maxmargin.kernels import RBF
from maxmargin.studio.error import SceneError
from maxmargin.studio.play import draw
from maxmargin.studio.scene import KERNELS, KINDS, MOST_POINTS
from maxmargin.studio.sets import known_points

TEN = known_points()["ten points"]
SEPARABLE = known_points()["separable"]


def _scene(points=TEN, **model):
    more = {key: model.pop(key) for key in ("box", "grid", "step") if key in model}
    return {"points": points, "model": model, **more}


def _values(found):
    return np.frombuffer(base64.b64decode(found["values"]), "<f4")


def test_the_picture_is_that_of_the_librarys_model():
    found = draw(_scene(kind="svc", gamma=0.3, C=2.0, box=[0, 10, 0, 8], grid=[5, 4]))
    X, y = load_ten_points(return_X_y=True)
    model = SVC(C=2.0, kernel=RBF(gamma=0.3)).fit(X, y)
    corners = [[1.0, 7.0], [9.0, 1.0]]
    assert np.allclose(_values(found)[[0, -1]], model.decision_function(corners), atol=1e-5)
    assert found["support"] == model.support_.tolist()
    assert found["certificate"]["status"] == "CERTIFIED"
    assert found["certificate"]["dual"] == pytest.approx(model.certificate_.dual)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_is_drawn(kind):
    points = SEPARABLE if kind == "hard" else TEN
    found = draw(_scene(points, kind=kind, kernel="linear", rounds=5))
    assert len(_values(found)) == 96 * 72
    assert 0.5 <= found["accuracy"] <= 1.0
    assert "fit(X, y)" in found["code"]


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_is_drawn(kernel):
    assert np.isfinite(_values(draw(_scene(kernel=kernel, gamma=0.1)))).all()


def test_the_code_makes_the_same_model(capsys):
    found = draw(_scene(kind="svc", gamma=0.3, C=2.0))
    space = {}
    exec(found["code"], space)
    assert space["model"].certificate_.dual == pytest.approx(found["certificate"]["dual"])
    assert "CERTIFIED" in capsys.readouterr().out


def test_points_that_no_line_separates_come_with_the_proof():
    points = [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    found = draw(_scene(points, kind="hard", kernel="linear"))
    assert found["failed"] == "not separable"
    assert np.allclose(found["mean"], [0.5, 0.5])


def test_the_last_step_is_the_fitted_model():
    whole = draw(_scene(kind="svc", solver="smo", gamma=0.3))
    last = draw(_scene(kind="svc", solver="smo", gamma=0.3, step=whole["steps"]))
    assert np.array_equal(_values(whole), _values(last))
    first = draw(_scene(kind="svc", solver="smo", gamma=0.3, step=1))
    assert len(first["moved"]) == 2
    assert first["certificate"]["dual"] < whole["certificate"]["dual"]


def test_a_round_of_adaboost_shows_its_weights():
    found = draw(_scene(kind="adaboost", rounds=3, step=2))
    X, y = load_ten_points(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert found["alpha"] == pytest.approx(model.alphas_[1])
    wrong = model.estimators_[0].predict(X) != y
    assert sum(np.array(found["weights"])[wrong]) == pytest.approx(0.5)
    assert found["bounds"] == pytest.approx(model.bounds_["product"][:2])


def test_three_classes_are_numbers_of_classes():
    found = draw(_scene(known_points()["iris"], kind="svc"))
    assert set(_values(found)) == {0.0, 1.0, 2.0}


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        (None, "object"),
        ({"points": []}, "Draw some points"),
        ({"points": [[0, 0, 0]] * 3}, "two classes"),
        ({"points": [[0, 0]]}, "two coordinates and a class|finite"),
        ({"points": [[0, "x", 0]]}, "two coordinates"),
        ({"points": [[0, float("nan"), 0], [1, 1, 1]]}, "finite"),
        ({"points": [[1e9, 0, 0], [1, 1, 1]]}, "between"),
        ({"points": [[0, 0, 7], [1, 1, 1]]}, "Classes are numbers"),
        ({"points": [[0, 0, 0.5], [1, 1, 1]]}, "Classes are numbers"),
        ({"points": [[0.0, 0, 0]] * (MOST_POINTS + 1)}, "5,000"),
        (_scene(kind="__import__"), "kind of model"),
        (_scene(kernel="spectrum"), "kernel must be"),
        (_scene(C="1"), "C must be a number"),
        (_scene(C=-1), "between"),
        (_scene(gamma=float("inf")), "number"),
        (_scene(box=[1, 0, 0, 1]), "box"),
        (_scene(grid=[10_000, 10_000]), "grid"),
        (_scene(step="x"), "step"),
        (_scene(kind="linear", step=1), "step by step"),
        (_scene(kind="nu", nu=1.0), None),
        (_scene(kind="neighbors", neighbors=400), "at most as many"),
    ],
)
def test_a_broken_scene_is_a_sentence(scene, sentence):
    if sentence is None:
        assert draw(scene)["accuracy"] > 0
        return
    with pytest.raises(SceneError, match=sentence):
        draw(scene)

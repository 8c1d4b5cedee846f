"""Problems solved on a device have the optimum of the CPU, and are judged as usual."""

import numpy as np
import pytest

from maxmargin.certify import Status
from maxmargin.kernels import RBF, Laplacian, Linear
from maxmargin.kernels.gram import Gram
from maxmargin.ops.gpu import smo
from maxmargin.problems import c_svc
from maxmargin.solvers.box_qp.resident import Resident
from maxmargin.solvers.kernel_values.on_device import DeviceGram, DeviceView
from maxmargin.solvers.run import Limits, run


def _data(n, dtype=np.float64, seed=0):
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 4))
    t = np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * r.normal(size=n) > 0.8, 1.0, -1.0)
    return X.astype(dtype), t


def _solved(X, t, kernel, card, C=1.0, rows=None, tol=1e-4, seed=0):
    matrix = DeviceGram(Gram.of(kernel, X), card, 1 << 26)
    rows = np.arange(len(X)) if rows is None else rows
    solver = Resident(c_svc(t, C), DeviceView(matrix, rows), seed=seed)
    return run(solver, Limits(tol))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.2), Linear() + RBF(1.0)], ids=repr)
def test_the_optimum_is_certified(kernel, dtype, card):
    X, t = _data(150, dtype)
    solution = _solved(X, t, kernel, card)
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.certificate.precision == np.dtype(dtype).name


def test_working_sets_reach_the_optimum_of_all_variables(card, monkeypatch):
    X, t = _data(400)
    whole = _solved(X, t, RBF(0.3), card)
    monkeypatch.setattr(smo, "LARGEST", 64)
    parts = _solved(X, t, RBF(0.3), card)
    assert parts.certificate.status is Status.CERTIFIED
    assert parts.certificate.dual == pytest.approx(whole.certificate.dual, rel=1e-6)
    again = _solved(X, t, RBF(0.3), card)
    assert np.array_equal(parts.point.beta, again.point.beta)


def test_a_problem_sees_some_of_the_rows(card):
    X, t = _data(200)
    rows = np.arange(50, 170)
    part = _solved(X, t[rows], RBF(0.3), card, rows=rows)
    alone = _solved(X[rows], t[rows], RBF(0.3), card)
    assert part.certificate.dual == pytest.approx(alone.certificate.dual, rel=1e-9)


def test_costs_of_rows_count(card):
    X, t = _data(120)
    cost = np.random.default_rng(1).uniform(0.1, 3.0, 120)
    solution = _solved(X, t, RBF(0.3), card, C=cost)
    assert (np.abs(solution.point.beta) <= cost).all()
    assert solution.certificate.status is Status.CERTIFIED

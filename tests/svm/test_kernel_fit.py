"""Fits that start from each other and share what is evaluated."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification

from maxmargin import SVC, SVR, NuSVC, OneClassSVM, Status
from maxmargin.inputs.vectors import check_vectors
from maxmargin.kernels import RBF
from maxmargin.ops.clock import Clock
from maxmargin.solvers import BOX_QP_SOLVERS
from maxmargin.solvers.box_qp import together
from maxmargin.solvers.box_qp.in_memory import InMemory
from maxmargin.solvers.kernel_values.memory import evaluate
from maxmargin.svm.kernel_fit import learn

X, y = make_classification(300, 6, n_informative=4, n_classes=3, random_state=0)


class Counted(RBF):
    """Counts the rows of blocks it is asked for."""

    asked = 0

    def fill(self, A, B, out):
        Counted.asked += out.size
        super().fill(A, B, out)


def made_ready(solver="working_set", kernel="rbf", **options):
    model = SVC(kernel=kernel, solver=solver, tol=1e-5, **options)
    training = model._prepare(X, y, None)
    return training, model._recipe(Clock(), training.intercept)


def steps(learned):
    assert {c.status for c in learned.certificates} == {Status.CERTIFIED}
    return sum(solution.iterations for solution in learned.solutions)


@pytest.mark.parametrize("solver", BOX_QP_SOLVERS)
def test_a_start_at_a_neighbouring_price_saves_steps(solver):
    training, recipe = made_ready(solver, C=1.0)
    near = learn(training, recipe)
    further = replace(recipe, price=1.2)
    cold = learn(training, further)
    # Duals grow with the price: those at their bound stay there.
    warm = learn(training, further, [1.2 * solution.point.beta for solution in near.solutions])
    assert steps(warm) < steps(cold)
    for one, other in zip(warm.certificates, cold.certificates, strict=True):
        np.testing.assert_allclose(one.primal, other.primal, rtol=1e-3)


@pytest.mark.parametrize("cache_size", [200, 0.2], ids=["in memory", "by rows"])
def test_ten_fits_share_one_gram(cache_size):
    training, recipe = made_ready(kernel=Counted(0.3), cache_size=cache_size)
    shared = training.stored(evaluate(training.gram))
    before = Counted.asked
    for price in np.geomspace(0.1, 10.0, 10):
        together = learn(shared, replace(recipe, price=price))
        alone = SVC(kernel=RBF(0.3), C=price, tol=1e-5, cache_size=cache_size).fit(X, y)
        np.testing.assert_allclose(together.machine.intercepts, alone.intercept_, atol=1e-3)
    assert Counted.asked == before


class Doubled(RBF):
    """A formula that it inherits, and does not fill."""

    def fill(self, A, B, out):
        super().fill(A, B, out)
        out *= 2.0

    def diagonal(self, A):
        return 2.0 * super().diagonal(A)


def test_a_subclass_that_fills_something_else_is_asked():
    own, known = (SVC(kernel=k, tol=1e-6).fit(X, y) for k in (Doubled(0.2), 2.0 * RBF(0.2)))
    np.testing.assert_allclose(own.decision_function(X), known.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("make", [OneClassSVM, NuSVC, SVR, SVC])
def test_a_small_problem_is_solved_once(make, monkeypatch):
    taken, step, at_once = [], InMemory.step, together._in_one_call

    def counted(*arguments):
        taken.append(arguments)
        return at_once(*arguments)

    monkeypatch.setattr(InMemory, "step", lambda self, limits: taken.append(step(self, limits)))
    monkeypatch.setattr(together, "_in_one_call", counted)
    model = make().fit(X, y % 2)
    assert model.certificate_.status is Status.CERTIFIED
    assert len(taken) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_plain_arrays_are_taken_as_they_are(dtype):
    model, rows = SVC(), X.astype(dtype)
    taken, labels = check_vectors(model, rows, y=y)
    assert taken is rows
    assert labels is y
    assert model.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("make", [SVC, SVR])
def test_of_plain_arrays_too_it_is_said_what_is_wrong(make):
    holed, gap = X.copy(), y.astype(float)
    holed[3, 2], gap[5] = np.nan, np.inf
    with pytest.raises(ValueError, match="row 3, column 2"):
        make().fit(holed, y)
    with pytest.raises(ValueError, match="infinity"):
        make().fit(X, gap)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        make().fit(X, y[:-1])
    with pytest.raises(ValueError, match="is expecting 6 features"):
        make().fit(X, y).predict(X[:, :4].copy())

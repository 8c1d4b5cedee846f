"""What the pages of kernels, duality and optimisation say in passing, as numbers."""

import numpy as np
import pytest

from maxmargin import SVC, KernelDiscriminant, KernelLogisticRegression, LinearSVC, separate
from maxmargin.datasets import load_mixture, make_overlapping
from maxmargin.kernels import (
    RBF,
    Graph,
    Polynomial,
    Spectrum,
    WeisfeilerLehman,
    feature_space,
)

MIXTURE = load_mixture()
X, y = MIXTURE.data, MIXTURE.target


def risk(model):
    p, said = MIXTURE.grid_probability, model.fit(X, y).predict(MIXTURE.grid)
    return float(MIXTURE.grid_marginal @ np.where(said == 1, 1 - p, p))


def test_kernel_logistic_regression_is_close_to_the_machine_and_keeps_every_row():
    machine, logistic = SVC(gamma=1.0), KernelLogisticRegression(gamma=1.0)
    assert risk(machine) == pytest.approx(0.218, abs=0.001)
    assert risk(logistic) == pytest.approx(0.227, abs=0.001)
    assert len(machine.support_) < 0.7 * len(X)
    alone = SVC(gamma=1.0).fit(X[machine.support_], y[machine.support_])
    np.testing.assert_allclose(alone.decision_function(X), machine.decision_function(X), atol=1e-2)
    slopes = 1 / (1 + np.exp(np.where(y == 1, 1, -1) * logistic.decision_function(X)))
    assert slopes.min() > 1e-3  # each row pulls


def test_evaluation_is_an_inner_product_and_a_short_function_changes_little():
    kernel = RBF(gamma=1.0)
    model = SVC(kernel=kernel).fit(X, y)
    alpha, rows = model.dual_coef_[0], X[model.support_]
    length = np.sqrt(alpha @ kernel(rows) @ alpha)
    f = model.decision_function(X)
    apart = np.sqrt(np.maximum(0.0, 2.0 - 2.0 * kernel(X)))
    assert (np.abs(f[:, None] - f) <= length * apart + 1e-9).all()
    np.testing.assert_allclose(kernel(X, rows) @ alpha + model.intercept_, f, atol=1e-9)


def test_fritz_john_with_nothing_on_the_objective_is_the_proof_of_no_hyperplane():
    A, b = make_overlapping(60, separation=1.0, random_state=0)
    weights, t = separate(A, b).witness, np.where(b == b.max(), 1.0, -1.0)
    np.testing.assert_allclose((weights * t) @ A, 0.0, atol=1e-8 * weights.sum())
    assert (weights * t).sum() == pytest.approx(0.0, abs=1e-8 * weights.sum())
    assert weights.min() >= 0 < weights.max()


def test_a_step_of_coordinate_ascent_is_a_stochastic_gradient_step_of_its_own_length():
    A, b = make_overlapping(80, separation=2.0, n_features=3, random_state=0)
    t, C = np.where(b == b.max(), 1.0, -1.0), 0.5
    w, alpha = np.zeros(3), np.zeros(80)
    steps = []
    for _ in range(400):
        for i in np.random.default_rng(len(steps)).permutation(80):
            exact = (1.0 - t[i] * (w @ A[i])) / (A[i] @ A[i])
            new = np.clip(alpha[i] + exact, 0.0, C)
            steps.append(abs(new - alpha[i]))
            w, alpha[i] = w + (new - alpha[i]) * t[i] * A[i], new  # along t x, as a gradient step
    model = LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-10).fit(A, b)
    np.testing.assert_allclose(w, model.coef_[0], atol=1e-5)
    assert max(steps[-80:]) < 1e-5 < max(steps[:80])  # no schedule, and no noise at the end


def test_polynomials_grow_with_their_degree_and_radial_kernels_do_not():
    far = np.array([[3.0]])
    values = [Polynomial(degree=d)(far)[0, 0] for d in (3, 7, 15)]
    assert values == pytest.approx([10.0**3, 10.0**7, 10.0**15])
    assert RBF(gamma=2.0)(far)[0, 0] == 1.0
    sizes = [feature_space(Polynomial(degree=d), 10).dimension for d in (3, 7, 15)]
    assert sizes == [286, 19_448, 3_268_760]


def test_strings_and_graphs_are_sums_of_products_of_counts():
    assert Spectrum(2)(["banana"], ["ananas"])[0, 0] == 8  # an and na, twice in each
    rings = [[(i, (i + 1) % n) for i in range(n)] for n in (4, 5)]
    graphs = [Graph(ring) for ring in rings]
    assert WeisfeilerLehman(1)(graphs)[0, 1] == 2 * 4 * 5  # each node alike, at both depths


def test_kernel_lda_parts_rings_whose_means_coincide():
    rng = np.random.default_rng(0)
    label, angle = rng.integers(3, size=300), rng.uniform(0, 2 * np.pi, size=300)
    rings = (1.0 + label)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    rings += 0.1 * rng.normal(size=rings.shape)
    model = KernelDiscriminant(gamma=0.5).fit(rings[:200], label[:200])
    assert model.score(rings[200:], label[200:]) > 0.97

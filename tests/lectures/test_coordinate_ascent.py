"""The lectures' coordinate ascent, written down: what it reaches, and what its slip does."""

import numpy as np
import pytest

from maxmargin import SVC, LinearSVC
from maxmargin.datasets import make_overlapping

C = 0.1
X, T = make_overlapping(60, random_state=0)
PHI = np.c_[X, np.ones(len(X))]


def ascend(draws, clipped):
    rng, alpha, w, duals = np.random.default_rng(0), np.zeros(len(T)), np.zeros(3), []
    for _ in range(draws):
        i = rng.integers(len(T))
        delta = (1 - T[i] * (w @ PHI[i])) / (PHI[i] @ PHI[i])
        moved = np.clip(alpha[i] + delta, 0.0, C)
        w = w + (moved - alpha[i] if clipped else delta) * T[i] * PHI[i]
        alpha[i] = moved
        v = PHI.T @ (alpha * T)
        duals.append(alpha.sum() - v @ v / 2)
    return w, PHI.T @ (alpha * T), np.array(duals)


def test_the_clipped_step_rises_to_the_optimum():
    w, total, duals = ascend(15_000, clipped=True)
    np.testing.assert_allclose(w, total, atol=1e-12)
    assert (np.diff(duals) >= -1e-12).all()
    best = LinearSVC(loss="hinge", C=C, tol=1e-10).fit(X, T)
    assert duals[-1] == pytest.approx(best.certificate_.dual, rel=1e-4)
    np.testing.assert_allclose(w, np.r_[best.coef_[0], best.intercept_], atol=1e-2)


def test_the_step_as_printed_loses_w():
    w, total, _ = ascend(3000, clipped=False)
    assert np.linalg.norm(w - total) > 1.0


def test_a_row_of_no_length_has_its_dual_at_the_cost():
    """It has no part in w, but in the dual: without it primal and dual would be C apart."""
    rows, labels = np.r_[X, [[0.0, 0.0]]], np.r_[T, 1.0]
    model = SVC(kernel="linear", intercept="none", C=C, tol=1e-6).fit(rows, labels)
    assert len(T) in model.support_
    assert model.dual_coef_[0, model.support_ == len(T)] == pytest.approx(C)
    without = SVC(kernel="linear", intercept="none", C=C, tol=1e-6).fit(X, T)
    assert model.certificate_.dual == pytest.approx(without.certificate_.dual + C)


class Counted(float):
    """A number that counts how often it is multiplied."""

    products = 0

    def __mul__(self, other):
        Counted.products += 1
        return float(self) * other


def products_of(left, right):
    """Add up products one by one; give the sum and how many there were."""
    Counted.products = 0
    total = sum(Counted(a) * b for a, b in zip(left, right, strict=True))
    return total, Counted.products


@pytest.mark.parametrize("n", [20, 60])
def test_a_step_takes_n_products_by_kernel_values_and_d_by_weights(n):
    alpha, K = np.random.default_rng(0).uniform(0.0, C, n), PHI[:n] @ PHI[:n].T
    by_kernel, n_products = products_of(alpha * T[:n], K[0])
    by_weights, d_products = products_of(PHI[:n].T @ (alpha * T[:n]), PHI[0])
    assert by_kernel == pytest.approx(by_weights)
    assert (n_products, d_products) == (n, 3)

"""Logistic regression as the lectures have it: p(C = 0 | x) = sigma(z), labels 0 and 1."""

import numpy as np
import pytest
from scipy.special import expit

from maxmargin import LinearClassifier
from maxmargin.datasets import load_mixture

X, T = load_mixture(return_X_y=True)
Z = np.c_[np.ones(len(X)), X]


def loss(w):
    """Minus the logarithm of the likelihood, row by row."""
    p0 = expit(Z @ w)
    return -np.sum(T * np.log(1 - p0) + (1 - T) * np.log(p0))


def gradient(w):
    return Z.T @ (T - (1 - expit(Z @ w)))  # sum_i x_i (t_i - p(C = 1 | x_i))


def differences(f, w, step=1e-6):
    return np.array([(f(w + step * e) - f(w - step * e)) / (2 * step) for e in np.eye(len(w))])


@pytest.mark.parametrize("seed", range(3))
def test_the_simplified_loss_and_its_gradient(seed):
    w = np.random.default_rng(seed).normal(size=3)
    z = Z @ w
    assert loss(w) == pytest.approx(np.log1p(np.exp(-z)).sum() + T @ z)
    np.testing.assert_allclose(gradient(w), differences(loss, w), rtol=1e-5, atol=1e-4)


def test_the_updates_lead_to_the_most_likely_weights():
    w = np.zeros(3)
    for _ in range(3000):
        w = w - 0.01 * gradient(w)
    model = LinearClassifier(penalty=None, tol=1e-10).fit(X, T)
    np.testing.assert_allclose(w, -np.r_[model.intercept_, model.coef_[0]], atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], expit(Z @ w), atol=1e-5)


@pytest.mark.parametrize("alpha", [0.01, 0.3, 5.0])
def test_a_prior_of_variance_alpha_adds_w_over_alpha(alpha):
    """Not alpha w, which is the prior of variance 1 / alpha."""

    def posterior(w):
        return loss(w) + w[1:] @ w[1:] / (2 * alpha)

    model = LinearClassifier(C=alpha, tol=1e-12).fit(X, T)
    w = -np.r_[model.intercept_, model.coef_[0]]
    slope = gradient(w) + np.r_[0.0, w[1:]] / alpha
    np.testing.assert_allclose(slope, 0.0, atol=2e-3)
    np.testing.assert_allclose(differences(posterior, w), 0.0, atol=3e-3)
    printed = gradient(w) + np.r_[0.0, alpha * w[1:]]
    assert np.abs(printed).max() > 0.1

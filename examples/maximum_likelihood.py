"""Logistic regression by gradient descent: the gradient checked, and what the rate does."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from maxmargin import LinearClassifier
from maxmargin.datasets import load_mixture
from maxmargin.plots import palette
from maxmargin.solvers import Trace

warnings.simplefilter("ignore")  # of rates that do not get there
X, t = load_mixture(return_X_y=True)
Z = np.c_[np.ones(len(X)), X]  # w0, w1, w2


def loss(w):
    """Return the loss of p(C = 0 | x) = sigma(z), where a large z speaks for class 0."""
    return np.sum(np.logaddexp(0.0, -Z @ w) + t * (Z @ w))


w, step = np.array([0.3, -0.2, 0.5]), 1e-6
gradient = Z.T @ (t - expit(-(Z @ w)))  # sum_i x_i (t_i - p(C = 1 | x_i))
by_differences = [(loss(w + step * e) - loss(w - step * e)) / (2 * step) for e in np.eye(3)]
print("gradient      ", gradient.round(4), "\nby differences", np.round(by_differences, 4))
best = LinearClassifier(penalty=None, tol=1e-10).fit(X, t)
ours = -np.r_[best.intercept_, best.coef_[0]]  # decides for class 1, hence the sign
print(f"least loss {loss(ours):.4f} at w = {ours.round(3)}, {best.certificate_.status.name}")
for k, rate in enumerate((None, 3e-2, 1e-2, 1e-3)):
    trace, options = Trace(), {"penalty": None, "solver": "gradient_descent", "max_iter": 300}
    LinearClassifier(**options, learning_rate=rate, tol=1e-8, callback=trace).fit(X, t)
    error = [line.primal / loss(ours) - 1 for line in trace]
    style = {"color": palette.CURVES[k], "ls": palette.DASHES[k], "lw": 2}
    style |= {"label": f"rate {rate or 'found on the way'}"}
    plt.semilogy([line.iterations for line in trace], error, **style)
plt.gca().set(xlabel="updates", ylabel="loss over the least, less 1", ylim=(1e-9, 3))
plt.legend(frameon=False, loc="lower right")
plt.show()

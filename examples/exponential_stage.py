"""One stage of an additive model with the exponential loss: which stump, and how far along it."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize_scalar

from maxmargin.boosting import AdaBoostClassifier, alpha_of_error
from maxmargin.datasets import load_ten_points
from maxmargin.plots import palette

X, t = load_ten_points(return_X_y=True)
model = AdaBoostClassifier(n_estimators=2).fit(X, t)
H = model.alphas_[0] * model.estimators_[0].predict(X)  # one stump is there, look for the second
w = np.exp(-t * H)
above = [X[:, j] > X[i, j] for j in (0, 1) for i in range(10)]
stumps = np.array([sign * np.where(side, 1, -1) for side in above for sign in (-1, 1)])

error = (stumps != t) @ w / w.sum()
loss = np.exp(-t * (H + 0.5 * stumps)).mean(axis=1)  # with a step of 1/2, as with any other
best = error.argmin()
step = minimize_scalar(lambda a: np.exp(-t * (H + a * stumps[best])).mean()).x
print(f"{len(stumps)} stumps; least loss and least error at the same one: {best == loss.argmin()}")
print(f"its weighted error {error[best]:.4f}; AdaBoost's {model.estimator_errors_[1]:.4f}")
print(f"step by search {step:.4f}; half the log odds {alpha_of_error(error[best]):.4f}")

_, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4), layout="constrained")
left.plot(error, loss, "o", ms=5, color=palette.TEST)
left.plot(error[best], loss[best], "o", ms=9, color=palette.TRAIN)
left.set(xlabel="weighted error of the stump", ylabel="loss with a step of ½ along it")
a = np.linspace(0, 1.5, 100)
curve = np.exp(-t * (H + a[:, None] * stumps[best])).mean(axis=1)
right.plot(a, curve, color=palette.TEST, lw=2, label="loss along the best stump")
slope = w.mean() * (1 - 2 * error[best])
right.plot(a[:45], w.mean() - a[:45] * slope, color=palette.CHANCE, ls="--", label="its tangent")
right.plot(step, curve.min(), "o", ms=9, color=palette.TRAIN, label="½ log((1 − e) / e)")
right.set(xlabel="step α", ylabel="mean exponential loss")
right.legend(frameon=False)
plt.show()

"""The same stumps with coefficients one by one, as AdaBoost finds them, and all fitted together."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer

from maxmargin.boosting import AdaBoostClassifier
from maxmargin.plots import palette

X, y = load_breast_cancer(return_X_y=True)
X, t = X[:, :10], 2 * y - 1
model = AdaBoostClassifier(n_estimators=24).fit(X, t)
stumps = np.array([member.predict(X) for member in model])


def loss(alphas):
    """Give the mean exponential loss of the first stumps, and its gradient."""
    h = stumps[: len(alphas)]
    rows = np.exp(-t * (alphas @ h)) / len(t)
    return rows.sum(), -h @ (t * rows)


counts = np.array([1, 2, 3, 5, 8, 12, 16, 24])
stagewise = model.bounds_["product"][counts - 1]
joint = [minimize(loss, model.alphas_[:m], jac=True) for m in counts]
print("stumps  loss one by one  all together  largest coefficient")
for m, one_by_one, together in zip(counts, stagewise, joint, strict=True):
    print(f"{m:6d} {one_by_one:16.4f} {together.fun:13.4f} {np.abs(together.x).max():20.1f}")

_, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot(counts[:-1], stagewise[:-1], "o-", color=palette.TEST, label="one by one")
together = [found.fun for found in joint[:-1]]  # that of the last is not attained
ax.plot(counts[:-1], together, "s--", color=palette.TRAIN, label="all coefficients together")
ax.set(xlabel="stumps, the same for both", ylabel="mean exponential loss", ylim=(0, None))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

"""The radial kernel: bumps on the support vectors, from wide hills to a spike on every row."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, plots
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF, feature_space

X, y = load_mixture(return_X_y=True)
print(feature_space(RBF(gamma=1.0), 2))
print(" gamma  sigma  support vectors  training error  rank of K")
fig, axes = plt.subplots(1, 3, figsize=(11.4, 4.1), layout="constrained")
for ax, gamma in zip(axes, (0.1, 1.0, 100.0), strict=True):
    kernel = RBF(gamma=gamma)
    model = SVC(kernel=kernel).fit(X, y)
    error, rank = (model.predict(X) != y).mean(), np.linalg.matrix_rank(kernel(X))
    print(f"{gamma:6g} {1 / np.sqrt(2 * gamma):6.3f}", end=" ")
    print(f"{len(model.support_):16d} {error:15.3f} {rank:10d}")
    plots.MarginDisplay.from_estimator(model, X, y, ax=ax, legend=False)
    ax.set_title(f"γ = {gamma:g}, {len(model.support_)} support vectors", fontsize=10)

x = np.array([0.5, 0.5])
bumps = np.exp(-100.0 * ((model.support_vectors_ - x) ** 2).sum(axis=1))
print(f"f(0.5, 0.5) as a sum of {len(bumps)} bumps", end=" ")
print(f"{model.dual_coef_[0] @ bumps + model.intercept_[0]:.6f}", end=", ")
print(f"of the model {model.decision_function([x])[0]:.6f}")
plt.show()

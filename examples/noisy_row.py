"""One noisy row: the hard margin turns and shrinks, the soft one hardly moves."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, HardMarginSVC, plots
from maxmargin.datasets import make_separable

X, y = make_separable(40, margin=0.6, random_state=5)
w = HardMarginSVC().fit(X, y).coef_[0]

# One more row of class +1, on its own side, but near the other class and off to one end.
noisy = X[y < 0].mean(axis=0) + 1.35 * w / np.linalg.norm(w) + 1.6 * np.array([w[1], -w[0]])
Z, z = np.vstack([X, noisy]), np.append(y, 1)
low, high = Z.min(axis=0) - 0.3, Z.max(axis=0) + 0.3

fig, axes = plt.subplots(2, 2, figsize=(8.6, 8.2), layout="constrained", sharex=True, sharey=True)
models = {"hard": HardMarginSVC(), "soft, C = 0.2": SVC(kernel="linear", C=0.2)}
for line, (name, model) in zip(axes, models.items(), strict=True):
    before = np.array(model.fit(X, y).coef_[0])
    plots.MarginDisplay.from_estimator(model, X, y, ax=line[0], legend=False)
    after = np.array(model.fit(Z, z).coef_[0])
    plots.MarginDisplay.from_estimator(model, Z, z, ax=line[1], legend=False)
    line[1].scatter(*noisy, s=160, marker="s", facecolors="none", edgecolors="k", lw=1.6)
    widths = 2 / np.linalg.norm([before, after], axis=1)
    turned = np.degrees(np.arccos(before @ after * widths[0] * widths[1] / 4))
    print(f"{name:14s} turns by {turned:4.1f} degrees, width {widths[0]:.3f} -> {widths[1]:.3f}")
    line[0].set_title(f"{name}: without the row", fontsize=10)
    line[1].set_title(f"{name}: with it (square)", fontsize=10)
    line[0].set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
plt.show()

"""A quadratic map: a ring in the plane becomes separable by a plane in three dimensions."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import HardMarginSVC, plots, separate
from maxmargin.datasets import make_rings
from maxmargin.kernels import Polynomial

X, y = make_rings(80, noise=0.12, random_state=0)
kernel = Polynomial(degree=2, coef0=0.0)
Z = kernel.features(X)
r = np.sqrt(2)
by_hand = np.column_stack([X[:, 0] ** 2, r * X[:, 0] * X[:, 1], X[:, 1] ** 2])
print("the map is (x1^2, sqrt2 x1 x2, x2^2):", np.allclose(Z, by_hand))
print("<phi(x), phi(y)> is <x, y>^2:", np.allclose(Z @ Z.T, (X @ X.T) ** 2))
print(
    "separable in the plane:", separate(X, y).separable, " after the map:", separate(Z, y).separable
)

flat, curved = HardMarginSVC().fit(Z, y), HardMarginSVC(kernel=kernel).fit(X, y)
apart = np.abs(flat.decision_function(Z) - curved.decision_function(X)).max()
print(f"plane in 3D and kernel in 2D: the same machine, values at most {apart:.0e} apart")
w, b = flat.coef_[0], flat.intercept_[0]
print(f"w = {w.round(3)}, b = {b:.3f}, margin {flat.margin_:.3f} in feature space")

fig = plt.figure(figsize=(10.4, 4.8), layout="constrained")
plots.MarginDisplay.from_estimator(curved, X, y, ax=fig.add_subplot(1, 2, 1), legend=False)
ax = fig.add_subplot(1, 2, 2, projection="3d")
for c, marker, colour in zip((-1, 1), plots.palette.MARKERS, plots.palette.CLASSES, strict=True):
    ax.scatter(*Z[y == c].T, marker=marker, color=colour, s=18, depthshade=False)
first, second = np.meshgrid(np.linspace(0, -b / w[0], 12), np.linspace(-3, 3, 12))
height = np.maximum(-(b + w[0] * first + w[1] * second) / w[2], 0)
ax.plot_surface(first, second, height, color="0.4", alpha=0.35, linewidth=0)
ax.set(xlabel="x1²", ylabel="√2 x1 x2", zlabel="x2²", yticks=(-3, 0, 3))
ax.view_init(elev=10, azim=-72)
plt.show()

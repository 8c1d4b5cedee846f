"""Separating hyperplanes: a linear program finds one, or proves that there is none."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import HardMarginSVC, separate
from maxmargin.datasets import make_overlapping, make_separable
from maxmargin.plots import palette

X, y = make_separable(30, margin=0.5, random_state=17)
found, best = separate(X, y), HardMarginSVC().fit(X, y)
angles = np.linspace(0, 2 * np.pi, 10_000, endpoint=False)
along = X @ [np.cos(angles), np.sin(angles)]
low, high = along[y < 0].max(axis=0), along[y > 0].min(axis=0)
part = np.flatnonzero(high > low)
print(f"{len(part) / 10_000:.1%} of all directions separate, with margins up to", end=" ")
print(f"{(high - low).max() / 2:.4f}")
print(f"margin of the linear program's line {found.margin:.4f}, the largest {best.margin_:.4f}")

fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
for a in part[:: len(part) // 8]:
    w, b = np.array([np.cos(angles[a]), np.sin(angles[a])]), -(low[a] + high[a]) / 2
    axes[0].axline(-b * w, (-b * w[0] - w[1], -b * w[1] + w[0]), color=palette.CHANCE, lw=0.8)
lines = (found.coef, found.intercept, palette.TEST), (best.coef_[0], best.intercept_[0], "k")
for w, b, colour in lines:
    axes[0].axline((0, -b / w[1]), slope=-w[0] / w[1], color=colour, lw=2)
axes[0].set_title("many lines; the program's (blue), the widest (black)", fontsize=10)

Z, label = make_overlapping(40, separation=3.2, random_state=0)
a = separate(Z, label).witness
means = [(a[label == c] @ Z[label == c]).round(4).tolist() for c in (-1, 1)]
print(f"overlapping: the weighted means of the two classes are {means[0]} and {means[1]}")
axes[1].scatter(*Z[a > 0].T, s=110, facecolors="none", edgecolors=palette.INK)
axes[1].scatter(*means[0], marker="X", s=90, color=palette.BAYES, zorder=4)
axes[1].set_title("no line: of the ringed points both classes have the mean ×", fontsize=10)
for ax, (rows, of) in zip(axes, ((X, y), (Z, label)), strict=True):
    ax.scatter(*rows[of < 0].T, marker="o", color=palette.CLASSES[0], s=26, zorder=3)
    ax.scatter(*rows[of > 0].T, marker="^", color=palette.CLASSES[1], s=26, zorder=3)
plt.show()

"""Slack as a distance: separable on the left, overlapping on the right, where xi* = M xi."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, HardMarginSVC, explain_dual, plots
from maxmargin.datasets import make_separable

X, t = make_separable(24, margin=0.8, random_state=59)
hard = HardMarginSVC().fit(X, t)

# Four rows go towards the other class, some of them all the way.
overlap, moved = X.copy(), [*np.flatnonzero(t < 0)[:2], *np.flatnonzero(t > 0)[:2]]
overlap[moved] -= np.outer(t[moved] * [1.6, 3.0, 2.0, 2.8], hard.margin_ * hard.coef_[0])
soft = SVC(kernel="linear", C=1.0).fit(overlap, t)

told = explain_dual(soft, overlap, t)
M, short = 1 / np.sqrt(told.squared_norm), np.flatnonzero(told.kind == "inside or wrong")
print(f"M = 1/|w| is {hard.margin_:.4f} on the left and {M:.4f} on the right")
print("      row   t      xi  xi* = M xi")
for number, row in enumerate(short, start=1):
    xi, where = told.slack[row], "wrong side of f = 0" if told.slack[row] > 1 else ""
    print(f"{number:4d} {row:4d}  {t[row]:+d} {xi:7.4f} {M * xi:11.4f}  {where}".rstrip())
print(f"total slack {told.slack.sum():.4f}, total distance {M * told.slack.sum():.4f}")

fig, axes = plt.subplots(1, 2, figsize=(10.6, 6.4), layout="constrained")
plots.MarginDisplay.from_estimator(hard, X, t, slack=True, ax=axes[0])
plots.MarginDisplay.from_estimator(soft, overlap, t, slack=True, ax=axes[1])
axes[0].set_title("separable: the margin is 2M wide", fontsize=10)
axes[1].set_title("overlapping: arrows from the margin, ξ* long", fontsize=10)
plt.show()

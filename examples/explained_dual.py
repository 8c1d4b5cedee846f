"""A fitted machine's dual: values, conditions, rows, slackness, and forces that balance."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, explain_dual, plots
from maxmargin.datasets import make_overlapping

X, y = make_overlapping(24, separation=3.0, random_state=0)
model = SVC(kernel="linear", C=1.0).fit(X, y)
told = explain_dual(model, X, y)
print(told)
print()
print(told.table(np.flatnonzero((told.alpha > 0) | (told.margin < 1.6))))
print()
support = told.alpha * told.t
print("w of the model        ", model.coef_[0].round(6))
print("sum of alpha_i t_i x_i", (support @ X).round(6))
print(f"Lagrangian {told.lagrangian:.6f}, primal {told.primal:.6f}, dual {told.dual:.6f}")

fig, axes = plt.subplots(1, 2, figsize=(11.2, 5.6), layout="constrained")
plots.SlacknessDisplay.from_explanation(told, ax=axes[0])
plots.forces(model, X, y, ax=axes[1])
plt.show()

"""One machine, four letters: C and gamma, two lambdas, and the budget of slack."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, HardMarginSVC, SlackBudgetSVC, total_slack
from maxmargin.datasets import make_separable

X, y = make_separable(50, margin=0.3, random_state=1)
n, hard = len(y), HardMarginSVC().fit(X, y)
costs = np.array([0.001, 0.01, 0.1, 1.0, 10.0, 100.0])

print(" C = gamma  lambda = 1/(2C)  lambda = 1/(2nC)   budget  C of the budget   2/|w|")
widths, budgets = [], []
for C in costs:
    model = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    budget = total_slack(model, X, y)
    again = SlackBudgetSVC(budget=budget, tol=1e-9).fit(X, y)
    widths.append(2 / np.linalg.norm(model.coef_))
    budgets.append(budget)
    print(f"{C:10g} {1 / (2 * C):16g} {1 / (2 * n * C):17g}", end=" ")
    print(f"{budget:8.4f} {again.C_:16.4f} {widths[-1]:7.3f}")
print(f"the hard margin is {2 * hard.margin_:.3f} wide: C to infinity, lambda to 0, budget to 0")

fig, axes = plt.subplots(1, 2, figsize=(9.6, 3.9), layout="constrained", sharey=True)
for ax, letter, xlabel in (
    (axes[0], costs, "C in ½‖w‖² + C Σ ξ"),
    (axes[1], 1 / (2 * n * costs), "λ in λ‖w‖² + (1/n) Σ ξ"),
):
    ax.loglog(letter, widths, "o-")
    ax.axhline(2 * hard.margin_, color="0.4", ls="--", lw=1.0)
    ax.set(xlabel=xlabel)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("width of the margin, 2/‖w‖")
axes[0].text(costs[0], 2.15 * hard.margin_, "the hard margin", fontsize=9, color="0.3")
plt.show()

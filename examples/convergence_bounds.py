"""The training error, the exponential loss and four bounds on them, round by round."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import AdaBoostClassifier
from maxmargin.plots import palette

X, digit = load_digits(return_X_y=True)
y, rounds = digit % 2, np.arange(1, 41)
weak = DecisionTreeClassifier(max_depth=3)
bounds = AdaBoostClassifier(weak, n_estimators=40, random_state=0).fit(X, y).bounds_
curves = {
    "training error": bounds.error,
    "∏ Z, the exponential loss": bounds["product"],
    "exp(−2 Σ γ²)": bounds.exponential,
    "(1 − 4γ²)^(T/2), γ the smallest edge": bounds.geometric,
    "n (1 − 4γ²)^(T/2)": bounds.n_geometric,
}

print("rounds   error  product  exp(-2 sum)  geometric  n geometric  smallest edge")
for t in (1, 5, 10, 20, 40):
    line, edge = bounds[t - 1], bounds.edge[:t].min()
    print(f"{t:6d} {line.error:7.4f} {line['product']:8.4f} {line.exponential:12.4f}"
          f" {line.geometric:10.4f} {line.n_geometric:12.1f} {edge:14.4f}")  # fmt: skip

_, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
for (name, values), colour, dash in zip(
    curves.items(), palette.CURVES, palette.DASHES, strict=False
):
    ax.plot(rounds, np.where(values > 0, values, np.nan), color=colour, ls=dash, lw=1.8, label=name)
ax.set(xlabel="round T", ylabel="error, loss or bound", yscale="log", ylim=(1e-4, 3e4))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, ncols=2)
plt.show()

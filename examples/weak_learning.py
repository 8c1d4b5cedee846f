"""Weak learning with probability: how often a stump of m rows has an edge on all others."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.boosting import DecisionStump
from maxmargin.plots import palette

rng = np.random.default_rng(0)
X = rng.uniform(size=(5000, 6))  # the population
votes = np.sign(X[:, :3] - 0.5)  # three stumps
t = np.sign(votes.sum(axis=1))  # and their majority, the concept to learn
hard = np.exp(2.0 * (np.abs(votes.sum(axis=1)) < 2) + 3.0 * X[:, 3])
worst = np.where(votes[:, 0] == t, 1.0, 4.0)
kinds = {"uniform": np.ones(5000), "skewed": hard, "against the first stump": worst}
gamma, sizes, draws = 0.1, np.array([5, 10, 20, 40, 80, 160, 320]), 200

print("least error of the three stumps on the whole population, at most 1/3 whatever the weights:")
for name, weight in kinds.items():
    least = min(weight[votes[:, j] != t].sum() / weight.sum() for j in range(3))
    print(f"    {name:24s} {least:.3f}")
print(f"share of samples whose stump errs on more than 1/2 - {gamma} of the population")
print("rows      " + "".join(f"{m:7d}" for m in sizes))
_, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for (name, weight), color in zip(kinds.items(), palette.CURVES, strict=False):
    share, p = [], weight / weight.sum()
    for m in sizes:
        failed = 0
        for _ in range(draws):
            rows = rng.choice(len(X), size=m, p=p)
            h = DecisionStump(n_jobs=1).fit(X[rows], t[rows]) if len(set(t[rows])) == 2 else None
            failed += h is None or p[h.predict(X) != t].sum() > 0.5 - gamma
        share.append(failed / draws)
    print(f"{name[:9]:10s}" + "".join(f"{each:7.3f}" for each in share))
    ax.plot(sizes, share, "o-", color=color, label=name)
ax.set(xscale="log", xticks=sizes, xticklabels=sizes, xlabel="rows learned from")
ax.set(ylabel="share of samples without an edge", ylim=(0, None))
ax.legend(frameon=False, title="distribution of rows")
plt.show()

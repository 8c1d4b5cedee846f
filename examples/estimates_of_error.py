"""Hold-out, leave-one-out, ten folds and 5x2: which estimates the true error, and how well."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC
from maxmargin.datasets import make_overlapping
from maxmargin.evaluation import evaluate
from maxmargin.plots import palette

model, n, samples = SVC(gamma=0.1), 100, 25
new, truth = make_overlapping(10_000, separation=2.0, n_features=5, random_state=999)
protocols = {"hold-out, 80/20": "hold-out", "leave one out": "loo", "ten folds": 10, "5x2": "5x2"}
off = {name: [] for name in ("training error", *protocols)}
fits = dict.fromkeys(off, 1) | {"leave one out": n, "ten folds": 10, "5x2": 10}
for seed in range(samples):
    X, y = make_overlapping(n, separation=2.0, n_features=5, random_state=seed)
    model.fit(X, y)
    risk = 1 - model.score(new, truth)
    off["training error"].append(1 - model.score(X, y) - risk)
    for name, protocol in protocols.items():
        order = np.random.default_rng(seed).permutation(n)
        split = [(order[: 4 * n // 5], order[4 * n // 5 :])] if protocol == "hold-out" else protocol
        run = evaluate(model, X, y, protocol=split, random_state=seed)
        mean = next(iter(run.values())).mean
        off[name].append(1 - mean - risk)

print("estimate less the true error of the model of all rows")
print("                   fits   mean ± its standard error   spread")
for name, values in off.items():
    spread = np.std(values, ddof=1)
    bias = f"{np.mean(values):+.3f} ± {spread / samples**0.5:.3f}"
    print(f"{name:18} {fits[name]:4d} {bias:>27} {spread:8.3f}")
box = {"medianprops": {"color": palette.TRAIN}, "whis": (0, 100)}
plt.figure(figsize=(8.5, 4.4), layout="constrained")
plt.boxplot(list(off.values()), tick_labels=list(off), **box)
plt.axhline(0.0, color=palette.CHANCE, lw=1)
plt.ylabel("estimate less the true error")
plt.show()

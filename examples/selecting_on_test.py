"""Choosing on the test rows lies, and by how much: labels are coins, so the truth is one half."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from maxmargin.evaluation import TestVault
from maxmargin.plots import palette

tried, repetitions = 30, 60
peeked, honest = [], []
for seed in range(repetitions):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 30)), rng.integers(0, 2, 200)
    vault = TestVault(X, y, test_size=0.25, random_state=seed)
    half = len(vault.y) // 2
    models = [  # each sees two columns of noise
        DecisionTreeClassifier(max_depth=2, max_features=2, random_state=k).fit(
            vault.X[:half], vault.y[:half]
        )
        for k in range(tried)
    ]
    best = max(models, key=lambda model: model.score(vault.X[half:], vault.y[half:]))
    honest.append(vault.score(best, reason="chosen on validation rows").result.value)
    test = X[vault.test_rows], y[vault.test_rows]  # what nobody should do
    peeked.append(max(model.score(*test) for model in models))

bins = np.arange(0.26, 0.84, 0.04)
for k, (name, values) in enumerate((("chosen on validation rows", honest),
                                    ("chosen on the test rows", peeked))):  # fmt: skip
    low, high = np.mean(values) + np.array([-2, 2]) * np.std(values) / repetitions**0.5
    print(f"{name:26}: accuracy {np.mean(values):.3f} (mean {low:.3f} to {high:.3f})")
    style = {"color": palette.CURVES[k], "alpha": 0.55, "hatch": (None, "//")[k]}
    plt.hist(values, bins, label=name, edgecolor="white", **style)
plt.axvline(0.5, color=palette.INK, lw=1.5, label="truth")
plt.gca().set(xlabel="accuracy on 50 test rows", ylabel=f"of {repetitions} repetitions")
plt.ylim(0, 36)
plt.legend(frameon=False, loc="upper right")
plt.show()

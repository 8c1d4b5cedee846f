"""Stochastic dual coordinate ascent step by step, and what an unclipped step does to w."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import LinearSVC
from maxmargin.datasets import make_overlapping
from maxmargin.plots import palette

X, y = make_overlapping(200, random_state=0)
C, n = 0.1, len(X)
phi = np.c_[X, np.ones(n)]  # the augmentation trick: the bias is a weight
best = LinearSVC(loss="hinge", C=C, tol=1e-9).fit(X, y).certificate_.primal


def ascend(steps, clipped, seed=0):
    """Run the algorithm; many texts add the step to w before it is clipped."""
    rng, alpha, w, gaps = np.random.default_rng(seed), np.zeros(n), np.zeros(3), []
    for _ in range(steps):
        i = rng.integers(n)
        delta = (1 - y[i] * (w @ phi[i])) / (phi[i] @ phi[i])
        moved = min(max(alpha[i] + delta, 0.0), C)
        w = w + (moved - alpha[i] if clipped else delta) * y[i] * phi[i]
        alpha[i] = moved
        primal = w @ w / 2 + C * np.maximum(0, 1 - y * (phi @ w)).sum()
        gaps.append(primal / best - 1)
    return gaps, w, phi.T @ (alpha * y)


for k, name in enumerate(("clipped step", "unclipped step, as printed")):
    gaps, w, total = ascend(20 * n, clipped=k == 0)
    passes, style = np.arange(1, len(gaps) + 1) / n, {"color": palette.CURVES[k], "lw": 2 - k}
    plt.semilogy(passes[::25], gaps[::25], palette.DASHES[0], label=name, **style)
    off = np.linalg.norm(w - total)
    print(f"{name:27}: objective {1 + gaps[-1]:.6f} of the least, |w - sum alpha t x| = {off:.1e}")
plt.gca().set(xlabel="draws / n", ylabel="objective of w over the least, less 1")
plt.legend(frameon=False)
plt.show()

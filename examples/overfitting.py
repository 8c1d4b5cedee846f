"""Rounds, noisy labels and complex weak learners: what makes boosting overfit, and how much."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.evaluation import round_errors


def sample(random, flipped, n=200):
    """Draw five normal columns and the sign of their sum, with some of the labels flipped."""
    X = random.normal(size=(n, 5))
    return X, np.sign(X.sum(axis=1)) * np.where(random.uniform(size=n) < flipped, -1, 1)


X, y = sample(np.random.RandomState(1), flipped=0.0, n=1000)  # judged by the true labels
stumps, noise = AdaBoostClassifier(n_estimators=400), {}
for share in (0.0, 0.1, 0.2):
    drawn = {"sample": lambda random, share=share: sample(random, share), "random_state": 0}
    noise |= round_errors({f"{share:.0%} of labels flipped": stumps}, X, y, **drawn)
trees = {levels: DecisionTreeClassifier(max_depth=levels) for levels in (1, 4, 8)}
boost = {"n_estimators": 50, "random_state": 0}
models = {f"depth {k}": AdaBoostClassifier(tree, **boost) for k, tree in trees.items()}
depth = round_errors(
    models, X, y, sample=lambda random: sample(random, 0.1), n_repeats=6, random_state=0
)
_, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", sharey=True)
for ax, results in zip(axes, (noise, depth), strict=True):
    for name, found in results.items():
        least = f"least {found.mean[found.best - 1]:.3f}"
        rise = f"a rise of {found.rise.value:.3f} ({found.rise.low:.3f} to {found.rise.high:.3f})"
        print(f"{name:22s} {least}; in the end {found.final.value:.3f}, {rise}")
    plots.overfitting(results, log_rounds=True, ax=ax)
worse = depth["depth 1"].less(depth["depth 8"])
print(f"depth 8 against 1: {worse.value:.3f} ({worse.low:.3f} to {worse.high:.3f}) more")
early = np.sum(depth["depth 8"].rounds < 50)  # where a tree errs nowhere
print(f"{early} of its 6 fits end before round 50")
plt.show()

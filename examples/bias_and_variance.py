"""Boosting cuts bias and bagging cuts variance: errors taken apart over repeated training sets."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier, DecisionStump
from maxmargin.evaluation import bias_variance


def sample(random, n=200):
    """Draw normal columns and the side of a hyperplane, with one label in ten flipped."""
    X = random.normal(size=(n, 5))
    side = np.sign(X[:, :3] @ [2.0, 1.5, 1.0])
    return X, side * np.where(random.uniform(size=n) < 0.1, -1, 1)


X = np.random.RandomState(1).normal(size=(1000, 5))
truth = np.where(X[:, :3] @ [2.0, 1.5, 1.0] > 0, 0.9, 0.1)  # P(t = 1 | x)
stump, tree = DecisionStump(), DecisionTreeClassifier(random_state=0)
boosted = {T: AdaBoostClassifier(n_estimators=T) for T in (4, 16, 64, 256)}
trees = {B: BaggingClassifier(tree, B, random_state=0) for B in (3, 10, 30)}
stumps = {B: BaggingClassifier(stump, B, random_state=0) for B in (3, 10, 30)}
families = {
    "boosted stumps": {"stump": stump} | boosted,
    "bagged trees": {"tree": tree} | trees,
    "bagged stumps": {"stump": stump} | stumps,
}
judged = {"sample": sample, "truth": truth, "n_repeats": 25, "random_state": 0}
_, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", sharey=True)
for ax, (name, models) in zip(axes, families.items(), strict=True):
    found = bias_variance(models, X, **judged)
    for members, parts in found.items():
        print(f"{name}, {members!s:>5}: {parts}")
    plots.bias_variance(found, ax=ax, legend=ax is axes[1]).ax_.set_xlabel(f"{name}, by members")
for ax in axes[1:]:
    ax.set_ylabel("")
plt.show()

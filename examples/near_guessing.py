"""Small margins, and weak learners ever closer to guessing: signs that boosting overfits."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier


def sample(random, flipped, n=300):
    """Draw five normal columns and the sign of their sum, with some of the labels flipped."""
    X = random.normal(size=(n, 5))
    return X, np.sign(X.sum(axis=1)) * np.where(random.uniform(size=n) < flipped, -1, 1)


test = sample(np.random.RandomState(9), flipped=0.0, n=4000)
_, axes = plt.subplots(1, 3, figsize=(15, 4.2), layout="constrained")
print("flipped   edge in round 1   mean of the last 100   smallest margin   median   test error")
for k, flipped in enumerate((0.0, 0.2)):
    X, y = sample(np.random.RandomState(0), flipped)
    model = AdaBoostClassifier(n_estimators=400).fit(X, y)
    edge, margins = model.bounds_.edge, model.margins(X, y)
    row = f"{flipped:7.0%} {edge[0]:14.3f} {edge[-100:].mean():18.3f} {margins.min():21.3f}"
    print(f"{row} {np.median(margins):11.3f} {1 - model.score(*test):9.3f}")
    style = {"color": plots.palette.CURVES[k], "lw": 1.2, "label": f"{flipped:.0%} flipped"}
    axes[0].plot(np.arange(1, 401), edge, **style)
    plots.margin_distribution(model, X, y, rounds=[5, 50, 400], ax=axes[k + 1])
    axes[k + 1].set_title(f"margins, {flipped:.0%} of labels flipped", fontsize=10)
axes[0].set(xlabel="rounds", ylabel="edge of the weak learner", ylim=(0.0, None))
axes[0].legend(frameon=False)
plt.show()

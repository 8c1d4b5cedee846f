"""Two ways to tell a weak learner what counts: weights, or rows drawn by them."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from maxmargin.boosting import AdaBoostClassifier
from maxmargin.plots import palette

X, digit = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, digit % 2, test_size=0.5, random_state=0)
rounds = np.arange(1, 201)

_, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
weighted = AdaBoostClassifier(n_estimators=200).fit(X, y)
drawn = [
    AdaBoostClassifier(n_estimators=200, resample=True, random_state=seed).fit(X, y)
    for seed in range(5)
]
for model in drawn:
    test = 1 - np.array(list(model.staged_score(X_test, y_test)))
    (sample,) = ax.plot(rounds, test, color=palette.TRAIN, lw=0.9, alpha=0.7)
errors = 1 - np.array(list(weighted.staged_score(X_test, y_test)))
(exact,) = ax.plot(rounds, errors, color=palette.TEST, lw=2)
ax.legend(
    [exact, sample], ["same rows, new weights", "rows drawn by weight, five seeds"], frameon=False
)
ax.set(xlabel="round", ylabel="test error", ylim=(0, None))
ax.spines[["top", "right"]].set_visible(False)

last = [1 - model.score(X_test, y_test) for model in drawn]
edges = [np.mean(model.bounds_.edge[:50]) for model in (weighted, *drawn)]
print(f"test error after 200 rounds: weights {errors[-1]:.3f}, samples {np.round(last, 3)}")
print(f"mean edge of the first 50 rounds: weights {edges[0]:.3f}, samples {np.round(edges[1:], 3)}")
plt.show()

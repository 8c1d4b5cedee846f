"""Bagging: what a bootstrap sample holds, out-of-bag against test error, and larger bags."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import BaggingClassifier
from maxmargin.evaluation import round_errors, student


def sample(random, n=200, flipped=0.1):
    """Draw five normal columns and the sign of their sum, with some of the labels flipped."""
    X = random.normal(size=(n, 5))
    return X, np.sign(X.sum(axis=1)) * np.where(random.uniform(size=n) < flipped, -1, 1)


X, y = sample(np.random.RandomState(0))
X_test, y_test = sample(np.random.RandomState(1), n=2000)  # flipped too, as out-of-bag rows are
tree = DecisionTreeClassifier(random_state=0)
bag = BaggingClassifier(tree, 200, oob_score=True, random_state=0).fit(X, y)
held = [len(np.unique(rows)) / len(X) for rows in bag.estimators_samples_]
print(f"share of the rows in a bag: {student(held)}")
print(f"expected: 1 - (1 - 1/200)^200 = {1 - (1 - 1 / 200) ** 200:.3f}, ", end="")
print(f"in the limit 1 - 1/e = {1 - 1 / np.e:.3f}")
alone = [1 - tree.fit(X[rows], y[rows]).score(X_test, y_test) for rows in bag.estimators_samples_]
print(f"test error of a tree, mean of 200: {np.mean(alone):.3f}")
print(f"test error of their vote:          {1 - bag.score(X_test, y_test):.3f}")
print(f"out-of-bag error of the vote:      {1 - bag.oob_score_:.3f}")
larger = {"bagged trees": BaggingClassifier(tree, 80, random_state=0)}
found = round_errors(larger, X_test, y_test, sample=sample, n_repeats=8, random_state=0)
errors = found["bagged trees"].errors
for small, large in ((1, 2), (1, 5), (5, 40), (40, 80)):
    print(f"test error of {large} trees less that of {small}: ", end="")
    print(student(errors[:, large - 1] - errors[:, small - 1]))

_, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", sharey=True)
plots.error_curves(bag, {"test": (X_test, y_test)}, log_rounds=True, ax=axes[0])
plots.overfitting(found, log_rounds=True, ax=axes[1]).ax_.set(xlabel="members", ylim=(0.2, 0.37))
plt.show()

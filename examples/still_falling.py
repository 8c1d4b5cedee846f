"""The test error goes on falling after the training error is zero: the margins still grow."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_hastie_10_2
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.evaluation import round_errors, student

tree = DecisionTreeClassifier(max_depth=3)
model = AdaBoostClassifier(tree, n_estimators=120, random_state=0)
X, y = make_hastie_10_2(400, random_state=0)
train = model.fit(X, y).bounds_.error
zero = int(np.flatnonzero(train)[-1]) + 2  # from here on there is none
found = round_errors(
    {"test": model},
    *make_hastie_10_2(1000, random_state=1),
    sample=lambda random: make_hastie_10_2(400, random_state=random),
    n_repeats=8,
    random_state=0,
)["test"]
print("rounds   training error   smallest margin   test error, mean of 8 training sets")
for rounds in (5, 20, zero, 60, 120):
    smallest = model.margins(X, y, rounds=rounds).min()
    print(f"{rounds:6d} {train[rounds - 1]:13.3f} {smallest:17.3f} {found.mean[rounds - 1]:15.3f}")
print(f"fall after round {zero}: {student(found.errors[:, zero - 1] - found.errors[:, -1])}")

_, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
plots.overfitting({"test error, 8 training sets": found}, log_rounds=True, ax=left)
left.plot(np.arange(1, 121), train, color="#D55E00", ls="--", label="training error of one")
left.axvline(zero, color="#8A8A8A", ls=":")
left.set(ylabel="error", ylim=(0.0, None))
left.legend(frameon=False)
plots.margin_distribution(model, X, y, rounds=[5, zero, 120], ax=right)
plt.show()

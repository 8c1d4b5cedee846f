"""Test error that falls on after the training error is 0, and the margins that explain it."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier

X, digit = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, digit % 2, test_size=0.5, random_state=0)
weak = DecisionTreeClassifier(max_depth=3)
model = AdaBoostClassifier(weak, n_estimators=300, random_state=0).fit(X, y)

test = [1 - score for score in model.staged_score(X_test, y_test)]
train, bound = model.bounds_.error, model.bounds_["product"]
print("rounds  training error   bound  test error  smallest margin")
for t in (1, 5, 20, 100, 300):
    smallest = model.margins(X, y, rounds=t).min()
    print(f"{t:6d} {train[t - 1]:15.3f} {bound[t - 1]:7.3f} {test[t - 1]:11.3f} {smallest:16.2f}")
print(f"training error 0 from round {train.nonzero()[0][-1] + 2} on")

_, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
plots.error_curves(model, {"test": (X_test, y_test)}, log_rounds=True, ax=left)
plots.margin_distribution(model, X, y, rounds=[5, 20, 300], ax=right)
plt.show()

"""The stumps of the class table as trees: one question each, then the second round's."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, DecisionStump
from maxmargin.datasets import load_going_to_class, load_ten_points

students = load_going_to_class()
X, y, names = students.data, students.target, students.feature_names
figure, axes = plt.subplots(2, 3, figsize=(13.5, 7.2), layout="constrained")
for j, name in enumerate(names):  # a separate stump for each feature
    stump = DecisionStump(categorical_features=[0]).fit(X[:, [j]], y)
    called = {"feature_names": [name], "title": f"of {name} alone"}
    shown = plots.tree(stump, X[:, [j]], y, **called, ax=axes.flat[j])
    sides = f"{shown.question.left} | {shown.question.right}"
    print(f"{name:16s} {sides:30s} weighted error {shown.error:.4f}")

health = DecisionStump(categorical_features=[0]).fit(X[:, [1]], y)  # one of three that tie
wrong = health.predict(X[:, [1]]) != y
w = np.where(wrong, 1 / (2 * health.error_), 1 / (2 * (1 - health.error_))) / 8
again = DecisionStump(categorical_features=[0, 1, 2, 3]).fit(X, y, sample_weight=w)
weighed = {"sample_weight": w, "feature_names": names, "title": "of all, weighed after health"}
shown = plots.tree(again, X, y, **weighed, ax=axes.flat[4])
print(f"weights after health: {w.round(4)}")
print(f"then {shown.question.feature}, weighted error {shown.error:.4f}")

points, label = load_ten_points(return_X_y=True)
model = AdaBoostClassifier(n_estimators=3).fit(points, label)
title = "of the ten points, round 3"
plots.tree(model, points, label, round=3, title=title, ax=axes.flat[5])
plt.show()

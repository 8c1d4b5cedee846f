"""AdaBoost on a table of words: three rounds, row by row."""

import matplotlib.pyplot as plt

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import load_going_to_class

students = load_going_to_class()
X, y = students.data, students.target
model = AdaBoostClassifier(n_estimators=3, categorical_features=[0, 1, 2, 3]).fit(X, y)
picture = plots.rounds(model, X, y, feature_names=students.feature_names)
for number, (asked, answer, facts) in enumerate(picture.heads, 1):
    print(f"round {number}: {asked:20s} {answer:16s} {facts}")
print(f"training error of all three: {picture.error:.4f}")
plt.show()

"""Ten points, three rounds of AdaBoost: the numbers and the picture."""

import matplotlib.pyplot as plt

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import load_ten_points

X, y = load_ten_points(return_X_y=True)
model = AdaBoostClassifier(n_estimators=3).fit(X, y)

print("round   error   alpha   errors of the sum so far")
scores = model.staged_score(X, y)
for t, (error, alpha, score) in enumerate(
    zip(model.estimator_errors_, model.alphas_, scores, strict=True), start=1
):
    print(f"{t:5d} {error:7.4f} {alpha:7.4f} {10 * (1 - score):12.0f} of 10")

plots.rounds(model, X, y)
plt.show()

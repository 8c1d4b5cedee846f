"""Rounds of AdaBoost as steps within 90 degrees of the negative gradient."""

import matplotlib.pyplot as plt

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import load_mixture

X, y = load_mixture(return_X_y=True)
model = AdaBoostClassifier(n_estimators=60).fit(X, y)
descent = model.descent_

print("round  cosine    <-grad, h>  2 gamma sum|w|    before  foretold     after")
for t in (1, 2, 5, 20, 60):
    line = descent[t - 1]
    guaranteed = 2 * line.edge * line.pull
    print(
        f"{t:5d}  {line.cosine:.4f}  {line.slope:12.5f}  {guaranteed:14.5f}"
        f"  {line.before:8.5f}  {line.first_order:8.5f}  {line.after:8.5f}"
    )
plots.descent(model, rounds=[1, 5, 60])
plt.show()

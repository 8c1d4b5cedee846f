"""Weight gathers on outliers: digits whose labels were flipped are among the heaviest rows."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier

X, digit = load_digits(return_X_y=True)
truth = np.where(digit % 2, "odd", "even")
flipped = np.random.default_rng(0).choice(len(X), len(X) // 50, replace=False)
labels = truth.copy()
labels[flipped] = np.where(truth[flipped] == "odd", "even", "odd")

model = AdaBoostClassifier(n_estimators=100).fit(X, labels)
for share in (0.02, 0.05, 0.10):
    heaviest = model.hardest(int(share * len(X))).rows
    found = np.isin(flipped, heaviest).mean()
    print(f"the heaviest {share:4.0%} of the rows hold {found:4.0%} of the flipped ones")
weight = model.weights_ * len(X)
clean = np.setdiff1d(np.arange(len(X)), flipped)
print(f"mean weight: flipped rows {weight[flipped].mean():.1f}, others {weight[clean].mean():.2f}")

images = {"image_shape": (8, 8), "cmap": "gray_r"}  # ink on paper
plots.hardest(model, X, labels, k=20, suspects=flipped, **images)
plt.show()

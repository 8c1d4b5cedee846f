"""Outliers by weight: which of the digits with flipped labels end among the hardest rows."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.evaluation import clopper_pearson

digits, value = load_digits(return_X_y=True)
odd = np.where(value % 2, "odd", "even")
random = np.random.default_rng(0)
flipped = random.choice(len(digits), len(digits) // 50, replace=False)
noisy = odd.copy()
noisy[flipped] = np.where(odd[flipped] == "odd", "even", "odd")
model = AdaBoostClassifier(n_estimators=100).fit(digits, noisy)

print(f"{len(flipped)} of {len(digits)} labels are flipped")
print("hardest rows   flipped among them   share of all flipped   by chance")
for k in (18, 35, 90, 180):
    found = np.isin(model.hardest(k).rows, flipped).sum()
    share, chance = found / len(flipped), k / len(digits)
    print(f"{k:12d} {found:20d} {share:22.2f} {chance:11.2f}")
found = int(np.isin(model.hardest(len(flipped)).rows, flipped).sum())
print(f"of the {len(flipped)} hardest, flipped: {clopper_pearson(found, len(flipped))}")
heavy = model.weights_[flipped].sum()
print(f"flipped rows are {len(flipped) / len(digits):.1%} of all, with {heavy:.1%} of the weight")

drawn = {"k": 30, "image_shape": (8, 8), "cmap": "gray_r", "suspects": flipped}
plots.hardest(model, digits, noisy, **drawn)
plt.show()

"""Support vectors or logistic regression? Each with C by five folds, on three kinds of classes."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from maxmargin import LinearClassifier, LinearSVCCV
from maxmargin.datasets import make_overlapping
from maxmargin.plots import palette

warnings.simplefilter("ignore")  # without a penalty, separable classes have no likeliest weights
costs, folds = [0.01, 0.1, 1.0], StratifiedKFold(5, shuffle=True, random_state=0)
models = {
    "SVM": LinearSVCCV(Cs=costs, cv=folds, loss="hinge", intercept="free"),
    "logistic, no penalty": LinearClassifier(penalty=None, max_iter=50),
    "logistic, ridge": GridSearchCV(LinearClassifier("logistic"), {"C": costs}, cv=folds),
    "LDA": LinearDiscriminantAnalysis(),
}
kinds, sets = {"nearly separable": 5.0, "in between": 3.0, "overlapping": 1.5}, 16
figure, ax = plt.subplots(figsize=(8.5, 4.8), layout="constrained")
print("mean error on new rows less that of the SVM, in per cent, with 95% intervals")
for g, (kind, apart) in enumerate(kinds.items()):
    drawn, errors = {"separation": apart, "n_features": 5}, np.empty((len(models), sets))
    new, truth = make_overlapping(5000, **drawn, random_state=999)
    for seed in range(sets):
        X, y = make_overlapping(60, **drawn, random_state=seed)
        errors[:, seed] = [100 * (1 - m.fit(X, y).score(new, truth)) for m in models.values()]
    print(f"{kind}: SVM {errors[0].mean():.2f}, best {100 * stats.norm.cdf(-apart / 2):.2f}")
    for k, (name, more) in enumerate(zip(list(models)[1:], errors[1:] - errors[0], strict=True)):
        half = stats.t.ppf(0.975, sets - 1) * stats.sem(more)
        print(f"    {name:21} {more.mean():+5.2f} ± {half:.2f}   worse in {np.mean(more > 0):.0%}")
        style = {"fmt": "so^"[k], "color": palette.CURVES[k], "capsize": 4}
        ax.errorbar(g + 0.2 * (k - 1), more.mean(), half, label=name if g == 0 else None, **style)
ax.set(xticks=range(3), xticklabels=list(kinds), ylabel="error less the SVM's, per cent")
ax.legend(frameon=False, loc="upper right").axes.axhline(0.0, color=palette.CHANCE, lw=1)
plt.show()

"""Support vectors or logistic regression? Forty training sets each of three kinds of classes."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from maxmargin import LinearClassifier, LinearSVC
from maxmargin.datasets import make_overlapping
from maxmargin.plots import palette

warnings.simplefilter("ignore")  # without a penalty, separable classes have no likeliest weights
models = {
    "SVM": LinearSVC(loss="hinge", intercept="free", C=0.1),
    "logistic, no penalty": LinearClassifier(penalty=None, max_iter=50),
    "logistic, ridge": LinearClassifier(C=0.1),
    "LDA": LinearDiscriminantAnalysis(),
}
kinds, sets = {"nearly separable": 5.0, "in between": 3.0, "overlapping": 1.5}, 40
figure, ax = plt.subplots(figsize=(8.5, 4.8), layout="constrained")
print("mean error on new rows less that of the SVM, in per cent, with 95% intervals")
for g, (kind, apart) in enumerate(kinds.items()):
    new, truth = make_overlapping(5000, separation=apart, n_features=5, random_state=999)
    errors = np.empty((sets, len(models)))
    for r in range(sets):
        X, y = make_overlapping(60, separation=apart, n_features=5, random_state=r)
        errors[r] = [100 * (1 - model.fit(X, y).score(new, truth)) for model in models.values()]
    svm = errors[:, 0]
    print(f"{kind}: SVM {svm.mean():.2f}, the best possible {100 * stats.norm.cdf(-apart / 2):.2f}")
    for k, (name, more) in enumerate(zip(list(models)[1:], (errors[:, 1:].T - svm), strict=True)):
        half = stats.t.ppf(0.975, sets - 1) * stats.sem(more)
        print(f"    {name:21} {more.mean():+5.2f} ± {half:.2f}   worse in {np.mean(more > 0):.0%}")
        style = {"fmt": "so^"[k], "color": palette.CURVES[k], "capsize": 4}
        ax.errorbar(g + 0.2 * (k - 1), more.mean(), half, label=name if g == 0 else None, **style)
ax.set(xticks=range(3), xticklabels=list(kinds), ylabel="error less the SVM's, per cent")
ax.legend(frameon=False, loc="upper right").axes.axhline(0.0, color=palette.CHANCE, lw=1)
plt.show()

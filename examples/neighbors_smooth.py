"""How k smooths the boundary of k nearest neighbours."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from maxmargin import plots
from maxmargin.datasets import load_mixture

mixture = load_mixture()
X, y, truth = mixture.data, mixture.target, mixture.grid_probability
figure, axes = plt.subplots(2, 2, figsize=(9.4, 9.4), layout="constrained")

print("  k   training   leave-one-out   test")
for k, ax in zip((1, 5, 15, 75), axes.flat, strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    training, left_out = (model.predict(X) != y).mean(), (model.predict(None) != y).mean()
    wrong = np.where(model.predict(mixture.grid) == 1, 1.0 - truth, truth)
    test = mixture.grid_marginal @ wrong
    print(f"{k:3d} {training:10.3f} {left_out:15.3f} {test:6.3f}")
    plots.boundary(model, X, y, ax=ax, legend=False)
    ax.contour(*mixture.grid.T.reshape(2, 99, 69), truth.reshape(99, 69), levels=[0.5],
               colors=plots.palette.BAYES, linestyles="dashdot")  # fmt: skip
    ax.set_title(f"k = {k}, test error {test:.3f}")
print(
    f"the best possible (dash-dotted): {mixture.grid_marginal @ np.minimum(truth, 1 - truth):.3f}"
)
plt.show()

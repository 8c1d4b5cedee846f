"""Fewer rows: edited, condensed, and both in turn."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from maxmargin import plots
from maxmargin.datasets import load_mixture
from maxmargin.neighbors import CondensedNeighbors, EditedNeighbors

mixture = load_mixture()
X, y, truth = mixture.data, mixture.target, mixture.grid_probability
condensed = CondensedNeighbors().fit_resample(X, y)
edited = EditedNeighbors(7).fit_resample(X, y)
sets = {
    "all rows": (X, y),
    "condensed (Hart)": condensed,
    "edited (Wilson, 7 neighbours)": edited,
    "edited, then condensed": CondensedNeighbors().fit_resample(*edited),
}
figure, axes = plt.subplots(2, 2, figsize=(9.4, 9.4), layout="constrained")
print(f"{'one neighbour among':30s}  rows   training   test")
for (name, (rows, labels)), ax in zip(sets.items(), axes.flat, strict=True):
    model = KNeighborsClassifier(1).fit(rows, labels)
    wrong = np.where(model.predict(mixture.grid) == 1, 1.0 - truth, truth)
    test, training = mixture.grid_marginal @ wrong, (model.predict(X) != y).mean()
    print(f"{name:30s} {len(rows):5d} {training:10.3f} {test:6.3f}")
    plots.boundary(model, rows, labels, extent=(-2.8, 4.4, -2.2, 3.1), ax=ax, legend=False)
    ax.set_title(f"{name}\n{len(rows)} rows, test error {test:.3f}")
plt.show()

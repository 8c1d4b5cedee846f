"""What ten far rows do to the boundary under different losses, and to LDA."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from maxmargin import LinearClassifier
from maxmargin.datasets import make_overlapping
from maxmargin.plots import palette

X, y = make_overlapping(100, separation=4.0, random_state=3)
new, truth = make_overlapping(20_000, separation=4.0, random_state=4)
far = np.random.default_rng(0).normal([12.0, -4.0], 0.5, size=(10, 2))
both, side = np.r_[X, far], np.ones(10, int)  # beyond the boundary, where class +1 is
cases = {
    "without far rows": (X, y),
    "ten far rows, labelled +1": (both, np.r_[y, side]),
    "ten far rows, labelled -1": (both, np.r_[y, -side]),
}
models = {loss: LinearClassifier(loss) for loss in ("hinge", "logistic", "squared")}
models["LDA"] = LinearDiscriminantAnalysis()

figure, panels = plt.subplots(1, 3, figsize=(13, 4.6), layout="constrained", sharey=True)
print("error on 20,000 new rows  " + "".join(f"{name:>10}" for name in models))
for ax, (title, (rows, labels)) in zip(panels, cases.items(), strict=True):
    for c, marker in enumerate(palette.MARKERS):
        some = rows[labels == 2 * c - 1]
        ax.scatter(*some.T, s=16, marker=marker, color=palette.CLASSES[c], alpha=0.6)
    line, errors = np.array([-6.0, 15.0]), ""
    for k, (name, model) in enumerate(models.items()):
        (w,), (b,) = model.fit(rows, labels).coef_, model.intercept_
        errors += f"{1 - model.score(new, truth):10.4f}"
        style = {"color": palette.CURVES[k + 2], "ls": palette.DASHES[k], "lw": 2}
        ax.plot(line, -(b + w[0] * line) / w[1], label=name, **style)
    ax.set(title=title, xlim=(-5, 14), ylim=(-7, 6), xlabel="x1")
    print(f"{title:26}{errors}")
panels[0].set_ylabel("x2")
panels[0].legend(frameon=False, loc="lower left")
plt.show()

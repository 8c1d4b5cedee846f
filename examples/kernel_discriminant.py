"""Fisher's discriminant, in the columns and in a kernel's space: three rings around a point."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from maxmargin import KernelDiscriminant
from maxmargin.plots import palette

rng = np.random.default_rng(0)


def rings(count):
    """Draw rows on three circles around the same point."""
    y, angle = rng.integers(3, size=count), rng.uniform(0, 2 * np.pi, size=count)
    radius = 1.0 + y + 0.2 * rng.normal(size=count)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


X, y = rings(240)
X_new, y_new = rings(2000)
linear = LinearDiscriminantAnalysis().fit(X, y)
kernel = KernelDiscriminant(gamma=0.5).fit(X, y)
for name, model in (("linear", linear), ("kernel", kernel)):
    print(f"{name}: {1 - model.score(X_new, y_new):.3f} of new rows wrong")
print("spread between over within classes, axis by axis:", kernel.quotients_.round(1))

_, axes = plt.subplots(1, 3, figsize=(11.4, 3.8), layout="constrained")
places = {"the rows": X, "linear": linear.transform(X), "kernel": kernel.transform(X)}
for ax, (name, at) in zip(axes, places.items(), strict=True):
    for k in range(3):
        ax.plot(*at[y == k].T, ".", color=palette.CURVES[k])
    ax.set(title=name, xlabel="axis 1", ylabel="axis 2")
plt.show()

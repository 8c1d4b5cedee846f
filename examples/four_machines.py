"""Four machines on the mixture: linear with two costs, a quartic and a radial kernel."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC
from maxmargin.datasets import load_mixture
from maxmargin.plots import MarginDisplay, palette

mixture = load_mixture()
X, y = mixture.data, mixture.target
machines = {
    "linear, C = 10000": SVC(kernel="linear", C=10_000.0),
    "linear, C = 0.01": SVC(kernel="linear", C=0.01),
    "polynomial of degree 4, C = 1": SVC(kernel="poly", degree=4, gamma=1.0, coef0=1.0),
    "radial, gamma = 1, C = 1": SVC(gamma=1.0),
}
p, mass = mixture.grid_probability, mixture.grid_marginal
xx0, xx1, bayes = (each.reshape(mixture.grid_shape) for each in (*mixture.grid.T, p))
figure, panels = plt.subplots(2, 2, figsize=(9.5, 9.5), layout="constrained")
print("machine                        training error  test error  support vectors")
for ax, (name, machine) in zip(panels.flat, machines.items(), strict=True):
    machine.fit(X, y)
    wrong = mass @ np.where(machine.predict(mixture.grid) == 1, 1 - p, p)
    train = 1 - machine.score(X, y)
    print(f"{name:30} {train:14.3f} {wrong:11.3f} {len(machine.support_):16d}")
    MarginDisplay.from_estimator(machine, X, y, ax=ax, legend=False)
    ax.contour(xx0, xx1, bayes, levels=[0.5], colors=palette.BAYES, linestyles="-.")
    ax.set_title(f"{name}: training error {train:.3f}, test {wrong:.3f}", fontsize=10)
print(f"{'the best possible':30} {mass @ np.minimum(p, 1 - p):26.3f}")
plt.show()

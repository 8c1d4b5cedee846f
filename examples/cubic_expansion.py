"""Cubic boundaries: a linear machine on nine columns, and the kernel that needs none of them."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from maxmargin import SVC, LinearSVC, plots
from maxmargin.kernels import Polynomial, feature_space

X, y = make_moons(160, noise=0.2, random_state=0)
hinge = {"loss": "hinge", "intercept": "free", "tol": 1e-10}
monomials = PolynomialFeatures(3, include_bias=False)
expanded = make_pipeline(monomials, LinearSVC(**hinge)).fit(X, y)
print("two columns become:", ", ".join(monomials.get_feature_names_out(["x1", "x2"])))

kernel = Polynomial(degree=3)
print(feature_space(kernel, 2))
models = {
    "linear": SVC(kernel="linear").fit(X, y),
    "nine monomials": expanded,
    "(1 + ⟨x, y⟩)³": SVC(kernel=kernel, tol=1e-10).fit(X, y),
}
phi = kernel.features(X)
values = models["(1 + ⟨x, y⟩)³"].decision_function(X)
apart = np.abs(LinearSVC(**hinge).fit(phi, y).decision_function(phi) - values).max()
print(f"a linear machine on the kernel's own features is at most {apart:.0e} off the kernel's")

fig, axes = plt.subplots(1, 3, figsize=(11.4, 4.1), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    plots.MarginDisplay.from_estimator(model, X, y, ax=ax, legend=False)
    errors = int((model.predict(X) != y).sum())
    ax.set_title(f"{name}: {errors} of {len(y)} wrong", fontsize=10)
    print(f"{name:15s} {errors:3d} of {len(y)} wrong")
plt.show()

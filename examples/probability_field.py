"""Boundary and probability field of logistic regression, plain and on cubic features."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from maxmargin import LinearClassifier, plots
from maxmargin.datasets import load_mixture

mixture = load_mixture()
X, y = mixture.data, mixture.target
models = {
    "two columns": LinearClassifier(),
    "cubic features": make_pipeline(
        PolynomialFeatures(3, include_bias=False), StandardScaler(), LinearClassifier()
    ),
}
figure, panels = plt.subplots(1, 2, figsize=(12, 5), layout="constrained", sharey=True)
truth, mass = mixture.grid_probability, mixture.grid_marginal
print("                error   mean |p - P(class 1)|")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(X, y)
    plots.probability_field(model, X, y, ax=ax, bar=ax is panels[1])
    ax.set_title(name)
    said = model.predict_proba(mixture.grid)[:, 1]
    error = mass @ np.where(said > 0.5, 1 - truth, truth)
    print(f"{name:15} {error:.3f} {mass @ np.abs(said - truth):16.3f}")
print(f"Bayes           {mass @ np.minimum(truth, 1 - truth):.3f}            0.000")
plt.show()

"""One table as it is, distorted and with outliers: which kernels and columns mind."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from maxmargin import SVC, TableSVC
from maxmargin.kernels import RBF, Laplacian
from maxmargin.plots import palette

X, y = make_classification(600, 10, n_informative=6, random_state=1)
rng = np.random.default_rng(0)
outliers = np.where(rng.random(X.shape) < 0.02, 100.0 * rng.normal(size=X.shape), X)
tables = {"as it is": X, "distorted": np.exp(2.0 * X), "with outliers": outliers}
scales = {
    "standardised": StandardScaler(),
    "ranks": QuantileTransformer(n_quantiles=200, output_distribution="normal"),
}
kernels = {"RBF": RBF(gamma=0.05), "Laplacian": Laplacian(gamma=0.1)}
models = {
    f"{kernel} of {scale}": make_pipeline(scales[scale], SVC(kernel=kernels[kernel], C=10.0))
    for scale in scales
    for kernel in kernels
} | {"TableSVC": TableSVC()}

print(f"{'accuracy in five folds':26}", *(f"{name:>14}" for name in tables))
fig, ax = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
for k, (name, model) in enumerate(models.items()):
    scores = [cross_val_score(model, rows, y, cv=5).mean() for rows in tables.values()]
    print(f"{name:26}", *(f"{score:14.3f}" for score in scores))
    style = {"color": palette.CURVES[k], "ls": palette.DASHES[k], "marker": "os^Dv"[k]}
    ax.plot(list(tables), scores, label=name, **style)
ax.set_ylabel("accuracy in five folds")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

"""Hashing as a step before an estimator: which share of neighbours it finds, and at which cost."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from maxmargin.neighbors import LSHNeighborsTransformer
from maxmargin.plots import palette

X, y = load_digits(return_X_y=True)
hashed = LSHNeighborsTransformer(n_neighbors=5, random_state=0)
model = make_pipeline(hashed, KNeighborsClassifier(5, metric="precomputed"))
plain = KNeighborsClassifier(5).fit(X[:1200], y[:1200])
print(f"digits: accuracy {model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]):.3f}", end=", ")
print(f"of all neighbours {plain.score(X[1200:], y[1200:]):.3f}", end=", ")
print(f"share of neighbours found {hashed.recall(X[1200:]):.3f}")

rng, n = np.random.default_rng(0), 20_000
groups = rng.normal(size=(200, 50))[rng.integers(200, size=n)] + 0.3 * rng.normal(size=(n, 50))
clouds = {"200 groups": groups, "uniform": rng.uniform(size=(n, 50))}
_, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
print("20,000 rows, 50 columns: share of ten neighbours found, by tables")
print("tables      " + "".join(f"{tables:7d}" for tables in (1, 2, 4, 8, 16)))
for (name, cloud), color in zip(clouds.items(), palette.CURVES, strict=False):
    shares = []
    for tables in (1, 2, 4, 8, 16):
        index = LSHNeighborsTransformer(10, n_tables=tables, random_state=0)
        shares.append(index.fit(cloud[100:]).recall(cloud[:100]))
    print(f"{name:12s}" + "".join(f"{share:7.3f}" for share in shares))
    ax.plot([1, 2, 4, 8, 16], shares, "o-", color=color, label=name)
ax.set(xscale="log", xticks=[1, 2, 4, 8, 16], xticklabels=[1, 2, 4, 8, 16], ylim=(0, 1.02))
ax.set(xlabel="hash tables", ylabel="share of ten neighbours found")
ax.legend(frameon=False)
plt.show()

"""Polynomials get wild: their values beyond the rows, degree by degree, beside a radial kernel."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVR
from maxmargin.plots import palette

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-1.0, 1.0, size=24))
t = np.sin(3.0 * x) + 0.15 * rng.normal(size=24)
line = np.linspace(-1.5, 1.5, 601)[:, None]
inside = np.abs(line[:, 0]) <= 1.0
options = {"C": 100.0, "epsilon": 0.1, "tol": 1e-8}

_, axes = plt.subplots(1, 2, figsize=(10.8, 4.2), layout="constrained")
print(f"the truth at 1.5 is {np.sin(4.5):.2f}")
print("                   worst error on [-1, 1]      f(1.5)  features of 10 columns")
models = {f"degree {d}": SVR(kernel="poly", degree=d, gamma=1.0, coef0=1.0, **options)
          for d in (3, 7, 15)} | {"radial, gamma = 2": SVR(gamma=2.0, **options)}  # fmt: skip
counts = [286, 19_448, 3_268_760, np.inf]  # C(10 + d, d)
for (name, model), count, color in zip(models.items(), counts, palette.CURVES, strict=False):
    f = model.fit(x[:, None], t).predict(line)
    off = np.abs(f - np.sin(3.0 * line[:, 0]))
    print(f"{name:18s} {off[inside].max():22.2f} {f[-1]:11.2f} {count:23,.0f}")
    axes[0].plot(line, f, color=color, label=name)
length = np.linspace(0.0, 3.0, 100)
for degree, color in zip((3, 7, 15), palette.CURVES, strict=False):
    axes[1].plot(length, (1.0 + length**2) ** degree, color=color, label=f"degree {degree}")
axes[0].plot(x, t, ".", color=palette.INK)
axes[0].set(ylim=(-3, 3), xlabel="x", ylabel="f(x)", title="fitted to 24 rows in [-1, 1]")
axes[1].plot(length, np.ones(100), color=palette.CURVES[3], label="radial")
axes[1].set(yscale="log", xlabel="length of x", title="k(x, x): how long a row is after the map")
[ax.legend(frameon=False) for ax in axes]
plt.show()

"""A sum of shapes, learnt in small steps or all of them together, beside the true shapes."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import GlassBoxRegressor
from maxmargin.plots import palette

WAVE, STEP, BOW = (lambda x: np.sin(3 * x)), (lambda x: (x > 0.2) - 0.4), (lambda x: x**2 - 1 / 3)
SHAPES = {"a wave": WAVE, "a step": STEP, "a bow": BOW}


def draw(rows, seed):
    """Draw columns, the sum of their shapes, and that sum with noise."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(rows, 3))
    total = sum(f(x) for f, x in zip(SHAPES.values(), X.T, strict=True))
    return X, total, total + 0.5 * random.normal(size=rows)


(X, _, y), (X_new, true, _) = draw(600, 0), draw(5000, 1)
joint = {"refit": "optimal", "ridge": 0.1}
models = {"stagewise": {}, "jointly": joint, "jointly, more ridge": joint | {"ridge": 2}}
print(f"{'shapes':20s} training error  distance to the true sum  proof")
for name, how in models.items():
    model = GlassBoxRegressor(pairs="none", max_bins=40, **how).fit(X, y)
    errors = [np.mean((model.predict(A) - b) ** 2) ** 0.5 for A, b in ((X, y), (X_new, true))]
    proof = model.certificate_.status.name if how else "none"
    print(f"{name:20s} {errors[0]:14.2f} {errors[1]:25.2f}  {proof}")
    models[name] = {term.columns[0]: term for term in model.terms_}
_, axes = plt.subplots(1, 3, figsize=(10.6, 3.4), layout="constrained", sharey=True)
grid, colors = np.linspace(-1, 1, 400), (palette.TEST, palette.TRAIN)
for j, (name, shape) in enumerate(SHAPES.items()):
    axes[j].plot(grid, shape(grid), color=palette.INK, lw=1, label="true")
    for (which, terms), color in zip(list(models.items())[:2], colors, strict=True):
        value = terms[j].values[0, 1:][np.searchsorted(terms[j].edges[0], grid)]
        axes[j].plot(grid, value, color=color, label=which)
    axes[j].set(title=name, xlabel=f"x{j}")
axes[0].legend(frameon=False)
plt.show()

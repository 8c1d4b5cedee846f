"""AdaBoost chooses Haar features: the first of 32,384, on generated faces of 16 x 16 pixels."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.boosting import Columns
from maxmargin.vision import HaarFeatures

rng, (y, x) = np.random.default_rng(0), np.mgrid[0:16, 0:16]


def blob(cx, cy, a, b):
    """Light around a point."""
    return np.exp(-(((x - cx) / a) ** 2) - ((y - cy) / b) ** 2)


faces = []
for dx, dy, tilt in rng.normal(0, (0.7, 0.7, 3), size=(200, 3)):
    eyes = blob(4.5 + dx, 5 + dy, 2, 1.3) + blob(11 + dx, 5 + dy, 2, 1.3)
    dark = 0.6 * eyes + 0.4 * blob(8 + dx, 12 + dy, 2.7, 1)
    faces.append(170 * (blob(8 + dx, 8 + dy, 8, 9) - dark) + tilt * (x - 8))
parts = rng.uniform((0, 0, 1, 1, -99), (16, 16, 6, 6, 99), size=(200, 8, 5))
others = [99 + sum(v * blob(*place) for *place, v in part) for part in parts]
images = (np.array(faces + others) + rng.normal(0, 15, (400, 16, 16))).clip(0, 255).round()
t, w = np.repeat([1, -1], 200), np.full(400, 1 / 400)
features = HaarFeatures(window=(16, 16))
columns, H = Columns(features.columns(images)), np.zeros(400)
figure, axes = plt.subplots(1, 4, figsize=(9, 2.7), layout="constrained")
for number, ax in enumerate(axes, start=1):
    split = columns.best_sign(w * t)
    h = np.where(columns.right_side(split), split.right, split.left)
    error = w[h != t].sum()
    H += np.log((1 - error) / error) / 2 * h
    print(f"feature {split.feature:5d}: error {error:.3f}, of the sum {np.mean(H * t <= 0):.3f}")
    w = np.exp(-t * H) / np.exp(-t * H).sum()
    ax.imshow(images[:200].mean(axis=0), cmap="gray")
    template = np.sign(np.ma.masked_equal(features.template(split.feature), 0))
    ax.imshow(template, cmap="cividis", alpha=0.5)
    ax.set(title=f"round {number}, error {error:.3f}", xticks=[], yticks=[])
plt.show()

"""Oranges and lemons by width and height: a line parts them, and most of the plane says nothing."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import LinearClassifier
from maxmargin.plots import palette

rng = np.random.default_rng(0)
oranges = rng.normal([7.6, 7.3], [0.5, 0.5], size=(60, 2))  # round, in centimetres
lemons = rng.normal([5.9, 8.4], [0.4, 0.6], size=(60, 2))  # longer than wide
X, y = np.vstack([oranges, lemons]), np.repeat(["orange", "lemon"], 60)
model = LinearClassifier("logistic").fit(X, y)
w, w0 = model.coef_[0], model.intercept_[0]
print(f"z = {w[0]:+.2f} width {w[1]:+.2f} height {w0:+.2f}; orange where z > 0")
print(f"{np.mean(model.predict(X) != y):.3f} of the fruit are on the wrong side")
for height in (6.5, 7.5, 8.5, 9.5):
    fruit = [[7.0, height]]
    z, said = model.decision_function(fruit)[0], model.predict(fruit)[0]
    print(f"7.0 wide, {height} high: z = {z:+.2f}, {said}")

_, ax = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
for fruit, name, color in ((oranges, "oranges", "#E69F00"), (lemons, "lemons", "#7A8B00")):
    ax.scatter(*fruit.T, color=color, s=22, label=name)
width = np.array([4.5, 9.5])
ax.plot(width, -(w0 + w[0] * width) / w[1], color=palette.INK, label="z = 0")
for level in (-2.0, 2.0):
    ax.plot(width, (level - w0 - w[0] * width) / w[1], ":", color=palette.INK)
ax.set(xlabel="width, cm", ylabel="height, cm", xlim=(4.5, 9.5), ylim=(5.5, 10.5))
ax.legend(frameon=False)
plt.show()

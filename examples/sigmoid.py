"""Shapes of the logistic function: what w and w0 do to it."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from maxmargin.plots import palette

x = np.linspace(-6, 6, 401)
figure, panels = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", sharey=True)
slopes, shifts = (0.5, 1.0, 3.0, -1.0), (-2.0, 0.0, 2.0)
for k, w in enumerate(slopes):
    style = {"color": palette.CURVES[k], "ls": palette.DASHES[k], "lw": 2}
    panels[0].plot(x, expit(w * x), label=f"w = {w:g}", **style)
for k, w0 in enumerate(shifts):
    style = {"color": palette.CURVES[k], "ls": palette.DASHES[k], "lw": 2}
    panels[1].plot(x, expit(x + w0), label=f"w0 = {w0:g}", **style)
panels[0].set(title="the slope at the middle is w / 4", ylabel="1 / (1 + exp(-(w x + w0)))")
panels[1].set_title("the middle is at x = -w0 / w")
for ax in panels:
    ax.axhline(0.5, color=palette.CHANCE, lw=0.8)
    ax.set_xlabel("x")
    ax.legend(frameon=False, loc=(0.74, 0.56) if ax is panels[0] else "upper left")

step = 1e-6
for w in slopes:
    slope = (expit(w * step) - expit(-w * step)) / (2 * step)
    print(f"w = {w:4.1f}: slope at 0 by differences {slope:7.4f}, w / 4 = {w / 4:7.4f}")
print(f"sigma(-z) + sigma(z) = 1 for all z: {np.allclose(expit(x) + expit(-x), 1.0)}")
plt.show()

"""The 0-1 loss and the convex losses above it, against the margin t f(x)."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plots
from maxmargin.losses import named

names = ["zero_one", "hinge", "exponential", "logistic", "squared"]
display = plots.losses(names, margin=(-2.5, 2.5))
margin = display.margin
errors = named("zero_one").value(margin, 1.0)
print("loss           at m = -2    m = 0    m = 2   least distance above the 0-1 loss")
for name in names[1:]:
    curve = display.values[name]
    at = [curve[np.argmin(np.abs(margin - m))] for m in (-2, 0, 2)]
    print(f"{name:12} {at[0]:11.3f} {at[1]:8.3f} {at[2]:8.3f} {(curve - errors).min():18.3f}")
plain = np.log1p(np.exp(-margin)) - errors
print(f"log(1 + exp(-m)) itself, not divided by log 2: {plain.min():.3f} at m = 0")
plt.show()

"""The maximum margin: distances of points to the plane, and the width 2 / |w| between the two."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import HardMarginSVC, plots
from maxmargin.datasets import make_separable

X, t = make_separable(16, margin=0.6, random_state=4)
model = HardMarginSVC().fit(X, t)
w, b = model.coef_[0], model.intercept_[0]

distance = t * (X @ w + b) / np.linalg.norm(w)
feet = X - np.outer((X @ w + b) / (w @ w), w)
print("   row    t  t (w'x + b)  distance")
for i in np.argsort(distance)[:6]:
    print(f"{i:6d} {t[i]:+4d} {t[i] * (X[i] @ w + b):12.4f} {distance[i]:9.4f}")
print(f"smallest distance {distance.min():.4f}, and 1/|w| = {1 / np.linalg.norm(w):.4f}")

# From the plane f = -1, the step 2 w / w'w ends on the plane f = +1.
start = feet[0] - w / (w @ w)
end = start + 2 * w / (w @ w)
print(f"f goes from {start @ w + b:+.4f} to {end @ w + b:+.4f} in a step of {2 / (w @ w):.4f} w,")
print(f"whose length is 2/|w| = {np.linalg.norm(end - start):.4f}")

display = plots.MarginDisplay.from_estimator(model, X, t, slack=True)
display.ax_.plot(*np.stack([X, feet], axis=1).T, color="0.55", lw=0.8, ls=":", zorder=2)
display.ax_.set_title("every point and its distance to f = 0", fontsize=10)
plt.show()

"""What becomes of the bias: left free, made a weight of the kernel k + 1, or left out."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC
from maxmargin.datasets import make_overlapping
from maxmargin.kernels import Linear
from maxmargin.plots import MarginDisplay

X, y = make_overlapping(80, separation=4.0, random_state=1)
X += 3.0  # away from the origin, where a bias is needed

figure, panels = plt.subplots(1, 3, figsize=(12.5, 4.6), layout="constrained")
print("intercept        b    |w|    primal      dual   errors  sum of alpha t")
for ax, intercept in zip(panels, ("free", "regularized", "none"), strict=True):
    model = SVC(kernel="linear", intercept=intercept, tol=1e-6).fit(X, y)
    drawn = MarginDisplay.from_estimator(model, X, y, ax=ax, legend=False)
    ax.set_title(f'intercept="{intercept}"')
    b, length, said = model.intercept_[0], np.linalg.norm(model.coef_), model.certificate_
    errors, total = int((model.predict(X) != y).sum()), model.dual_coef_.sum()
    print(f"{intercept:11} {b:7.3f} {length:6.3f} {said.primal:9.4f} {said.dual:9.4f} {errors:6d}"
          f" {total:12.3f}")  # fmt: skip
figure.legend(handles=drawn.legend_handles(), loc="outside lower center", ncols=4, frameon=False)

plus_one = SVC(kernel=Linear() + 1, intercept="none", tol=1e-6).fit(X, y)
augmented = SVC(kernel="linear", intercept="regularized", tol=1e-6).fit(X, y)
apart = np.abs(plus_one.decision_function(X) - augmented.decision_function(X)).max()
print(f'no bias on k + 1 against "regularized": values differ by at most {apart:.0e}')
plt.show()

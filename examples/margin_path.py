"""The path of the margin as C falls: it widens, and more and more rows support it."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, plots, svm_path, total_slack
from maxmargin.datasets import make_overlapping

X, y = make_overlapping(60, separation=2.6, random_state=3)
path = svm_path(X, y, kernel="linear", C_max=10.0)
print(f"{path!r}, {path.certificate.status.name}")

shown = (5.0, 0.1, 0.01)
fig = plt.figure(figsize=(10.4, 7.4), layout="constrained")
grid = fig.add_gridspec(2, 6, height_ratios=(1.0, 0.9))
print("    C   width 2/|w|   total slack   support vectors")
for place, C in enumerate(shown):
    model = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    width, slack = 2 / np.linalg.norm(model.coef_), total_slack(model, X, y)
    print(f"{C:5.2f} {width:13.4f} {slack:13.4f} {len(model.support_):17d}")
    ax = fig.add_subplot(grid[0, 2 * place : 2 * place + 2])
    plots.MarginDisplay.from_estimator(model, X, y, ax=ax, legend=False)
    ax.set_title(f"C = {C:g}", fontsize=10)

costs = np.geomspace(1e-3, 10.0, 200)
weights = np.array([(path.at(C).alpha * np.where(y > 0, 1, -1)) @ X for C in costs])
left, right = fig.add_subplot(grid[1, :3]), fig.add_subplot(grid[1, 3:])
left.loglog(costs, 2 / np.linalg.norm(weights, axis=1), lw=2)
left.plot(shown, np.interp(shown, costs, 2 / np.linalg.norm(weights, axis=1)), "ko", ms=5)
left.set(xlabel="C", ylabel="width of the margin, 2/‖w‖")
left.spines[["top", "right"]].set_visible(False)
plots.path(path, ax=right)
plt.show()

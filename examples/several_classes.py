"""Four classes by one against all, one against one, and one machine for all of them."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_blobs

from maxmargin import SVC, LinearSVC
from maxmargin.plots import palette

centers = [[0.0, 0.0], [4.0, 0.5], [-2.5, 3.5], [0.5, -4.0]]
X, y = make_blobs(200, centers=centers, cluster_std=1.1, random_state=0)
new, truth = make_blobs(20_000, centers=centers, cluster_std=1.1, random_state=1)
models = {
    "one against all": SVC(kernel="linear", multiclass="ovr"),
    "one against one": SVC(kernel="linear", multiclass="ovo"),
    "Crammer and Singer": LinearSVC(loss="hinge", multi_class="crammer_singer", max_iter=5000),
    "one against one, radial": SVC(gamma=0.3),
}
light = ListedColormap(["#CCE3F0", "#F7DFCC", "#CCECE3", "#F5E4ED"])
xx, yy = np.meshgrid(np.linspace(-6, 8, 250), np.linspace(-8, 7, 250))
figure, panels = plt.subplots(2, 2, figsize=(9.5, 8.5), layout="constrained")
print("                         problems   error on 20,000 new rows   no or several claims")
for ax, (name, model) in zip(panels.flat, models.items(), strict=True):
    model.fit(X, y)
    said = model.predict(np.c_[xx.ravel(), yy.ravel()]).reshape(xx.shape)
    ax.pcolormesh(xx, yy, said, cmap=light, vmin=0, vmax=3, shading="nearest", rasterized=True)
    for k in range(4):
        style = {"color": palette.CURVES[k], "marker": "o^sD"[k], "edgecolors": "white"}
        ax.scatter(*X[y == k].T, s=26, linewidths=0.4, **style)
    ax.set(title=name, xlabel="x1", ylabel="x2")
    count, unclear = len(model.certificates_), ""
    if name == "one against all":
        claims = (model.decision_function(new) > 0).sum(axis=1)
        unclear = f"{np.mean(claims != 1):.1%}"
    print(f"{name:24} {count:8d} {1 - model.score(new, truth):18.4f} {unclear:>24}")
plt.show()

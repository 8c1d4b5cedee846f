"""The cost of a dot product: O(d) by the kernel, O(d^p) by features that are written out."""

from timeit import repeat

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.kernels import RBF, Polynomial, feature_space
from maxmargin.plots import palette

ROWS, COLUMNS = 128, (4, 8, 16, 32)
fig, axes = plt.subplots(1, 2, figsize=(9.8, 4.2), layout="constrained")
print("                           multiplications          ns a pair")
print("degree columns features   kernel  features   kernel  features")
for degree, dash in ((2, palette.DASHES[0]), (3, palette.DASHES[1])):
    kernel, counted, measured = Polynomial(degree=degree), [], []
    for d in COLUMNS:
        X = np.random.default_rng(0).normal(size=(ROWS, d)) / np.sqrt(d)
        phi, space = kernel.features(X), feature_space(kernel, d)
        works = "kernel(X)", "phi @ phi.T"
        best = [min(repeat(work, number=3, repeat=5, globals=globals())) / 3 for work in works]
        counted.append([space.by_kernel, space.by_features])
        measured.append([1e9 * seconds / ROWS**2 for seconds in best])
        print(f"{degree:6d} {d:7d} {space.dimension:8,d}", end=" ")
        print("{:8,d} {:9,d} {:8.1f} {:9.1f}".format(*counted[-1], *measured[-1]))
    for ax, table in zip(axes, (counted, measured), strict=True):
        for k, way in enumerate(("kernel", "features")):
            style = {"color": palette.CLASSES[k], "marker": palette.MARKERS[k], "ls": dash}
            ax.loglog(COLUMNS, np.array(table)[:, k], label=f"{way}, degree {degree}", **style)
print(feature_space(RBF(gamma=1.0), 32))

axes[0].set(ylabel="multiplications, counted")
axes[1].set(ylabel="nanoseconds a pair, measured")
axes[0].legend(frameon=False, fontsize="small", handlelength=3.2)
for ax in axes:
    ax.set_xlabel("columns d")
    ax.set_xticks(COLUMNS, COLUMNS)
    ax.set_xticks([], minor=True)
plt.show()

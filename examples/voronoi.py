"""The cells of one nearest neighbour, their dual, and the rows that the boundary needs."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from maxmargin import plots
from maxmargin.neighbors import CondensedNeighbors

X, y = make_blobs(40, centers=3, cluster_std=2.2, random_state=3)
figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 5.6), layout="constrained")
cells = plots.voronoi(X, y, delaunay=True, ax=left).tessellation

n, hull = len(cells.points), int(cells.unbounded.sum())
print(f"{n} points, {len(cells.cells)} cells, {hull} of them unbounded")
print(f"borders that meet in a vertex: {np.unique(cells.valences)}")
print(f"vertices  {len(cells.valences)} = 2 * {n} - 2 - {hull}")
print(f"edges     {len(cells.edges)} = 3 * {n} - 3 - {hull}")

few = CondensedNeighbors(method="voronoi").fit(X, y)
kept = few.condensed_indices_
extent = (*left.get_xlim(), *left.get_ylim())
plots.voronoi(X[kept], y[kept], extent=extent, ax=right)
print(f"{few.n_kept_} rows have a Delaunay neighbour of another class; the others may go")

left.set_title("All rows: cells and Delaunay edges")
right.set_title("The rows at the boundary: the same boundary")
plt.show()

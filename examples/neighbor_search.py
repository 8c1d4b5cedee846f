"""Brute force, trees and approximate searches as columns become more."""

import matplotlib.pyplot as plt

from maxmargin import plots
from maxmargin.neighbors import search_costs_by_dimension

costs = search_costs_by_dimension((2, 4, 8, 16, 32), n_rows=5000, n_queries=100, random_state=0)
print(costs)
for method in costs.methods[1:]:
    columns = costs.pays_until(method)
    print(f"{method:9s} compares at most half of the rows up to {columns} columns")

plots.searches(costs)
plt.show()

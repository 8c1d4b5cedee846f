"""Which part of a molecule tells? Weisfeiler and Lehman's subtrees, and what each node weighs."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from maxmargin import SVC, LinearSVC, node_weights, plots
from maxmargin.kernels import Graph, Graphlet, RandomWalk, ShortestPath, WeisfeilerLehman

rng = np.random.default_rng(0)


def molecule(active):
    """Draw a tree of carbons with an N and two O; of active ones both O are at the N."""
    size = int(rng.integers(7, 12))
    edges = [(int(rng.integers(max(0, i - 3), i)), i) for i in range(1, size)]
    homes = rng.choice(np.arange(1, size), 3, replace=False)
    homes = [homes[0], size, size] if active else homes
    edges += [(int(home), size + i) for i, home in enumerate(homes)]
    return Graph(edges, ["C"] * size + ["N", "O", "O"])


active = np.arange(120) % 2
graphs = [molecule(each) for each in active]
y = np.where(rng.random(120) < 0.1, 1 - active, active)  # a tenth was measured wrong

for kernel in (WeisfeilerLehman(2), ShortestPath(), Graphlet(4), RandomWalk(0.02)):
    score = cross_val_score(SVC(kernel=kernel.normalized(), C=10), graphs, y, cv=5).mean()
    print(f"{kernel!r:25} accuracy {score:.3f}")

model = make_pipeline(WeisfeilerLehman(2).features(), LinearSVC(C=0.1))
print(f"{'its features, linear':25} accuracy {cross_val_score(model, graphs, y, cv=5).mean():.3f}")
model.fit(graphs[:-4], y[:-4])
print(f"{model[-1].coef_.shape[1]} different subtrees in {len(graphs) - 4} graphs")
later = dict(zip(("not active", "active"), graphs[-2:], strict=True))
plots.subtrees({name: (graph, node_weights(model, graph)) for name, graph in later.items()})
plt.show()

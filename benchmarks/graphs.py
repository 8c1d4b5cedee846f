"""Kernels of graphs: seconds for a Gram matrix, and accuracy on real collections.

The peers of Weisfeiler and Lehman's kernel are labels refined by dictionaries with scikit-learn's
DictVectorizer and a sparse product, and GraKeL, which does not run on new versions of NumPy: where
GRAKEL_PYTHON names an interpreter that has it, it is timed in a process of its own. Accuracy is the
mean over ten fixed folds, h and C chosen by five folds of the training part.
"""

from __future__ import annotations

import json
import lzma
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contest
from benchmarks.contest import OURS, SKLEARN
from benchmarks.record import Row
from benchmarks.source import folder

GRAKEL = "GraKeL"
H = 5

Raw = tuple[list[tuple[int, int]], list[int]]  # edges, labels of nodes


def collection(name: str) -> tuple[list[Raw], Any]:
    """Read the text form of the DGCNN benchmark."""
    graphs, classes = [], []
    with lzma.open(folder() / "graphs" / f"{name}.txt.xz", "rt") as lines:
        for _ in range(int(next(lines))):
            size, label = map(int, next(lines).split())
            rows = [[*map(int, next(lines).split())] for _ in range(size)]
            edges = [(i, j) for i, row in enumerate(rows) for j in row[2:] if i < j]
            graphs.append((edges, [row[0] for row in rows]))
            classes.append(label)
    return graphs, np.array(classes)


def generated(n: int) -> list[Raw]:
    rng = np.random.default_rng(0)
    sizes = rng.integers(20, 60, size=n).tolist()
    trees = [[(int(rng.integers(0, i)), i) for i in range(1, size)] for size in sizes]
    return [(t, rng.integers(0, 3, size=s).tolist()) for t, s in zip(trees, sizes, strict=True)]


def vectorized(graphs: list[Raw]) -> Any:
    """Refine labels in dictionaries and let scikit-learn count them."""
    from sklearn.feature_extraction import DictVectorizer

    X = DictVectorizer().fit_transform([_subtrees(*graph) for graph in graphs])
    return X @ X.T


def _subtrees(edges: list[tuple[int, int]], labels: list[Any]) -> Counter[str]:
    around: list[list[int]] = [[] for _ in labels]
    for i, j in edges:
        around[i].append(j)
        around[j].append(i)
    words = [str(label) for label in labels]
    counts = Counter(f"0 {word}" for word in words)
    for h in range(1, H + 1):
        refined = [(words[i], *sorted(words[j] for j in near)) for i, near in enumerate(around)]
        words = [str(hash(word)) for word in refined]
        counts.update(f"{h} {word}" for word in words)
    return counts


_IN_GRAKEL = """
import json, statistics, sys, time, warnings
warnings.simplefilter("ignore")
from grakel import Graph
from grakel.kernels import VertexHistogram, WeisfeilerLehman
raw, repeats = json.load(open(sys.argv[1])), int(sys.argv[2])
both = lambda edges: [e for i, j in edges for e in ((i, j), (j, i))]
graphs = [Graph(both(edges), node_labels=dict(enumerate(labels))) for edges, labels in raw]
spent = []
for _ in range(repeats):
    kernel = WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram)
    start = time.perf_counter()
    K = kernel.fit_transform(graphs)
    spent.append(time.perf_counter() - start)
print(json.dumps([statistics.median(spent), K.sum()]))
"""


def grakel(graphs: list[Raw], repeats: int, where: Path) -> tuple[float, float]:
    """Time GraKeL in a process of its own; give seconds and the sum of all values."""
    where.write_text(json.dumps(graphs))
    command = [os.environ["GRAKEL_PYTHON"], "-c", _IN_GRAKEL, str(where), str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, total = json.loads(done.stdout)
    return seconds, total


def gram(name: str, raw: list[Raw], repeats: int) -> list[Row]:
    from maxmargin.kernels import Graph, WeisfeilerLehman

    # GraKeL leaves out nodes without edges, so graphs that have such are not compared.
    raw = [g for g in raw if len({i for edge in g[0] for i in edge}) == len(g[1])]
    graphs, kernel = [Graph(*each) for each in raw], WeisfeilerLehman(H)
    kernel(graphs[:20])  # compiles
    calls = {OURS: lambda: kernel(graphs), SKLEARN: lambda: vectorized(raw)}
    seconds, found = contest.interleave(calls, dict.fromkeys(calls, repeats))
    medians = contest.medians(seconds)
    apart = float(np.abs(found[OURS] - found[SKLEARN].toarray()).max())
    rows = [_row(name, raw, medians[OURS], SKLEARN, medians[SKLEARN], apart)]
    if "GRAKEL_PYTHON" in os.environ:
        from benchmarks.data import CACHE

        CACHE.mkdir(parents=True, exist_ok=True)
        peer, total = grakel(raw, repeats, CACHE / "graphs.json")
        rows.append(_row(name, raw, medians[OURS], GRAKEL, peer, found[OURS].sum() - total))
    return rows


def _row(name: str, raw: list[Raw], ours: float, who: str, peer: float, apart: float) -> Row:
    objection = f"differs by {apart:g}" if apart else ""
    facts = {"data": name, "task": f"WeisfeilerLehman(h={H})", "rows": len(raw)}
    return {
        **facts,
        "objection": objection,
        "seconds": {OURS: ours, who: peer},
        "ratio": peer / ours,
    }


def accuracy(name: str, raw: list[Raw], y: Any) -> Row:
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    from maxmargin import SVCCV
    from maxmargin.kernels import Graph, WeisfeilerLehman

    kernel, graphs = WeisfeilerLehman().normalized(), [Graph(*each) for each in raw]
    inner, outer = (StratifiedKFold(n, shuffle=True, random_state=0) for n in (5, 10))
    search = SVCCV([0.1, 1.0, 10.0, 100.0], kernel=kernel, grid={"kernel__h": range(6)}, cv=inner)
    spent, scores = contest.timed(lambda: cross_val_score(search, graphs, y, cv=outer))
    facts = {"data": name, "task": "accuracy", "rows": len(y), "seconds": {OURS: spent}}
    tried = ["WeisfeilerLehman(h).normalized(), h = 0 to 5"]
    return {**facts, "score": float(scores.mean()), "folds": scores.tolist(), "kernels": tried}


def measure(small: bool, repeats: int) -> list[Row]:
    try:
        mutag, proteins = collection("MUTAG"), collection("PROTEINS")
    except FileNotFoundError:
        print(f"No graphs in {folder()}: generated ones, and no accuracy. Set MAXMARGIN_DATA.")
        return gram("generated", generated(100 if small else 1_000), repeats)
    if small:
        proteins = proteins[0][::10], proteins[1][::10]
    scored = [accuracy("MUTAG", *mutag), accuracy("PROTEINS", *proteins)]
    return gram("PROTEINS", proteins[0], repeats) + scored

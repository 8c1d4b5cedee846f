"""Letter recognition with boosted trees: training and test error after 1 to 1000 rounds.

The first 16,000 rows train, the last 4,000 test, by custom. The trees are strong but limited,
since one without errors would end the boosting, and take a tenth of a second each. Errors are
counted here, from the labels that the members give and their coefficients.

Published with C4.5: test error 8.4, 3.3 and 3.1 % after 5, 100 and 1000 rounds (R. E. Schapire, Y.
Freund, P. Bartlett, W. S. Lee, Boosting the margin, 1998).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contest import timed
from benchmarks.data import load

TRAIN, ROUNDS, FEW_ROUNDS = 16_000, 1_000, 10
TREE = {"max_depth": 20, "max_leaf_nodes": 1_200}
PUBLISHED = {5: 0.084, 100: 0.033, 1_000: 0.031}


def model(rounds: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    from maxmargin.boosting import AdaBoostClassifier

    tree = DecisionTreeClassifier(**TREE)
    return AdaBoostClassifier(tree, n_estimators=rounds, random_state=0)


def row(small: bool) -> dict[str, Any]:
    data = load("letter")
    X, y = data.X[:TRAIN], data.y[:TRAIN]
    Z, z = data.X[TRAIN:], data.y[TRAIN:]
    seconds, fitted = timed(lambda: model(FEW_ROUNDS if small else ROUNDS).fit(X, y))
    wrong = {"train": wrong_after(fitted, X, y), "test": wrong_after(fitted, Z, z)}
    print(f"  {len(wrong['test'])} rounds: {seconds:.3g} s, {wrong['test'][-1]} test errors")
    return {
        "data": "letter",
        "rows": {"train": len(y), "test": len(z)},
        "columns": X.shape[1],
        "tree": TREE,
        "seconds": {"maxmargin": seconds},
        "wrong": wrong,
        "weak_error": [round(float(e), 6) for e in fitted.estimator_errors_[: len(wrong["test"])]],
    }


def wrong_after(fitted: Any, X: NDArray[Any], y: NDArray[Any]) -> list[int]:
    """How many rows the ensemble has wrong after each round."""
    votes, rows = np.zeros((len(y), len(fitted.classes_))), np.arange(len(y))
    label = np.searchsorted(fitted.classes_, y)
    counts = []
    for member, weight in zip(fitted.estimators_, fitted.estimator_weights_, strict=False):
        votes[rows, np.searchsorted(fitted.classes_, member.predict(X))] += weight
        counts.append(int(np.sum(votes.argmax(axis=1) != label)))
    return counts

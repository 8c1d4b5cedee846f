"""Seconds to bag 100 stumps with their out-of-bag error: columns sorted once, or for every bag.

Ours, the same stumps fitted bag by bag without sharing anything, and scikit-learn's class on all
cores. Ours and the plain loop have the same bags, so their votes must be equal; scikit-learn draws
others, and its out-of-bag error stands beside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import contest
from benchmarks.contest import OURS, SKLEARN
from benchmarks.data import Data

MEMBERS = 100
LOOP = "bag by bag"


def ours(data: Data, members: int) -> Any:
    from maxmargin.boosting import BaggingClassifier, DecisionStump

    stump = DecisionStump(criterion="gini")
    return BaggingClassifier(stump, members, oob_score=True, random_state=0).fit(data.X, data.y)


def bag_by_bag(data: Data, members: int) -> Any:
    """Give the average vote on the rows."""
    from maxmargin.bagging.bootstrap import fill_urn
    from maxmargin.boosting import DecisionStump

    urn = fill_urn(data.X, data.y, None, 1.0, True, "")
    seeds = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=members)
    fits = (DecisionStump(criterion="gini").fit(data.X, data.y, urn.counts(s)) for s in seeds)
    return sum(stump.predict_proba(data.X) for stump in fits) / members


def peer(data: Data, members: int) -> Any:
    from sklearn.ensemble import BaggingClassifier
    from sklearn.tree import DecisionTreeClassifier

    stump = DecisionTreeClassifier(max_depth=1)
    how: dict[str, Any] = {"oob_score": True, "n_jobs": -1, "random_state": 0}
    return BaggingClassifier(stump, members, **how).fit(data.X, data.y)


def measure(data: Data, members: int, repeats: int, sklearn_repeats: int) -> dict[str, Any]:
    makers = {OURS: ours, LOOP: bag_by_bag, SKLEARN: peer}
    names = [name for name in makers if name != SKLEARN or sklearn_repeats]
    for name in names:  # compiles, and starts scikit-learn's processes
        makers[name](data.head(500), members)
    calls = {name: lambda name=name: makers[name](data, members) for name in names}
    times = {OURS: repeats, LOOP: min(repeats, 1), SKLEARN: sklearn_repeats}
    seconds, found = contest.interleave(calls, {name: times[name] for name in names})
    apart = float(np.abs(found[OURS].predict_proba(data.X) - found[LOOP]).max())
    return {
        "data": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "asked": members,
        "runs": seconds,
        "seconds": contest.medians(seconds),
        "oob_error": {name: 1.0 - found[name].oob_score_ for name in names if name != LOOP},
        "apart": apart,
        "objection": f"the votes of the plain loop differ by {apart:.0e}" if apart > 1e-9 else "",
    }

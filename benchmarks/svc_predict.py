"""Seconds to predict 20,000 rows with the models just fitted, and how often they agree."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import contest, svc_fit
from benchmarks.contest import OURS, SKLEARN
from benchmarks.data import Data

ROWS = 20_000


def measure(
    data: Data, models: svc_fit.Models, repeats: int, sklearn_repeats: int
) -> dict[str, Any]:
    models = models or svc_fit.fit(data, data.gamma, 1, min(1, sklearn_repeats))[1]
    X = data.X[:ROWS]
    calls = {name: partial(model.predict, X) for name, model in models.items()}
    times = {name: sklearn_repeats if name == SKLEARN else repeats for name in models}
    seconds, labels = contest.interleave(calls, times)
    return {
        "data": data.name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "support": {name: len(model.support_) for name, model in models.items()},
        "runs": seconds,
        "seconds": contest.medians(seconds),
        "equal": {
            name: float(np.mean(found == labels[OURS]))
            for name, found in labels.items()
            if name != OURS
        },
    }

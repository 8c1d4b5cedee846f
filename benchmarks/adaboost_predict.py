"""Seconds to predict the training rows with the ensembles just fitted; the judge votes beside."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import adaboost, contest
from benchmarks.boosting_judge import ensemble
from benchmarks.data import Data


def measure(
    data: Data, models: adaboost.Models, rounds: int, repeats: int, sklearn_repeats: int
) -> dict[str, Any]:
    models = models or adaboost.fit(data, rounds, 1, min(1, sklearn_repeats))[1]
    calls = {name: partial(model.predict, data.X) for name, model in models.items()}
    seconds, labels = contest.interleave(calls, dict.fromkeys(models, repeats))
    return {
        "data": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "asked": rounds,
        "runs": seconds,
        "seconds": contest.medians(seconds),
        "equal": {
            name: float(np.mean(labels[name] == ensemble(model, data).verdict().labels))
            for name, model in models.items()
        },
    }

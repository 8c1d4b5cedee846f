"""What all models of the family are built with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from maxmargin.job.tuned import Tuned
from maxmargin.kernels.on_device import chosen_device

INNER_FOLDS = 3


@dataclass(frozen=True)
class Wanted:
    """What all models are built with.

    Parameters
    ----------
    metric : str or callable
        What parameters are chosen by.
    class_weight : str or None
    weigh : bool
        Whether weights of classes are among what is tuned: ``class_weight`` against none.
    seed : int
    n_jobs : int or None
    tuning_rows : int or None
        Rows that parameters are chosen on; None for all.
    device : str
        Where models run that can run on a card.
    """

    metric: Any = None
    class_weight: str | None = None
    weigh: bool = False
    seed: int = 0
    n_jobs: int | None = None
    tuning_rows: int | None = None
    device: str = "cpu"

    @property
    def ours(self) -> dict[str, Any]:
        """What classifiers of this package are given."""
        return {"class_weight": self.class_weight, "n_jobs": self.n_jobs}

    @property
    def drawn(self) -> dict[str, Any]:
        """The same for those that draw random numbers."""
        return {**self.ours, "random_state": self.seed}

    def place(self, rows: int) -> str:
        """Return the device of a fit to so many rows of numbers."""
        return self.device if self.device == "cpu" else chosen_device(self.device, rows)

    def search(self, model: Any, factor: float = 1.0, **grid: Sequence[Any]) -> Tuned:
        """Have parameters of a model chosen among those of a grid, on so many times the rows."""
        folds, wanted = self.folds(model), {name: list(given) for name, given in grid.items()}
        facts = {"cv": folds, "scoring": self.metric, "error_score": "raise"}
        return self.tuned(GridSearchCV(model, wanted, **facts), factor)

    def own_search(
        self,
        kind: Any,
        factor: float = 1.0,
        final: dict[str, Any] | None = None,
        **options: Any,
    ) -> Tuned:
        """Have parameters chosen by an estimator that searches itself."""
        search = kind(scoring=self.metric, **options, **self.ours)
        return self.tuned(search.set_params(cv=self.folds(search)), factor, final)

    def tuned(self, search: Any, factor: float = 1.0, final: dict[str, Any] | None = None) -> Tuned:
        """Search on so many times the rows for tuning."""
        rows = None if self.tuning_rows is None else int(factor * self.tuning_rows)
        model = getattr(search, "estimator", search)
        weigh = self.weigh and hasattr(search, "scoring") and hasattr(model, "class_weight")
        return Tuned(search, max_rows=rows, random_state=self.seed, weigh=weigh, final=final)

    def folds(self, model: Any) -> Any:
        """Return the splitter by which parameters of a model are chosen."""
        kind = StratifiedKFold if is_classifier(model) else KFold
        return kind(INNER_FOLDS, shuffle=True, random_state=self.seed)

"""A fitted estimator seen from outside: the model that decides, and the steps before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


@dataclass(frozen=True)
class Fitted:
    """A model, and the transformers through which rows reach it."""

    model: Any
    steps: tuple[Any, ...] = ()

    @classmethod
    def of(cls, estimator: Any) -> Fitted:
        """Look into pipelines, and at the best model of a search."""
        check_is_fitted(estimator)
        if isinstance(estimator, Pipeline):
            last = cls.of(estimator[-1])
            before = (estimator[:-1],) if len(estimator) > 1 else ()
            return cls(last.model, (*before, *last.steps))
        best = getattr(estimator, "best_estimator_", None)
        return cls(estimator) if best is None else cls.of(best)

    def of_two_classes(self) -> Fitted:
        """Look into a wrapper of several classes that was given two: one model decides."""
        if not self.wraps_classes or len(self.model.estimators_) != 1:
            return self
        inner = Fitted.of(self.model.estimators_[0])
        return Fitted(inner.model, (*self.steps, *inner.steps))

    @property
    def wraps_classes(self) -> bool:
        """Whether the model asks one of two classes at a time: one-vs-one and one-vs-rest."""
        return hasattr(self.model, "label_binarizer_") or hasattr(self.model, "pairwise_indices_")

    @property
    def name(self) -> str:
        """What the model is called."""
        return type(self.model).__name__

    @property
    def categorical(self) -> Any:
        """Which columns the model takes for categories, where it sees X itself and says so."""
        return None if self.steps else getattr(self.model, "is_categorical_", None)

    def rows(self, X: Any) -> Any:
        """Take rows through the steps."""
        for step in self.steps:
            X = step.transform(X)
        return X

    def refusal(self, lacks: str, drawn: str) -> TypeError:
        """Return a sentence: what a picture needs of a model, and which models have it."""
        return TypeError(f"{self.name} has no {lacks}: {drawn}.")

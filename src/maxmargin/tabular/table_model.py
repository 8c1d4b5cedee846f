"""What all models of tables share: which input they take, and how they prepare it."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.parameters import check_shared
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.tabular.columns import read_columns
from maxmargin.tabular.preparation import Preparation, Rows


class TableModel(CallbackSupport, BaseEstimator):
    """A model that takes a table as it is and prepares its columns."""

    preparation_: Preparation

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        check_shared(self)

    def _names(self, count: int) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(count)] if names is None else [str(n) for n in names]

    def _prepared(self, X: Any) -> Rows:
        check_is_fitted(self)
        if isinstance(X, Rows):  # importances prepare once and ask often
            return X
        return self.preparation_.rows(read_columns(self, X, reset=False))

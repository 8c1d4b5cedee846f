"""What all models of tables share: which input they take, and how they prepare it."""

from __future__ import annotations

from abc import abstractmethod
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
    n_features_in_: int

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

    def __restored__(self) -> None:
        """Check what was read; a model that was not fitted has nothing to check."""
        if "preparation_" not in vars(self):
            return
        try:
            fits = self._fits_together() and self._takes(self.preparation_.empty_row())
        except (AttributeError, IndexError, TypeError, ValueError):
            fits = False
        if not fits:
            raise ValueError(f"The parts of a stored {type(self).__name__} do not fit together.")

    def _fits_together(self) -> bool:
        """Whether the columns of the table are those that are prepared."""
        return isinstance(self.preparation_, Preparation) and all(
            each.place < self.n_features_in_ for each in self.preparation_.columns
        )

    @abstractmethod
    def _takes(self, row: Rows) -> bool:
        """Whether machines are made of rows as wide as a prepared one."""

    def _names(self, count: int) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(count)] if names is None else [str(n) for n in names]

    def _prepared(self, X: Any) -> Rows:
        check_is_fitted(self)
        if isinstance(X, Rows):  # importances prepare once and ask often
            return X
        return self.preparation_.rows(read_columns(self, X, reset=False))

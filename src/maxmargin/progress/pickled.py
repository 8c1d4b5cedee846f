"""Pickles of estimators know the version that wrote them, as scikit-learn's do."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import version
from typing import Any, Final

_KEY: Final = "_maxmargin_version"


class InconsistentVersionWarning(UserWarning):
    """A pickle of an estimator that another version of maxmargin wrote."""


class Pickled:
    """Notes the version in pickles, and warns when another version reads them."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes and the version."""
        state: Any = super().__getstate__()  # type: ignore[misc, unused-ignore]
        return {**state, _KEY: _version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the attributes; warn of another version."""
        state = dict(state)
        wrote = state.pop(_KEY, "an older version")
        if wrote != _version():
            warnings.warn(
                f"This {type(self).__name__} was pickled by maxmargin {wrote} and is read by "
                f"{_version()}: it may not work or predict something else. Fit it again, or store "
                "models with maxmargin.storage.save_model.",
                InconsistentVersionWarning,
                stacklevel=2,
            )
        parent: Any = super()
        if hasattr(parent, "__setstate__"):
            parent.__setstate__(state)
        else:
            self.__dict__.update(state)


@cache
def _version() -> str:
    return version("maxmargin")

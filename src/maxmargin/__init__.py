"""Margin-based learning: fast, certified, behind scikit-learn's interface.

Names are resolved on first use, so ``import maxmargin`` alone stays cheap:

>>> import maxmargin
>>> "SVC" in dir(maxmargin)
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin import datasets, kernels, losses, plots
    from maxmargin.certify import Certificate, Status
    from maxmargin.svm import SVC
    from maxmargin.svm.multiclass import OneVsOneClassifier, OneVsRestClassifier

    __version__: str

__all__ = [
    "SVC",
    "Certificate",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "Status",
    "__version__",
    "datasets",
    "kernels",
    "losses",
    "plots",
]

_HOME = {
    "SVC": "maxmargin.svm",
    "Certificate": "maxmargin.certify",
    "OneVsOneClassifier": "maxmargin.svm.multiclass",
    "OneVsRestClassifier": "maxmargin.svm.multiclass",
    "Status": "maxmargin.certify",
}
_ROOMS = frozenset({"datasets", "kernels", "losses", "plots"})


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")
    value = _resolve(name)
    globals()[name] = value  # found once, then as cheap as any global
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _resolve(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("maxmargin")
    if name in _ROOMS:
        return import_module(f"maxmargin.{name}")
    return getattr(import_module(_HOME[name]), name)

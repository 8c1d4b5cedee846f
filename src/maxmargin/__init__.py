"""Margin-based learning: fast, certified, behind scikit-learn's interface.

Names are resolved on first use, so ``import maxmargin`` alone stays cheap:

>>> import maxmargin
>>> "SVC" in dir(maxmargin)
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin import (
        boosting,
        course,
        datasets,
        evaluation,
        export,
        glass_box,
        kernels,
        losses,
        neighbors,
        plots,
        storage,
        tables,
        vision,
    )
    from maxmargin.bagging import BaggingClassifier
    from maxmargin.boosting import (
        AdaBoostClassifier,
        BoostingClassifier,
        BoostingRanker,
        BoostingRegressor,
    )
    from maxmargin.certify import Certificate, Status
    from maxmargin.glass_box import GlassBoxClassifier, GlassBoxRegressor
    from maxmargin.inputs.vectors import UnscaledColumnsWarning
    from maxmargin.svm import SVC
    from maxmargin.svm.discriminant import KernelDiscriminant
    from maxmargin.svm.duality import DualExplanation, explain_dual
    from maxmargin.svm.feature_weights import FeatureWeights, feature_weights
    from maxmargin.svm.hard_margin import HardMarginSVC, NotSeparable
    from maxmargin.svm.kernel_machine_classifier import (
        KernelLogisticRegression,
        KernelMachineClassifier,
    )
    from maxmargin.svm.kernel_machine_regressor import KernelMachineRegressor
    from maxmargin.svm.linear_classifier import LinearClassifier
    from maxmargin.svm.linear_svc import LinearSVC
    from maxmargin.svm.linear_svc_cv import LinearSVCCV
    from maxmargin.svm.linear_svr import LinearSVR
    from maxmargin.svm.multiclass import OneVsOneClassifier, OneVsRestClassifier
    from maxmargin.svm.multiple_kernel import MultipleKernelSVC
    from maxmargin.svm.node_weights import node_weights
    from maxmargin.svm.nu_svc import NuSVC
    from maxmargin.svm.nu_svr import NuSVR
    from maxmargin.svm.one_class import OneClassSVM
    from maxmargin.svm.path import SvmPath, svm_path
    from maxmargin.svm.separation import Separation, separate
    from maxmargin.svm.slack_budget import SlackBudgetSVC, total_slack
    from maxmargin.svm.svc_cv import SVCCV
    from maxmargin.svm.svr import SVR
    from maxmargin.tabular import TableOneClass, TableSVC, TableSVR
    from maxmargin.trees import DecisionStump, RegressionStump

    __version__: str

__all__ = [
    "SVC",
    "SVCCV",
    "SVR",
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BoostingClassifier",
    "BoostingRanker",
    "BoostingRegressor",
    "Certificate",
    "DecisionStump",
    "DualExplanation",
    "FeatureWeights",
    "GlassBoxClassifier",
    "GlassBoxRegressor",
    "HardMarginSVC",
    "KernelDiscriminant",
    "KernelLogisticRegression",
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "LinearClassifier",
    "LinearSVC",
    "LinearSVCCV",
    "LinearSVR",
    "MultipleKernelSVC",
    "NotSeparable",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "RegressionStump",
    "Separation",
    "SlackBudgetSVC",
    "Status",
    "SvmPath",
    "TableOneClass",
    "TableSVC",
    "TableSVR",
    "UnscaledColumnsWarning",
    "__version__",
    "boosting",
    "course",
    "datasets",
    "evaluation",
    "explain_dual",
    "export",
    "feature_weights",
    "glass_box",
    "kernels",
    "losses",
    "neighbors",
    "node_weights",
    "plots",
    "separate",
    "storage",
    "svm_path",
    "tables",
    "total_slack",
    "vision",
]

_HOME = {
    "AdaBoostClassifier": "maxmargin.boosting",
    "BaggingClassifier": "maxmargin.bagging",
    "BoostingClassifier": "maxmargin.boosting",
    "BoostingRanker": "maxmargin.boosting",
    "BoostingRegressor": "maxmargin.boosting",
    "Certificate": "maxmargin.certify",
    "DecisionStump": "maxmargin.trees",
    "DualExplanation": "maxmargin.svm.duality",
    "FeatureWeights": "maxmargin.svm.feature_weights",
    "GlassBoxClassifier": "maxmargin.glass_box",
    "GlassBoxRegressor": "maxmargin.glass_box",
    "HardMarginSVC": "maxmargin.svm.hard_margin",
    "KernelDiscriminant": "maxmargin.svm.discriminant",
    "KernelLogisticRegression": "maxmargin.svm.kernel_machine_classifier",
    "KernelMachineClassifier": "maxmargin.svm.kernel_machine_classifier",
    "KernelMachineRegressor": "maxmargin.svm.kernel_machine_regressor",
    "LinearClassifier": "maxmargin.svm.linear_classifier",
    "LinearSVC": "maxmargin.svm.linear_svc",
    "LinearSVCCV": "maxmargin.svm.linear_svc_cv",
    "LinearSVR": "maxmargin.svm.linear_svr",
    "MultipleKernelSVC": "maxmargin.svm.multiple_kernel",
    "NotSeparable": "maxmargin.svm.hard_margin",
    "SVR": "maxmargin.svm.svr",
    "OneClassSVM": "maxmargin.svm.one_class",
    "NuSVR": "maxmargin.svm.nu_svr",
    "NuSVC": "maxmargin.svm.nu_svc",
    "OneVsOneClassifier": "maxmargin.svm.multiclass",
    "OneVsRestClassifier": "maxmargin.svm.multiclass",
    "RegressionStump": "maxmargin.trees",
    "SVC": "maxmargin.svm",
    "SVCCV": "maxmargin.svm.svc_cv",
    "Separation": "maxmargin.svm.separation",
    "SlackBudgetSVC": "maxmargin.svm.slack_budget",
    "Status": "maxmargin.certify",
    "SvmPath": "maxmargin.svm.path",
    "TableOneClass": "maxmargin.tabular",
    "TableSVC": "maxmargin.tabular",
    "TableSVR": "maxmargin.tabular",
    "UnscaledColumnsWarning": "maxmargin.inputs.vectors",
    "explain_dual": "maxmargin.svm.duality",
    "feature_weights": "maxmargin.svm.feature_weights",
    "node_weights": "maxmargin.svm.node_weights",
    "separate": "maxmargin.svm.separation",
    "svm_path": "maxmargin.svm.path",
    "total_slack": "maxmargin.svm.slack_budget",
}
_ROOMS = frozenset(
    {
        "boosting",
        "course",
        "datasets",
        "evaluation",
        "export",
        "glass_box",
        "kernels",
        "losses",
        "neighbors",
        "plots",
        "storage",
        "tables",
        "vision",
    }
)


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

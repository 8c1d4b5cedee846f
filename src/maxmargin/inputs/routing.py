"""Which metadata given to an ensemble's ``fit`` reach its members'."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.validation import has_fit_parameter


def route_to_members(ensemble: Any, weak_learner: Any) -> MetadataRouter:
    """Return where metadata go; weights of rows are the ensemble's, which weighs its members."""
    weak = get_routing_for_object(weak_learner)
    if not isinstance(weak, MetadataRouter) and "sample_weight" in weak.fit.requests:
        weak.fit.add_request(param="sample_weight", alias=False)
    to_fit = MethodMapping().add(caller="fit", callee="fit")
    router = MetadataRouter(owner=type(ensemble).__name__).add_self_request(ensemble)
    return router.add(estimator=weak, method_mapping=to_fit)


def members_params(ensemble: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
    """Choose what members are fitted with, refusing what no member requested."""
    if not fit_params:
        return {}
    if not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"{type(ensemble).__name__}.fit takes {sorted(fit_params)} only with metadata routing: "
            "call sklearn.set_config(enable_metadata_routing=True) first."
        )
    routed = process_routing(ensemble, "fit", **fit_params).estimator.fit
    return {name: value for name, value in routed.items() if name != "sample_weight"}


def takes_weights(estimator: Any) -> bool:
    """Whether a classifier's ``fit`` can be given sample weights."""
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    if not get_config()["enable_metadata_routing"]:
        return False
    return bool(get_routing_for_object(estimator).consumes("fit", ["sample_weight"]))

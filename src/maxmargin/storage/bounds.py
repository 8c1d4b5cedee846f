"""What a stored number may be where it costs time or memory: a file may say anything.

Every numeric parameter of what can be stored is declared here: either the largest value that is
written and read, or that it costs nothing once a model is fitted. ``tests/storage/test_bounds.py``
finds those that are in neither list. Bounds are far above what people fit and low enough that a
crafted file costs a prediction seconds, not days. What arrays cost is bounded by the length of the
file, which holds them in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, Final

BOUNDS: Final[Mapping[str, float]] = {
    # rounds, lengths and powers that a kernel goes through for every pair or item
    "Graph.n_nodes": 10_000_000,
    "Mismatch.k": 1_000,
    "Mismatch.m": 16,
    "Polynomial.degree": 1_000,
    "Power.exponent": 1_000,
    "Spectrum.k": 1_000,
    "Spectrum.shortest": 1_000,
    "Subsequence.k": 1_000,
    "WeightedDegree.k": 256,
    "WeightedDegree.shifts": 256,
    "WeisfeilerLehman.h": 100,
    "WordNumbers.k": 1_000,
    "Graphlet.k": 5,
    # places for which memory is taken
    "Count.n": 1 << 31,
    "Counted.width": 1 << 31,
    "KernelMachine.n_rows": 1 << 31,
    "Substrings.base": 1 << 31,
    "WordNumbers.q": 1 << 31,
    "StumpMaker.n_features": 1 << 31,
    "_Served.width": 1 << 31,
    "PolynomialFeatures.degree": 100,
    "PolynomialFeatures._max_degree": 100,
    "PolynomialFeatures._min_degree": 100,
    "PolynomialFeatures._n_out_full": 1 << 24,
    "PolynomialFeatures.n_output_features_": 1 << 24,
    "QuantileTransformer.n_quantiles": 1 << 24,
    "QuantileTransformer.n_quantiles_": 1 << 24,
    "KBinsDiscretizer.n_bins": 1 << 24,
    "Trial.rows": 1 << 31,
    # letters of a text that are read
    "Vocabulary.longest": 1 << 24,
    # workers that a prediction may start, and neighbours of a row that it keeps
    "n_jobs": 1_024,
    "n_neighbors": 1 << 24,
    # tables that a question is looked up in, and buckets of each
    "LSHNeighborsTransformer.n_tables": 10_000,
    "LSHNeighborsTransformer.n_bits": 24,
    "LSHNeighborsTransformer.n_flips": 16,
    "HashingVectorizer.n_features": 1 << 31,
    "degree": 1_000,
}
"""By parameter, or by class and parameter, which comes first."""

# fmt: off
FREE: Final = frozenset({
    "C", "Cs", "alpha", "alphas", "approximate", "base", "budget", "c", "cache_size", "ccp_alpha",
    "coef0", "constant", "curve", "cut", "cv", "decay", "delta", "dtype", "dual", "epsilon",
    "error", "errors", "factor", "far", "floor", "gamma", "gammas", "intercept_scaling",
    "iterated_power", "l1_ratio", "leaf_size", "learning_rate", "level", "loss", "max_bins",
    "max_categories", "max_depth", "max_df", "max_features", "max_iter", "max_leaf_nodes",
    "max_pair_bins", "max_samples", "mean", "median", "memory", "min_category_weight", "min_df",
    "min_frequency", "min_impurity_decrease", "min_samples_leaf", "min_samples_split",
    "min_weight_fraction_leaf", "min_weight_leaf", "most_letters", "n_bags", "n_bins",
    "n_components", "n_estimators", "n_iter", "n_iter_no_change", "n_oversamples", "nu", "offset",
    "p", "place", "points", "power", "price", "primal", "quantile", "random_state",
    "regularization", "ridge", "scale", "share", "sharpness", "shrinkage", "sigma", "slope",
    "sparse_threshold", "step", "subsample", "time_limit", "tol", "trend", "validation_fraction",
    "verbose", "weight", "weights", "y_max", "y_min",
})
# fmt: on
"""Those of a fit alone, and those that are a factor in a formula."""


class BoundError(ValueError):
    """A stored number that would cost more than any model needs."""


def bound_of(kind: type, name: str) -> float | None:
    """Return the largest stored value of a parameter; None if none is declared.

    Examples
    --------
    >>> from maxmargin.kernels import Spectrum
    >>> bound_of(Spectrum, "k"), bound_of(Spectrum, "decay")
    (1000, None)
    """
    own = (f"{each.__name__}.{name}" for each in kind.__mro__)
    return next((BOUNDS[each] for each in (*own, name) if each in BOUNDS), None)


def check_bounds(kind: type, items: Mapping[str, Any]) -> None:
    """Refuse numbers beyond their bounds, before it is written or after it was read.

    Parameters
    ----------
    kind : type
    items : mapping
        Parameters, or parts.

    Raises
    ------
    BoundError
        With a sentence.

    Examples
    --------
    >>> from maxmargin.kernels import Spectrum
    >>> check_bounds(Spectrum, {"k": 2**31})
    Traceback (most recent call last):
    maxmargin.storage.bounds.BoundError: A stored Spectrum has k=2147483648; at most 1,000 is read.
    """
    for name, value in items.items():
        most = bound_of(kind, name)
        if most is not None and isinstance(value, Real) and not -most <= float(value) <= most:
            raise BoundError(
                f"A stored {kind.__name__} has {name}={value!s:.40}; at most {most:,} is read."
            )

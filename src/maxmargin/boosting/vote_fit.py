"""What fits of weighted votes share: reading the rows, and a weak learner for them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from maxmargin.boosting.training_set import TrainingSet
from maxmargin.boosting.vote import ANYTHING, WeightedVote
from maxmargin.boosting.weak_learner import (
    PresortedStump,
    ResampledClassifier,
    ResampledStump,
    WeakLearner,
    WeightedClassifier,
    with_least_leaf,
)
from maxmargin.ensembles.members import LazyMembers, by_place, refuse_items
from maxmargin.inputs.labels import number_classes, weigh_classes
from maxmargin.inputs.routing import route_to_members
from maxmargin.inputs.table import missing_columns, read
from maxmargin.inputs.vectors import refuse_dates
from maxmargin.inputs.weights import read_weight
from maxmargin.ops.clock import Clock
from maxmargin.trees.categories import FEW
from maxmargin.trees.stump import DecisionStump, StumpMaker
from maxmargin.trees.stump_ensemble import StumpEnsemble


class VoteFit(WeightedVote):
    """Weak learners fitted to weighted rows, to vote.

    A subclass has the parameters ``estimator``, ``random_state``, ``n_jobs``,
    ``categorical_features``, ``min_weight_fraction_leaf`` and ``class_weight``.
    """

    _random_state: Any

    def _weak(self) -> Any:
        """Return the weak learner, the default one if none was given."""
        least = self.min_weight_fraction_leaf
        if self.estimator is not None:
            return with_least_leaf(self.estimator, least)
        return DecisionStump(
            categorical_features=self.categorical_features,
            min_weight_fraction_leaf=least,
            n_jobs=self.n_jobs,
        )

    def __sklearn_tags__(self) -> Any:
        """Return the input tags: those of the weak learner."""
        tags = super().__sklearn_tags__()
        tags.input_tags = deepcopy(get_tags(self._weak()).input_tags)
        return tags

    def get_metadata_routing(self) -> Any:
        """Return the routing of metadata passed to ``fit``.

        ``sample_weight`` is this model's: members are weighted as their rounds say.
        """
        return route_to_members(self, self._weak())

    # validate

    def _reduce(
        self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any], reset: bool = True
    ) -> TrainingSet:
        """Check the data; labels become class numbers."""
        self.estimator_ = self._weak()
        stumps = self._has_stumps()
        if stumps and self.estimator is not None:
            self.estimator_._check_parameters()
        X, y = self._read_rows(X, y, reset)
        self._had_missing = missing_columns(X) if stumps else None
        self.classes_, numbers, labels = number_classes(y)
        label = numbers.astype(np.int32)
        weight = read_weight(sample_weight, len(labels))
        if self.class_weight is not None:
            factors = weigh_classes(self.class_weight, self.classes_, labels)
            weight = weight / weight.max() * factors[label]  # so that no product overflows
        return TrainingSet(X, labels, label, weight, params)

    def _has_stumps(self) -> bool:
        return type(self.estimator_) is DecisionStump

    def _read_rows(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if not self._has_stumps():
            refuse_dates(X)
            refuse_items(self, X)
            return validate_data(self, X, y, reset=reset, **ANYTHING)
        return read(self, X, y, reset=reset, categorical=self.estimator_.categorical_features)

    # reduce

    def _learner(
        self, data: TrainingSet, clock: Clock, stack: ExitStack, resample: bool = False
    ) -> WeakLearner:
        """Sort columns for stumps, or take any classifier as it is."""
        weak, rng = self.estimator_, self._random_state
        if self._has_stumps():
            n_jobs = weak.n_jobs if self.n_jobs is None else self.n_jobs
            rows = data.X, self.is_categorical_, data.weight
            columns = stack.enter_context(weak._columns(*rows, n_jobs, clock))
            stumps = columns, data.label, len(self.classes_), weak.criterion
            return ResampledStump(*stumps, rng) if resample else PresortedStump(*stumps)
        kind = ResampledClassifier if resample else WeightedClassifier
        weak = by_place(weak, getattr(self, "feature_names_in_", None))
        return kind(weak, data.X, data.y, self.classes_, rng, data.params)

    def _searches_exactly(self) -> bool:
        """Return whether the weak learner has the least weighted error of all its kind.

        A column of many categories is held back, so that it may be left for one of more error.
        """
        if not self._has_stumps() or self.estimator_.criterion != "error":
            return False
        sizes = [len(codes) for codes in getattr(self, "_categories", {}).values()]
        return not (self.estimator_.category_smoothing and max(sizes, default=0) > FEW)

    # recover

    def _keep_members(self, members: Sequence[Any]) -> None:
        """Set the members: stumps are stored together and made when they are asked for."""
        self._stumps, self.estimators_ = None, members
        if self._has_stumps():
            stumps = members if isinstance(members, StumpEnsemble) else StumpEnsemble(members)
            make = StumpMaker.of(self, stumps, self.classes_)
            self._stumps, self.estimators_ = stumps, LazyMembers(make, len(stumps))

"""Directions of descent: weak learners whose values h on the rows follow the pull p = -dL/dz.

In {-1, +1}: argmax_h sum p_i h(x_i) is the classifier of least weighted error for labels sign p_i
and weights |p_i| (lectures; Mason et al., 2000, section 3). Real-valued: the regressor of least
squares to p_i / w_i with weights w_i (Friedman, 2001, algorithm 1, line 4).

A member is a ``Split`` where columns that were sorted once are scanned, and otherwise a fitted
copy of the user's estimator. A member with leaves may be given other values in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import get_tags

from maxmargin.boosting.leaf_step import newton_steps
from maxmargin.boosting.objective import Objective, ObjectivePoint
from maxmargin.boosting.theory import inner
from maxmargin.boosting.weak_learner import with_least_leaf
from maxmargin.ensembles.members import seeded_copy
from maxmargin.ops.engine import engine_of
from maxmargin.ops.pieces import Pieces
from maxmargin.trees.columns import Columns
from maxmargin.trees.split import Split
from maxmargin.trees.stump import DecisionStump, RegressionStump

Vector = NDArray[np.float64]


class Direction(Protocol):
    """A member together with its values on the training rows."""

    @property
    def member(self) -> Any:
        """The member."""
        ...

    def values(self) -> Vector:
        """Return h on the training rows."""
        ...

    def descent(self, pull: Vector) -> float:
        """Return pull'h: the loss falls at this rate along h."""
        ...

    def square(self) -> float:
        """Return h'h."""
        ...

    def with_leaves(
        self, objective: Objective, point: ObjectivePoint, search: bool = False
    ) -> Direction:
        """Set each leaf to its step: a quick one, or the best that a search finds."""
        ...

    def scaled(self, factor: float) -> Direction:
        """Multiply the values of all leaves."""
        ...

    def move(self, z: Vector, coefficient: float, moved: Vector) -> None:
        """Write z + coefficient h."""
        ...


@dataclass(frozen=True)
class StumpDirection:
    """A split, and which training rows go right; once known, how much either side pulls."""

    member: Split
    right: NDArray[np.bool_]
    pieces: Pieces
    pulls: tuple[float, ...] | None = None

    def toward(self, pull: Vector) -> StumpDirection:
        """Sum up the pull of both sides, whatever values they are given later."""
        return replace(self, pulls=self._side_sums(pull))

    def _side_sums(self, values: Vector) -> tuple[float, ...]:
        side_sums, right = engine_of(values).gradient.side_sums, self.right
        return self.pieces.sum(lambda a, b: side_sums(values[a:b], right[a:b]))

    def values(self) -> Vector:
        """Return h on the training rows."""
        return np.where(self.right, self.member.right, self.member.left)

    def descent(self, pull: Vector) -> float:
        """Return pull'h."""
        if self.pulls is None:
            return self.toward(pull).descent(pull)
        return self.pulls[0] * self.member.left + self.pulls[1] * self.member.right

    def square(self) -> float:
        """Return h'h."""
        along = int(np.count_nonzero(self.right))
        return (len(self.right) - along) * self.member.left**2 + along * self.member.right**2

    def with_leaves(
        self, objective: Objective, point: ObjectivePoint, search: bool = False
    ) -> StumpDirection:
        """Set each side to its step."""
        if search:
            steps = objective.best_leaf_steps(point, self.right, 2)
        elif point.curvature is None:
            steps = objective.leaf_steps(point, self.right, 2)
        else:
            pulls = self._side_sums(point.pull) if self.pulls is None else self.pulls
            steps = newton_steps(pulls, self._side_sums(point.curvature))
        left, right = steps.tolist()
        return replace(self, member=replace(self.member, left=left, right=right))

    def scaled(self, factor: float) -> StumpDirection:
        """Multiply the values of both sides."""
        left, right = factor * self.member.left, factor * self.member.right
        return replace(self, member=replace(self.member, left=left, right=right))

    def move(self, z: Vector, coefficient: float, moved: Vector) -> None:
        """Write z + coefficient h."""
        low, high = coefficient * self.member.left, coefficient * self.member.right
        add_sides, right = engine_of(z).gradient.add_sides, self.right
        self.pieces.each(lambda a, b: add_sides(z[a:b], right[a:b], low, high, moved[a:b]))


@dataclass(frozen=True)
class ModelDirection:
    """A fitted estimator and its predictions; of a tree also the leaf of each row."""

    member: Any
    h: Vector
    leaf: NDArray[np.intp] | None = None

    def values(self) -> Vector:
        """Return h on the training rows."""
        return self.h

    def descent(self, pull: Vector) -> float:
        """Return pull'h."""
        return inner(pull, self.h)

    def square(self) -> float:
        """Return h'h."""
        return inner(self.h, self.h)

    def with_leaves(
        self, objective: Objective, point: ObjectivePoint, search: bool = False
    ) -> ModelDirection:
        """Set each leaf of the tree to its step; the tree belongs to this member only."""
        assert self.leaf is not None
        nodes, place = np.unique(self.leaf, return_inverse=True)
        find = objective.best_leaf_steps if search else objective.leaf_steps
        steps = find(point, place, len(nodes))
        self.member.tree_.value[nodes, 0, 0] = steps
        return replace(self, h=steps[place])

    def scaled(self, factor: float) -> ModelDirection:
        """Multiply the values of all leaves."""
        self.member.tree_.value[...] *= factor
        return replace(self, h=factor * self.h)

    def move(self, z: Vector, coefficient: float, moved: Vector) -> None:
        """Write z + coefficient h."""
        np.multiply(self.h, coefficient, out=moved)
        moved += z


class GradientLearner(Protocol):
    """A way to make members that point along a pull."""

    signs: bool
    """Whether members' values are -1 or +1."""
    has_leaves: bool
    nothing: Any
    """The member that adds nothing."""

    def learn(self, pull: Vector, weight: Vector, seed: tuple[int, ...]) -> Direction:
        """Make a member."""
        ...

    def replay(self, member: Any) -> Direction:
        """Put a member made earlier beside its values on the training rows."""
        ...

    def predict(self, member: Any, X: Any) -> Vector:
        """Return a member's values on other rows."""
        ...


class SignStump:
    """The stump in {-1, +1} of the largest edge, in presorted columns."""

    signs, has_leaves = True, False
    nothing = Split()

    def __init__(self, columns: Columns, criterion: str) -> None:
        self._columns, self._criterion = columns, criterion

    def learn(
        self,
        pull: Vector,
        weight: Vector,  # noqa: ARG002
        seed: tuple[int, ...],  # noqa: ARG002
    ) -> StumpDirection:
        """Search all columns."""
        if self._criterion == "gini":
            split = self._columns.best_square(pull, np.abs(pull), "gini")
        else:
            split = self._columns.best_sign(pull)
        return self.replay(split).toward(pull)

    def replay(self, member: Split) -> StumpDirection:
        """Look up which training rows go right."""
        return StumpDirection(member, self._columns.right_side(member), self._columns.pieces)

    def predict(self, member: Split, X: Any) -> Vector:
        """Ask the split's question of the rows."""
        return member.values(X)


class SquareStump(SignStump):
    """The regression stump of least squares, in presorted columns."""

    signs, has_leaves = False, True

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns, "square")
        self._weight: Vector | None = None
        self._equal = False

    def learn(
        self,
        pull: Vector,
        weight: Vector,
        seed: tuple[int, ...],  # noqa: ARG002
    ) -> StumpDirection:
        """Search all columns; weights that are all 1 need not be read."""
        if weight is not self._weight:
            self._weight, self._equal = weight, bool((weight == 1.0).all())
        split = self._columns.best_square(pull, None if self._equal else weight)
        return self.replay(split).toward(pull)


class AnyRegressor:
    """Copies of a regressor, fitted to the pull by weighted least squares."""

    signs = False

    def __init__(self, estimator: Any, X: Any) -> None:
        self._estimator, self._X, self.nothing = estimator, X, OneSign(0.0)
        self.has_leaves = hasattr(estimator, "get_n_leaves")  # a tree, not a forest of them

    def learn(self, pull: Vector, weight: Vector, seed: tuple[int, ...]) -> ModelDirection:
        """Fit a copy."""
        member = seeded(self._estimator, seed)
        return self.replay(member.fit(self._X, pull / weight, sample_weight=weight))

    def replay(self, member: Any) -> ModelDirection:
        """Predict the training rows."""
        leaf = member.apply(self._X) if self.has_leaves else None
        return ModelDirection(member, self.predict(member, self._X), leaf)

    def predict(self, member: Any, X: Any) -> Vector:
        """Predict other rows."""
        return np.asarray(member.predict(X), dtype=np.float64)


class AnyClassifier(AnyRegressor):
    """Copies of a classifier, fitted to the sign of the pull with weights |pull|."""

    signs = True

    def __init__(self, estimator: Any, X: Any) -> None:
        super().__init__(estimator, X)
        self.has_leaves = False

    def learn(
        self,
        pull: Vector,
        weight: Vector,  # noqa: ARG002
        seed: tuple[int, ...],
    ) -> ModelDirection:
        """Fit a copy to the rows with a gradient that is not 0."""
        rows = np.flatnonzero(pull)
        X = self._X if len(rows) == len(pull) else self._X[rows]
        sign, force = np.sign(pull[rows]), np.abs(pull[rows])
        if len(rows) == 0 or (sign == sign[0]).all():  # most classifiers refuse one class
            return self.replay(OneSign(float(sign[0]) if len(rows) else 1.0))
        member = seeded(self._estimator, seed)
        return self.replay(member.fit(X, sign, sample_weight=force / force.sum()))


class OneSign:
    """The member of one value, -1 or +1, for every row."""

    def __init__(self, sign: float) -> None:
        self.sign = sign

    def predict(self, X: Any) -> Vector:
        """Return the value for every row."""
        return np.full(X.shape[0], self.sign)


def seeded(estimator: Any, seed: tuple[int, ...]) -> Any:
    """Clone an estimator and give a seed to whatever in it draws random numbers."""
    generator = np.random.MT19937(np.random.SeedSequence(seed))
    return seeded_copy(estimator, np.random.RandomState(generator))


def learner_for(
    estimator: Any, X: Any, columns: Columns | None, least: float = 0.0
) -> GradientLearner:
    """Choose how members are made: stumps by presorted columns, anything else by its ``fit``.

    ``least`` is the smallest share of the weight in a leaf; columns know theirs.
    """
    if columns is not None:
        if isinstance(estimator, DecisionStump):
            return SignStump(columns, estimator.criterion)
        return SquareStump(columns)
    estimator = with_least_leaf(estimator, least)
    return AnyClassifier(estimator, X) if is_classifier(estimator) else AnyRegressor(estimator, X)


def is_presorted(estimator: Any) -> bool:
    """Return whether members are stumps of ours, found in presorted columns."""
    return estimator is None or type(estimator) in (DecisionStump, RegressionStump)


def is_tree(estimator: Any) -> bool:
    """Return whether members are trees that take missing values, as unknown categories become."""
    grown = hasattr(estimator, "get_n_leaves") and not isinstance(estimator, type)
    return grown and bool(get_tags(estimator).input_tags.allow_nan)

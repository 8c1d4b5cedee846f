"""Boosting of any smooth loss on a cluster: ``boosting/gradient.py`` from sums over partitions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.classifier import BoostingClassifier as LocalBoostingClassifier
from maxmargin.boosting.gradient import NoDescentError
from maxmargin.boosting.leaf_step import newton_steps
from maxmargin.boosting.objective import sum_over_rows
from maxmargin.boosting.regressor import BoostingRegressor as LocalBoostingRegressor
from maxmargin.dask.adaboost import hold_out, refuse_beyond_stumps
from maxmargin.dask.adaboost_rows import largest_weight
from maxmargin.dask.additive_rows import (
    Goal,
    Leaf,
    PullSums,
    SideSums,
    Steps,
    ask_pulls,
    error_of_rows,
    loss_of_rows,
    plus_pulls,
    plus_sides,
    predictions,
    slope_at,
    sum_pulls,
    sum_sides,
    targets_of,
    weigh_bins,
    weights_of,
)
from maxmargin.dask.bins import Cuts, count_bins, exponent_of, merge, sketch
from maxmargin.dask.cluster import Cluster, Table, connect
from maxmargin.dask.collection import TableOnCluster
from maxmargin.dask.estimator import (
    OnCluster,
    by_class,
    by_problem,
    label,
    lazy,
    one,
    with_client,
)
from maxmargin.dask.reading import class_factors, read_table
from maxmargin.dask.stump_search import (
    BinSums,
    Found,
    Question,
    Search,
    join_points,
    list_values,
    plus,
    sum_inside,
    threshold_of,
)
from maxmargin.ensembles.rounds import Round, RoundLimits, Stop, boost, with_printing
from maxmargin.inputs.labels import refuse_one_class
from maxmargin.inputs.parameters import ParameterError, all_or_nothing
from maxmargin.losses import Loss, SquaredError
from maxmargin.losses.descent import minimise
from maxmargin.ops.clock import watch
from maxmargin.ops.threads import Workers
from maxmargin.trees.split import Split
from maxmargin.trees.stump import RegressionStump

Vector = NDArray[np.float64]

_ROUNDING, _HALVINGS = 1e-12, 60


@dataclass(frozen=True)
class Rowset:
    """What functions share: the rows, their bins, and how many there are."""

    cluster: Cluster
    table: Table
    cuts: Cuts
    shared: Any
    counts: NDArray[np.int64]
    n_rows: int

    @classmethod
    def of(cls, cluster: Cluster, table: Table, n_rows: int) -> Rowset:
        """Cut the columns into bins."""
        cuts = merge(cluster.ask(table, "sketch columns", sketch))
        shared = cluster.share("cuts", cuts)
        counts = np.sum(cluster.ask(table, "bins", count_bins, shared), axis=0)
        return cls(cluster, table, cuts, shared, counts, n_rows)


@dataclass(frozen=True)
class Proposal:
    """A member for one function, and where it leads."""

    member: Split
    leaf: Leaf
    sums: PullSums
    exponent: int
    slope: float
    square: float


class ClusterFunction:
    """One function of a model; its predictions follow from its steps, on the workers."""

    def __init__(self, rows: Rowset, goal: Goal, rate: float, name: str) -> None:
        self._rows, self.goal, self._rate, self._name = rows, goal, rate, name
        self.steps: Steps = ()
        weight = rows.cluster.add(
            rows.table, f"{name}weights", weigh_bins, rows.shared, goal, plus=np.add
        )
        self._weight: Vector = weight
        self.size = float(weight[self._first_bins()].sum())
        self._title = f"{name}sums"
        self._exponent = exponent_of(1.0)
        self._sums = self._first_sums()

    def _first_bins(self) -> slice:
        return slice(0, int(self._rows.cuts.begin[1]))

    def _first_sums(self) -> PullSums:
        """Find the grid on which the first pulls have exact sums."""
        coarse = self._ask((), self._exponent)
        self._exponent = exponent_of(max(coarse.largest * self._rows.n_rows, 1e-300))
        coarse = self._ask((), self._exponent)
        self._exponent = exponent_of(max(self._size(coarse), 1e-300))
        return self._ask((), self._exponent)

    def _ask(self, steps: Steps, exponent: int) -> PullSums:
        """Sum the pulls on a grid; on a coarser one where their sizes turn out to be larger."""
        rows = self._rows
        while True:
            state = rows.shared, self.goal, steps, exponent
            sums: PullSums = rows.cluster.add(
                rows.table, self._title, sum_pulls, *state, plus=plus_pulls
            )
            grown = exponent_of(max(self._size(sums), 1e-300))
            if grown <= exponent + 1 or not np.isfinite(sums.loss):
                return sums
            exponent = grown

    def _size(self, sums: PullSums) -> float:
        some = self._first_bins()
        return float(2.0 * sums.up[some].sum() - sums.value[some].sum())

    @property
    def value(self) -> float:
        """The mean loss."""
        return self._sums.loss / self.size

    @property
    def steepness(self) -> float:
        """The mean square of the pull."""
        return self._sums.squares / self.size**2

    @property
    def flat(self) -> bool:
        """Whether every pull is 0."""
        return self._sums.largest == 0.0

    @property
    def wrong(self) -> float:
        """The weighted share of rows on the wrong side."""
        return self._sums.wrong / self.size

    def propose(self, title: str) -> Proposal | None:
        """Find a member and steps of its leaves that lower the loss; None if there are none."""
        self._title = title
        if not np.isfinite(self._sums.loss):
            raise ValueError(
                f"The training loss is {self._sums.loss} at the start of a round; scale the "
                "targets, or check the value and derivative of the loss."
            )
        total = float(self._sums.value[self._first_bins()].sum())
        size = self._size(self._sums)
        question = Question(True, np.array([total, self.size]), size, self._sums.steepest)
        rows = self._rows
        sums = BinSums(self._sums.value, self._sums.up, self._weight)
        found = Search(question, rows.cuts, rows.counts, sums).run(self._refine, self._list)
        return None if found is None else self._go(found, total)

    def _refine(self, wanted: Any) -> BinSums:
        found: BinSums = self._inside("finer bins", sum_inside, wanted, plus)
        return found

    def _list(self, wanted: Any) -> Any:
        return self._inside("values", list_values, wanted, join_points)

    def _inside(self, what: str, verb: Any, wanted: Any, join: Any) -> Any:
        rows, title = self._rows, self._title.replace("sums", what)
        state = rows.shared, self.goal, self.steps, self._exponent, verb, wanted
        return rows.cluster.add(rows.table, title, ask_pulls, *state, plus=join)

    def _go(self, found: Found, total: float) -> Proposal | None:
        """Go as far as each leaf wants, or half as far until that leads downhill."""
        sides = self._sides(found)
        pulls = found.value, total - found.value
        low, high = newton_steps(pulls, (sides.left, sides.right)).tolist()
        rounding = _ROUNDING * abs(self._sums.loss)
        for attempt in range(_HALVINGS):
            leaf = Leaf(found.feature, found.cut, self._rate * low, self._rate * high)
            sums = self._ask((*self.steps, leaf), self._exponent)
            level = sums.loss <= self._sums.loss + (rounding if attempt == 0 else -rounding)
            if level and (low != 0.0 or high != 0.0):
                return self._proposal(found, (low, high), leaf, sums, sides, pulls)
            low, high = 0.5 * low, 0.5 * high
        return None

    def _sides(self, found: Found) -> SideSums:
        rows, title = self._rows, self._title.replace("sums", "leaves")
        exponent = exponent_of(max(self._sums.most_bent * rows.n_rows, 1e-300))
        state = self.goal, self.steps, (found.feature, found.cut), exponent
        sides: SideSums = rows.cluster.add(rows.table, title, sum_sides, *state, plus=plus_sides)
        return sides

    def _proposal(
        self,
        found: Found,
        steps: tuple[float, float],
        leaf: Leaf,
        sums: PullSums,
        sides: SideSums,
        pulls: tuple[float, float],
    ) -> Proposal:
        n, left = self._rows.n_rows, sides.near.left
        member = Split(
            found.feature,
            threshold_of(sides.near),
            None,
            2 * (n - left) > n,
            *steps,
            found.score * self.size,
        )
        slope = (pulls[0] * steps[0] + pulls[1] * steps[1]) / self.size
        square = left * steps[0] ** 2 + (n - left) * steps[1] ** 2
        exponent = exponent_of(max(self._size(sums), 1e-300))
        return Proposal(member, leaf, sums, exponent, slope, square)

    def take(self, proposal: Proposal | None) -> None:
        """Go where a proposal leads."""
        if proposal is None:
            return
        self.steps, self._sums = (*self.steps, proposal.leaf), proposal.sums
        self._exponent = max(proposal.exponent, self._exponent - 8)


class ClusterBooster:
    """The booster of any loss whose rows lie on workers; see ``rounds.boost``."""

    def __init__(
        self, functions: list[ClusterFunction], rows: Rowset, rate: float, most: int, held: Any
    ) -> None:
        self._functions, self._rows, self._rate = functions, rows, rate
        self._most, self._held = most, held
        self.members: list[list[Split]] = []
        self.coefficients: list[list[float]] = []
        self.rounds: list[Round] = []
        self.first_loss = self._loss()

    @property
    def constants(self) -> Vector:
        """F_0 of every function."""
        return np.array([function.goal.constant for function in self._functions])

    def _loss(self) -> float:
        return float(sum(function.value for function in self._functions))

    def _title(self, k: int) -> str:
        several = f"class {k}, " if len(self._functions) > 1 else ""
        return f"round {len(self.members) + 1} of {self._most}: {several}sums"

    def round(self) -> Round | Stop:
        """Make one round: a member for every function that can still descend."""
        before = self._loss()
        functions = self._functions
        steepness = sum(function.steepness for function in functions)
        proposals = [f.propose(self._title(k)) for k, f in enumerate(functions)]
        if not any(proposals):
            return self._no_descent()
        steps = tuple(
            f.steps if p is None else (*f.steps, p.leaf)
            for f, p in zip(functions, proposals, strict=True)
        )
        held, error = self._held_loss(steps), self._error_of_classes(steps)
        for function, proposal in zip(functions, proposals, strict=True):
            function.take(proposal)
        self.members.append([p.member if p else Split() for p in proposals])
        self.coefficients.append([self._rate if p else 0.0 for p in proposals])
        made = self._report(proposals, before, steepness, held, error)
        self.rounds.append(made)
        return made

    def _no_descent(self) -> Stop:
        if all(function.flat for function in self._functions):
            return Stop.PERFECT
        if not self.members:
            raise NoDescentError(
                "The first weak learner finds no way downhill from a constant prediction: no "
                "feature varies with the target; use other features."
            )
        return Stop.TOO_WEAK

    def _report(
        self,
        proposals: list[Proposal | None],
        before: float,
        steepness: float,
        held: float,
        error: float,
    ) -> Round:
        made = [p for p in proposals if p is not None]
        fall = sum(self._rate * p.slope for p in made)
        length = sum(self._rate**2 * p.square for p in made)
        lengths = math.sqrt(steepness) * math.sqrt(length)
        alone = made[0] if len(proposals) == 1 else None
        return Round(
            round=len(self.members),
            alpha=self._rate if alone else math.nan,
            loss=self._loss(),
            train_error=error,
            validation_loss=held,
            before=before,
            slope=alone.slope if alone else fall,
            cosine=fall / lengths if lengths > 0 else math.nan,
        )

    def _held_loss(self, steps: tuple[Steps, ...]) -> float:
        if self._held is None:
            return math.nan
        return self._mean_over(self._held, "validation", loss_of_rows, steps)

    def _error_of_classes(self, steps: tuple[Steps, ...]) -> float:
        """Return the training error; with two classes the sums of a step hold it."""
        if self._functions[0].goal.classes is None:
            return math.nan
        return self._mean_over(self._rows.table, "training error", error_of, steps)

    def _mean_over(self, table: Table, what: str, function: Any, steps: Any) -> float:
        goals = tuple(each.goal for each in self._functions)
        title = self._title(0).rpartition(": ")[0] + f": {what}"
        total, size = np.sum(self._rows.cluster.ask(table, title, function, goals, steps), axis=0)
        return float(total / size)

    def keep(self, n_rounds: int) -> None:
        """Drop the later rounds."""
        del self.members[n_rounds:], self.coefficients[n_rounds:], self.rounds[n_rounds:]


class BoostingOnCluster(OnCluster):
    """Boosted regression stumps whose rows lie on the workers of a Dask cluster."""

    labels: ClassVar = True

    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit the model to Dask collections.

        Parameters
        ----------
        X : dask Array or DataFrame of shape (rows, columns)
        y : dask Array or Series of shape (rows,)
        sample_weight : dask Array or Series of shape (rows,), default=None
        X_val, y_val, sample_weight_val : dask collections, default=None
            Validation rows to watch; they may lie on some workers only. Without them
            ``n_iter_no_change`` holds out ``validation_fraction`` of every partition.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        refuse_beyond_stumps(self, (None, RegressionStump))
        self._check_on_cluster()
        keep = self.on_interrupt == "keep"
        with (
            watch(self.time_limit, self.on_interrupt) as clock,
            connect(self.client, clock, keep) as cluster,
        ):
            placed = read_table(cluster, X, y, sample_weight, self.labels)
            self._note_columns(placed)
            self.is_categorical_, self._had_missing = None, np.zeros(placed.columns, bool)
            goals = self._goals(cluster, placed)
            watched = X_val, y_val, sample_weight_val
            table, held, n_rows = hold_out(self, cluster, placed, watched, self.labels)
            booster = self._begin_on(cluster, table, held, n_rows, goals)
            self._boost_on(booster, clock)
        return self

    def _goals(self, cluster: Cluster, placed: TableOnCluster) -> list[Goal]:
        raise NotImplementedError

    def _check_on_cluster(self) -> None:
        loss = self._loss()
        one_row = np.ones(1)
        follows = loss.fitted_to(0.0 * one_row, one_row, one_row) is not loss
        plain = type(loss).newton_shift is Loss.newton_shift or loss == SquaredError()
        rounded = sum_over_rows(loss, one_row, one_row, Workers(1))
        if follows or not (rounded._newton and plain):
            raise ParameterError(
                f"On a cluster {type(self).__name__} needs a loss whose leaves take Newton steps, "
                f"and {loss.name} is not one; use 'logistic' or 'squared_error', or fit "
                f"a sample with maxmargin.{type(self).__name__}."
            )
        if self.step not in ("auto", "leaves"):
            raise ParameterError(
                f"On a cluster {type(self).__name__} takes one step a leaf; step={self.step!r} is "
                f"for maxmargin.{type(self).__name__}."
            )

    def _unit(self, cluster: Cluster, placed: TableOnCluster) -> float:
        """Return the power of two that brings the largest weight to between 1 and 2."""
        most = max(cluster.ask(placed.table, "largest weight", largest_weight))
        return math.ldexp(1.0, math.frexp(most)[1] - 1)

    def _begin_on(
        self, cluster: Cluster, table: Table, held: Any, n_rows: int, goals: list[Goal]
    ) -> ClusterBooster:
        rows = Rowset.of(cluster, table, n_rows)
        rate, functions = float(self.learning_rate), []
        for goal in goals:
            constant = self._constant_on(cluster, table, goal, n_rows)
            name = f"class {goal.number}: " if len(goals) > 1 else ""
            functions.append(ClusterFunction(rows, replace(goal, constant=constant), rate, name))
        return ClusterBooster(functions, rows, rate, int(self.n_estimators), held)

    def _constant_on(self, cluster: Cluster, table: Table, goal: Goal, n_rows: int) -> float:
        """Return the best constant, from sums."""
        if self.init != "constant":
            return 0.0

        def sums(c: float) -> Any:
            parts = cluster.ask(table, "best constant", slope_at, goal, c, None)
            most = max(max(part) for part in parts) * n_rows
            exponent = exponent_of(max(most, 1e-300))
            parts = cluster.ask(table, "best constant", slope_at, goal, c, exponent)
            return np.sum(parts, axis=0)

        if goal.loss == SquaredError():
            slope, bend, _ = sums(0.0)
            return float(-slope / bend)
        if goal.classes is not None:
            return _constant_of_two(goal, sums)
        return minimise(lambda c: float(sums(c)[2]), lambda c: float(sums(c)[0]))

    def _boost_on(self, booster: ClusterBooster, clock: Any) -> None:
        limits = RoundLimits(
            int(self.n_estimators),
            clock,
            with_printing(self.callback, int(self.verbose)),
            self.n_iter_no_change,
            float(self.tol),
        )
        self.stop_ = boost(booster, limits)
        found: Any = booster
        self._recover(found)


def _constant_of_two(goal: Goal, sums: Any) -> float:
    """Return the best constant of labels, which two rows with the weights of all decide."""
    t = np.array([-1.0, 1.0])
    slopes = goal.loss.derivative(np.zeros(2), t)
    total, bend, _ = sums(0.0)
    size = bend / float(goal.loss.curvature(np.zeros(1), np.ones(1))[0])
    # Sum and difference of the two sides' weights give both.
    up = (total - size * slopes[0]) / (slopes[1] - slopes[0])
    weight = np.array([size - up, up])
    return sum_over_rows(goal.loss, t, weight, Workers(1)).best_constant()


def error_of(rows: Any, goals: Any, steps: Any) -> tuple[float, float]:
    """Return the weight of rows that are predicted wrong, and of all."""
    if len(goals) > 1:
        return error_of_rows(rows, goals, steps)
    weight = weights_of(rows, goals[0])
    wrong = (predictions(rows, goals[0], steps[0]) > 0.0) != (targets_of(rows, goals[0]) > 0.0)
    return float(weight[wrong].sum()), float(weight.sum())


@with_client
class BoostingClassifier(BoostingOnCluster, LocalBoostingClassifier):
    """``maxmargin.BoostingClassifier`` with regression stumps, for Dask collections.

    The splits are those of the local fit, whatever the partitions are. Parameters are those of
    ``maxmargin.BoostingClassifier``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    classes_, constants_, coefficients_, estimators_, train_loss_, validation_loss_, stop_
        As in the local class.

    Examples
    --------
    >>> from maxmargin.dask import BoostingClassifier
    >>> BoostingClassifier(learning_rate=0.3).learning_rate
    0.3
    """

    local: ClassVar = LocalBoostingClassifier
    predict: Any = lazy("predict", one, label)
    decision_function: Any = lazy("decision_function", by_problem)
    predict_proba: Any = lazy("predict_proba", by_class)
    predict_log_proba: Any = lazy("predict_log_proba", by_class)

    def _goals(self, cluster: Cluster, placed: TableOnCluster) -> list[Goal]:
        self.classes_ = placed.classes()
        refuse_one_class(self.classes_)
        factors = class_factors(self.class_weight, self.classes_, placed)
        unit, loss = self._unit(cluster, placed), self._loss()
        grid = exponent_of(2.0 * placed.rows * (1.0 if factors is None else float(factors.max())))
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [
            Goal(number, loss, unit, self.classes_, k, factors, grid=grid)
            for number, k in enumerate(positive)
        ]


@with_client
class BoostingRegressor(BoostingOnCluster, LocalBoostingRegressor):
    """``maxmargin.BoostingRegressor`` with regression stumps, for Dask collections.

    The splits are those of the local fit, whatever the partitions are. Parameters are those of
    ``maxmargin.BoostingRegressor``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    constants_, coefficients_, estimators_, train_loss_, validation_loss_, stop_
        As in the local class.

    Examples
    --------
    >>> from maxmargin.dask import BoostingRegressor
    >>> BoostingRegressor(n_estimators=30).n_estimators
    30
    """

    local: ClassVar = LocalBoostingRegressor
    labels = False
    predict: Any = lazy("predict", one)

    def _goals(self, cluster: Cluster, placed: TableOnCluster) -> list[Goal]:
        unit, grid = self._unit(cluster, placed), exponent_of(2.0 * placed.rows)
        cluster.ask(placed.table, "check targets", check_targets, self._loss())
        return [Goal(0, self._loss(), unit, grid=grid)]


def check_targets(rows: Any, loss: Loss) -> None:
    """Raise for targets for which the loss is undefined."""
    try:
        if len(rows):
            loss.check_targets(np.append(rows.y, 1.0))
    except ValueError as error:
        raise ValueError(f"In partition {rows.number}: {error}") from None

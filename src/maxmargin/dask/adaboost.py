"""AdaBoost on a cluster: the rounds of ``boosting/samme.py`` from sums over partitions."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from maxmargin.boosting.adaboost import AdaBoostClassifier as LocalAdaBoostClassifier
from maxmargin.boosting.samme import too_weak
from maxmargin.boosting.theory import PERFECT_WEIGHT, log_normaliser
from maxmargin.dask.adaboost_rows import (
    RoundSums,
    Step,
    Votes,
    ask_inside,
    draw_validation,
    largest_weight,
    measure,
    plus_round,
    sum_round,
)
from maxmargin.dask.bins import Cuts, count_bins, exponent_of, merge, sketch
from maxmargin.dask.cluster import Cluster, Table, connect
from maxmargin.dask.collection import TableOnCluster, place_rows
from maxmargin.dask.estimator import OnCluster, by_class, label, lazy, one, with_client
from maxmargin.dask.reading import class_factors, read_table
from maxmargin.dask.stump_search import (
    BinSums,
    Question,
    Search,
    join_points,
    list_values,
    plus,
    sum_inside,
    threshold_of,
)
from maxmargin.ensembles.rounds import History, Round, RoundLimits, Stop, boost, with_printing
from maxmargin.inputs.labels import refuse_one_class
from maxmargin.inputs.parameters import all_or_nothing
from maxmargin.inputs.table import is_left_open
from maxmargin.ops.clock import watch
from maxmargin.ops.round_state import GREAT, GROWTH
from maxmargin.trees.split import Split, round_gain
from maxmargin.trees.stump import DecisionStump

Vector = NDArray[np.float64]

_CHANCE = 1e-12
_LARGEST = 709.0


class ClusterRounds:
    """The booster of AdaBoost with stumps whose rows lie on workers; see ``rounds.boost``.

    Its state is the list of rounds; weights and votes follow from it on the workers.
    """

    def __init__(
        self,
        cluster: Cluster,
        table: Table,
        cuts: Cuts,
        votes: Votes,
        n_rows: int,
        rate: float,
        most: int,
        held: Table | None = None,
    ) -> None:
        self._cluster, self._table, self._held = cluster, table, held
        self._cuts, self._votes, self._rate, self._most = cuts, votes, rate, most
        self._shared = cluster.share("cuts", cuts)
        counts = cluster.ask(table, "bins", count_bins, self._shared)
        self._counts = np.sum(counts, axis=0)
        self.n_rows, self._ended = n_rows, False
        self._steps: tuple[Step, ...] = ()
        self.members: list[Split] = []
        self.coefficients: list[float] = []
        self._log_bound, self._loss = 0.0, 1.0
        self._base = self._total = float(n_rows)
        self._exponent = exponent_of(self._total)
        self._sums = self._ask((), self._exponent)
        self._total = self._base = self._size()

    @property
    def validation(self) -> Any:
        """The rows that are watched, if any."""
        return self._held

    # sums

    def _title(self, what: str) -> str:
        return f"round {len(self.members) + 1} of {self._most}: {what}"

    def _ask(self, steps: tuple[Step, ...], exponent: int) -> RoundSums:
        state = self._shared, self._votes, steps, exponent
        sums: RoundSums = self._cluster.add(
            self._table, self._title("sums"), sum_round, *state, plus=plus_round
        )
        return sums

    def _first_bins(self) -> slice:
        return slice(0, int(self._cuts.begin[1]))

    def _size(self) -> float:
        some = self._first_bins()
        return float(2.0 * self._sums.up[some].sum() - self._sums.value[some].sum())

    def _search(self) -> tuple[Any, float, float]:
        """Return the best split, the sum of signed weights and the sum of weights."""
        total, size = float(self._sums.value[self._first_bins()].sum()), self._size()
        question = Question(False, np.array([total]), size)
        begin = self._cuts.begin
        weight = np.concatenate(
            [self._counts[j][: begin[j + 1] - begin[j]] for j in range(len(begin) - 1)]
        ).astype(np.float64)
        sums = BinSums(self._sums.value, self._sums.up, weight)
        search = Search(question, self._cuts, self._counts, sums)
        return search.run(self._refine, self._values), total, size

    def _refine(self, wanted: Any) -> BinSums:
        state = self._shared, self._votes, self._steps, self._exponent, sum_inside, wanted
        found: BinSums = self._cluster.add(
            self._table, self._title("finer bins"), ask_inside, *state, plus=plus
        )
        return found

    def _values(self, wanted: Any) -> Any:
        state = self._shared, self._votes, self._steps, self._exponent, list_values, wanted
        return self._cluster.add(
            self._table, self._title("values"), ask_inside, *state, plus=join_points
        )

    # rounds

    def round(self) -> Round | Stop:
        """Make one round of AdaBoost."""
        if self._ended:
            return Stop.PERFECT
        found, total, size = self._search()
        left_sum = 0.0 if found is None else found.value
        edge = abs(total - 2.0 * left_sum)
        wrong = (size - edge) / 2.0
        error = wrong / size
        if not error < 0.5 - _CHANCE:
            return too_weak(error, 2, not self.members)
        says = 2.0 * left_sum - total > 0.0
        left = 1.0 if (total > 0.0 if found is None else says) else -1.0
        coefficient = self._coefficient(error)
        step, expected = self._step(found, left, error, wrong, size, coefficient)
        return self._take(found, step, expected, error, edge / size, coefficient)

    def _coefficient(self, error: float) -> float:
        if error == 0.0:
            return PERFECT_WEIGHT + sum(self.coefficients)
        return self._rate * math.log((1.0 - error) / error)

    def _step(
        self,
        found: Any,
        left: float,
        error: float,
        wrong: float,
        size: float,
        coefficient: float,
    ) -> tuple[Step, float]:
        """Return the round to apply and the sum of the weights after it."""
        where = -1 if found is None else found.feature, np.nan if found is None else found.cut
        alpha = 0.5 * coefficient
        if error == 0.0:
            return Step(where[0], where[1], left, 1.0, 1.0, False, alpha), size
        factor = math.exp(coefficient) if coefficient < GREAT else math.inf
        if factor >= 1.0 and size + factor * wrong < GROWTH * self._base:
            grown = size + (factor - 1.0) * wrong
            return Step(where[0], where[1], left, factor, 1.0, False, alpha), grown
        right = math.exp(-coefficient)
        scale = 1.0 / (size * (error + (1.0 - error) * right))
        self._base = 1.0
        return Step(where[0], where[1], left, scale, right * scale, True, alpha), 1.0

    def _take(
        self,
        found: Any,
        step: Step,
        expected: float,
        error: float,
        edge: float,
        coefficient: float,
    ) -> Round:
        steps, exponent = (*self._steps, step), exponent_of(expected)
        sums, squares, size = self._ask(steps, exponent), self._sums.squares, self._size()
        held = self._measure_held(steps)
        self._steps, self._exponent, self._sums = steps, exponent, sums
        self.members.append(self._member(found, step.left, sums, edge))
        self.coefficients.append(coefficient)
        self._ended, alpha, before = error == 0.0, 0.5 * coefficient, self._loss
        self._log_bound += float(log_normaliser(error, alpha))
        loss = math.exp(self._log_bound) if self._log_bound < _LARGEST else math.inf
        self._loss = loss
        return Round(
            round=len(self.members),
            error=error,
            alpha=alpha,
            loss=loss,
            bound=0.0 if self._ended and len(self.members) == 1 else loss,
            train_error=sums.train_error,
            validation_error=held,
            before=before,
            slope=(1.0 - 2.0 * error) * before,
            pull=before,
            cosine=(1.0 - 2.0 * error) * size / math.sqrt(self.n_rows * squares),
            stop=Stop.PERFECT if self._ended else None,
        )

    def _member(self, found: Any, left: float, sums: RoundSums, edge: float) -> Split:
        gain = float(round_gain(edge))
        if found is None or sums.near is None:
            return Split(left=left, right=left, gain=gain)
        right_rows = self.n_rows - sums.near.left
        return Split(
            found.feature,
            threshold_of(sums.near),
            None,
            2 * right_rows > self.n_rows,
            left,
            -left,
            gain,
        )

    def _measure_held(self, steps: tuple[Step, ...]) -> float:
        if self._held is None:
            return math.nan
        title = self._title("validation")
        parts = self._cluster.ask(self._held, title, measure, self._votes, steps)
        wrong, share = np.sum(parts, axis=0)
        return float(wrong / share)

    def keep(self, n_rounds: int) -> None:
        """Drop the later rounds."""
        del self.members[n_rounds:], self.coefficients[n_rounds:]
        self._steps = self._steps[:n_rounds]


@with_client
class AdaBoostClassifier(OnCluster, LocalAdaBoostClassifier):
    """``maxmargin.AdaBoostClassifier`` of two classes with stumps, for Dask collections.

    The splits are those of the local fit, whatever the partitions are. Parameters are those of
    ``maxmargin.AdaBoostClassifier``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    estimators_, estimator_weights_, alphas_, estimator_errors_, bounds_, history_, stop_
        As in the local class. There is no ``weights_``: the weights of rows stay on the workers.

    Examples
    --------
    >>> from maxmargin.dask import AdaBoostClassifier
    >>> AdaBoostClassifier(n_estimators=20).n_estimators
    20
    """

    local: ClassVar = LocalAdaBoostClassifier
    predict: Any = lazy("predict", one, label)
    decision_function: Any = lazy("decision_function", one)
    predict_proba: Any = lazy("predict_proba", by_class)
    predict_log_proba: Any = lazy("predict_log_proba", by_class)

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
        **fit_params: Any,
    ) -> Self:
        """Fit the ensemble to Dask collections.

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
        if fit_params:
            raise TypeError(f"fit on a cluster takes no {next(iter(fit_params))!r}.")
        refuse_beyond_stumps(self, (None, DecisionStump))
        keep = self.on_interrupt == "keep"
        with (
            watch(self.time_limit, self.on_interrupt) as clock,
            connect(self.client, clock, keep) as cluster,
        ):
            placed = read_table(cluster, X, y, sample_weight, True)
            self._prepare(placed)
            votes = self._begin_votes(cluster, placed)
            table, held, n_rows = hold_out(
                self, cluster, placed, (X_val, y_val, sample_weight_val), True
            )
            cuts = merge(cluster.ask(table, "sketch columns", sketch))
            rounds = int(self.n_estimators)
            booster = ClusterRounds(
                cluster, table, cuts, votes, n_rows, float(self.learning_rate), rounds, held
            )
            stop, history = self._boost_on(booster, clock)
            self._recover_rounds(booster, stop, history)
        return self

    def _prepare(self, placed: TableOnCluster) -> None:
        self._note_columns(placed)
        self.estimator_ = self._weak()
        self.is_categorical_, self._had_missing = None, np.zeros(placed.columns, bool)
        self.classes_ = placed.classes()
        refuse_one_class(self.classes_)
        if len(self.classes_) > 2:
            raise ValueError(
                f"On a cluster AdaBoostClassifier separates two classes, and y has "
                f"{len(self.classes_)}; use maxmargin.dask.BoostingClassifier."
            )

    def _begin_votes(self, cluster: Cluster, placed: TableOnCluster) -> Votes:
        factors = class_factors(self.class_weight, self.classes_, placed)
        pair = None if factors is None else (float(factors[0]), float(factors[1]))
        unit = max(cluster.ask(placed.table, "largest weight", largest_weight))
        unit *= 1.0 if pair is None else max(pair)
        return Votes(self.classes_[1], unit, pair, self.classes_[0])

    def _boost_on(self, booster: ClusterRounds, clock: Any) -> tuple[Stop, History]:
        history, report = History(), with_printing(self.callback, int(self.verbose))
        limits = RoundLimits(
            int(self.n_estimators),
            clock,
            report,
            self.n_iter_no_change,
            float(self.tol),
            history=history,
        )
        stop = boost(booster, limits)
        return stop, history.first(len(booster.coefficients))

    def _recover_rounds(self, booster: ClusterRounds, stop: Stop, history: History) -> None:
        result: Any = _Fitted(booster.members, booster.coefficients, range(booster.n_rows))
        self._recover(result, stop, history)


class _Fitted:
    """What the local class reads of a booster."""

    def __init__(self, members: Any, coefficients: Any, weight: Any) -> None:
        self.members, self.coefficients, self.weight = members, coefficients, weight


def refuse_beyond_stumps(model: Any, kinds: tuple[Any, ...]) -> None:
    """Raise for parameters that a cluster does not serve, in one sentence."""
    name = type(model).__name__
    weak = model.estimator
    wrong = []
    if weak is not None and type(weak) not in kinds:
        wrong.append(f"estimator={weak!r}")
    if getattr(weak, "criterion", "error") != "error":
        wrong.append(f"criterion={weak.criterion!r}")
    if not is_left_open(model.categorical_features):
        wrong.append("categorical_features")
    for parameter, usual in (
        ("resample", False),
        ("corrective", False),
        ("warm_start", False),
        ("min_weight_fraction_leaf", 0.0),
    ):
        if getattr(model, parameter, usual) != usual:
            wrong.append(f"{parameter}={getattr(model, parameter)!r}")
    if model.init == "first":
        wrong.append("init='first'")
    if wrong:
        raise ValueError(
            f"On a cluster {name} boosts stumps of numbers; {wrong[0]} is for maxmargin.{name}."
        )


def hold_out(
    model: Any,
    cluster: Cluster,
    placed: TableOnCluster,
    watched: tuple[Any, Any, Any],
    labels: bool,
) -> tuple[Table, Table | None, int]:
    """Return the training rows, the rows to watch, and the number of the former."""
    X_val, y_val, weight = watched
    if X_val is not None or y_val is not None:
        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val are given together or not at all.")
        given = place_rows(cluster, X_val, y_val, weight, labels, "X_val")
        refuse_other_columns(placed, given)
        if labels:
            refuse_other_labels(model.classes_, given)
        return placed.table, given.table, placed.rows
    if model.n_iter_no_change is None:
        return placed.table, None, placed.rows
    seed = int(check_random_state(model.random_state).randint(2**31 - 1))
    share = float(model.validation_fraction)
    held, table = (
        cluster.derive(placed.table, "hold out", draw_validation, share, seed, part)
        for part in (True, False)
    )
    rows = sum(cluster.ask(table, "count rows", len))
    if rows == placed.rows:
        raise ValueError(
            f"validation_fraction={share} of {rows} rows leaves no rows to validate on; give more "
            "rows or a larger fraction."
        )
    return table, held, rows


def refuse_other_columns(placed: TableOnCluster, given: TableOnCluster) -> None:
    """Raise if validation rows have other columns."""
    if (placed.names, placed.columns) != (given.names, given.columns):
        raise ValueError("X_val must have the columns of X, in the same order.")


def refuse_other_labels(classes: NDArray[Any], given: TableOnCluster) -> None:
    """Raise if validation rows have labels that training rows do not."""
    strange = np.setdiff1d(given.classes(), classes)
    if len(strange):
        raise ValueError(
            f"y_val holds labels that y does not: {strange[0]!r}; give rows of the classes "
            f"{classes.tolist()}."
        )

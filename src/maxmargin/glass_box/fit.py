"""The fit of a glass box: bins, bags, shapes, pairs, and what comes out of them.

X ──cut_table──▶ codes, one byte a value     (once, for all bags)
y ──objective──▶ slopes and curvatures
codes, y ──draw_folds──▶ what each bag holds out
ShapeBooster of columns ──▶ rank_pairs ──▶ ShapeBooster of pairs ──▶ terms
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from maxmargin import losses
from maxmargin.ensembles.continuation import (
    fingerprint,
    refuse_other_data,
    refuse_other_problem,
)
from maxmargin.ensembles.rounds import (
    History,
    Round,
    RoundLimits,
    Stop,
    boost,
    with_printing,
)
from maxmargin.glass_box.bags import draw_folds
from maxmargin.glass_box.bins import Binning, cut_table
from maxmargin.glass_box.model import GlassBoxModel
from maxmargin.glass_box.objective import Objective
from maxmargin.glass_box.pairs import (
    Pair,
    all_pairs,
    coarse_lines,
    coarsen,
    least_gain,
    pair_codes,
    rank_pairs,
)
from maxmargin.glass_box.recover import Shapes, recover_terms
from maxmargin.glass_box.rounds import Base, Columns, Pairs, Rule, ShapeBooster
from maxmargin.glass_box.wishes import (
    ColumnNames,
    check_parameters,
    directions,
    left_out,
    wanted_pairs,
)
from maxmargin.inputs.missing import is_missing
from maxmargin.inputs.table import read
from maxmargin.inputs.warning import warn_user
from maxmargin.inputs.weights import read_weight
from maxmargin.losses import Loss
from maxmargin.ops.clock import Clock, TimeUp, seconds_left, watch
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

# Terms whose last gain was below this share of the largest one wait for their turn.
_GREED, _GREED_OF_PAIRS = 0.5, 0.8
_BAGS, _BAGS_OF_MANY, _MANY_ROWS = 8, 4, 10_000  # of n_bags="auto"
_RATE_OF_PAIRS = 2.0  # times that of columns
_MOST_BITS = 50  # of a weight; larger ones would overflow in squares of sums
_ENDED = (Stop.CALLBACK.name, Stop.TIME_LIMIT.name, Stop.INTERRUPTED.name)
NOTHING: dict[str, Any] = {"stop": None, "rounds": [], "state": None, "pairs": []}
_KEPT = (
    *("loss", "learning_rate", "sharpness", "n_bags", "pairs", "exclude", "monotone"),
    *("max_pair_bins", "min_weight_leaf"),
)  # parameters that rounds depend on and that data do not show


@dataclass(frozen=True)
class Training:
    """What a fit learns from.

    Parameters
    ----------
    codes : ndarray of uint8 of shape (columns, rows)
    binning : Binning
    y : ndarray of shape (rows,)
        Class numbers or quantities.
    weight : ndarray of shape (rows,)
    fold : ndarray of shape (rows,)
    names : ColumnNames
    monotone : ndarray of int of shape (columns,)
    groups : ndarray of shape (rows,) or None
    """

    codes: NDArray[np.uint8]
    binning: Binning
    y: NDArray[Any]
    weight: Vector
    fold: NDArray[np.int16]
    names: ColumnNames
    monotone: NDArray[np.int64]
    groups: Any = None

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What a fit that goes on has to have again."""
        return self.codes, self.y, self.weight, self.fold


class GlassBoxFit(GlassBoxModel, ABC):
    """What the classifier and the regressor share in a fit.

    A subclass reads its targets (``_targets``) and says what is minimised (``_objective``).
    """

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        self._check_parameters()
        with watch(self.time_limit, self.on_interrupt) as clock, Workers(self.n_jobs) as workers:
            training = self._read_training(X, y, sample_weight, groups, workers)
            self._learn(training, clock, workers)
        return self

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, workers: Workers
    ) -> Training:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        X, y = read(self, X, y, reset=True, y_numeric=not is_classifier(self))
        y = self._targets(y)
        weight = read_weight(sample_weight, X.shape[0]) * self._factors(y)
        groups = _checked_groups(groups, len(y))
        rows = np.flatnonzero(weight > 0)
        if len(rows) < len(weight):
            X, y, weight = X[rows], y[rows], weight[rows]
            groups = None if groups is None else groups[rows]
        self._check_targets(y)
        weight = _as_counts(weight)
        names = ColumnNames(getattr(self, "feature_names_in_", None), X.shape[1])
        categories = {j: len(known) for j, known in self._known_categories().items()}
        binning = cut_table(X, weight, categories, int(self.max_bins), workers)
        codes = binning.code(X, n_jobs=self.n_jobs)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        fold = draw_folds(codes, y, groups, self._count_bags(len(y)), self._strata(y), seed)
        categorical = np.array([column.categorical for column in binning.columns])
        monotone = directions(self.monotone, names, categorical)
        return Training(codes, binning, y, weight, fold, names, monotone, groups)

    def _learn(self, training: Training, clock: Clock, workers: Workers) -> None:
        objective = self._objective(training)
        single, _ = left_out(self.exclude, training.names)
        used = [j for j in range(len(training.codes)) if j not in single]
        constants, rule = objective.constants(), self._rule(objective)
        n_bags = self._count_bags(len(training.y))
        rows = objective, training.fold, n_bags
        booster = ShapeBooster(self._columns(training, used), *rows, Base(constants), rule, workers)
        earlier = self._earlier(training)
        columns = self._boost(booster, clock, earlier["columns"])
        booster.release()
        shapes, pairs = Shapes(training, constants, used, booster), NOTHING
        if columns["stop"] not in _ENDED:
            same = len(columns["rounds"]) == len(earlier["columns"]["rounds"])
            before = earlier["pairs"] if same else NOTHING
            pairs = self._boost_pairs(shapes, objective, rule, clock, workers, before)
        self._show(shapes, columns, pairs)
        self._refit_all(training)

    def _show(self, shapes: Shapes, columns: dict[str, Any], pairs: dict[str, Any]) -> None:
        """Set the fitted attributes."""
        training = shapes.training
        self.stop_ = Stop[pairs["stop"] or columns["stop"]]
        self.history_ = History([*columns["rounds"], *pairs["rounds"]])
        self.validation_loss_ = self.history_.column("validation_loss")
        self._binning, self._coarse = training.binning, shapes.coarse
        self.constants_, self._terms = recover_terms(shapes)
        self.__dict__.pop("_progress", None)
        if self.warm_start:
            problem, data = self._problem(), fingerprint(*training.arrays)
            stages = {"columns": columns, "pairs": pairs}
            self._progress = {"problem": problem, "data": data, **stages}

    def _earlier(self, training: Training) -> dict[str, Any]:
        """Return what a fit before made, if this one goes on with it."""
        earlier = getattr(self, "_progress", None)
        if not self.warm_start or earlier is None:
            return {"columns": NOTHING, "pairs": NOTHING}
        refuse_other_problem(earlier["problem"], self._problem())
        refuse_other_data(earlier["data"], fingerprint(*training.arrays))
        return earlier

    def _problem(self) -> dict[str, Any]:
        """Return the parameters that rounds depend on, as texts."""
        return {name: repr(getattr(self, name)) for name in _KEPT}

    def _refit_all(self, training: Training) -> None:
        """Fit all terms again together, if that is asked for and there is time."""
        self.__dict__.pop("certificate_", None)  # of an earlier fit
        if self.refit is None:
            return
        try:
            if self.stop_.name not in _ENDED:
                self.constants_, self._terms, self.certificate_ = self._refit(training)
                return
        except TimeUp:
            self.stop_ = Stop.TIME_LIMIT
        warn_user(
            f"refit='optimal' was left out, because the fit ended before it ({self.stop_.name}): "
            "the shapes are those of boosting, and there is no certificate_. Give more time.",
            ConvergenceWarning,
        )

    @abstractmethod
    def _refit(self, training: Training) -> Any:
        """Fit all terms again together; return constants, terms and certificate."""

    def _refit_options(self) -> dict[str, Any]:
        left = seconds_left()
        limit = None if left == float("inf") else max(left, 1e-3)
        shared = {"on_interrupt": self.on_interrupt, "n_jobs": self.n_jobs}
        return {"ridge": float(self.ridge), "time_limit": limit} | shared

    def _boost(
        self, booster: ShapeBooster, clock: Clock, earlier: dict[str, Any]
    ) -> dict[str, Any]:
        """Make rounds, after those made before, until a limit is met; keep those of the best."""
        made: list[Round] = list(earlier["rounds"])
        if earlier["state"] is not None:
            booster.resume(earlier["state"])
        listener = with_printing(self.callback, int(self.verbose))

        def note(each: Round) -> object:
            made.append(each)
            return None if listener is None else listener(each)

        most = int(self.n_estimators) - (booster.made - booster.first)
        stop = Stop.ROUNDS if earlier["stop"] is None else Stop[earlier["stop"]]
        if most > 0 and stop is not Stop.EARLY:
            least = float(self.tol) * abs(booster.first_loss)
            patience = RoundLimits(most, clock, note, self.n_iter_no_change, least)
            stop = boost(booster, patience, list(made))
        if self.n_iter_no_change is not None:
            made = made[: booster.best_round - booster.first]
        state = booster.state() if self.warm_start else None
        return {"stop": stop.name, "rounds": made, "state": state, "pairs": []}

    def _columns(self, training: Training, used: list[int]) -> Columns:
        bins = [training.binning.columns[j] for j in used]
        whole = len(used) == len(training.codes)
        usual = [1 if each.categorical else 0 for each in bins]
        signs = training.monotone[used]
        kind = np.where(signs > 0, 2, np.where(signs < 0, 3, usual))
        return Columns(
            training.codes if whole else training.codes[used],
            np.array([each.n_bins for each in bins], np.int64),
            kind.astype(np.int64),
            np.array([each.width for each in bins], np.int64),
        )

    def _boost_pairs(
        self,
        shapes: Shapes,
        objective: Objective,
        rule: Rule,
        clock: Clock,
        workers: Workers,
        earlier: dict[str, Any],
    ) -> dict[str, Any]:
        """Choose pairs and learn their tables; those that gain too little are left out."""
        training, mains = shapes.training, shapes.mains
        sizes = self._coarsen(shapes, int(self.max_pair_bins))
        try:
            chosen = earlier["pairs"] or self._choose(shapes, objective, workers)
        except TimeUp:
            return NOTHING | {"stop": Stop.TIME_LIMIT.name}
        if not chosen or clock.over():
            return NOTHING
        codes, shape = pair_codes(coarse_lines(shapes.coarse, training.codes), sizes, chosen)
        kind = training.monotone[np.array(chosen)].reshape(-1, 2)
        booster = ShapeBooster(
            Pairs(codes, shape, kind),
            objective,
            training.fold,
            len(mains.values),
            Base(shapes.constants, (mains.finished(),)),
            replace(rule, rate=_RATE_OF_PAIRS * rule.rate, greed=_GREED_OF_PAIRS),
            workers,
            mains.made,
            _judges(mains),
        )
        made = self._boost(booster, clock, earlier)
        least = 1.0 if isinstance(self.pairs, str) else 0.0  # pairs asked for need any gain
        if self.n_iter_no_change is not None and not booster.gained(least):
            return NOTHING | {"stop": made["stop"]}
        shapes.pairs, shapes.chosen = booster, chosen
        return made | {"pairs": chosen}

    def _coarsen(self, shapes: Shapes, most: int) -> list[int]:
        """Cut columns for pairs; gives the bins of each."""
        training = shapes.training
        main = [np.zeros(column.width) for column in training.binning.columns]
        begin, values = shapes.mains.begin, shapes.mains.values
        for t, j in enumerate(shapes.used):
            main[j] = values[:, 0, begin[t] : begin[t + 1]].mean(axis=0)
        weight, codes = training.weight, training.codes
        shapes.coarse = tuple(coarsen(training.binning, codes, weight, main, most))
        return [column.n_bins for column in shapes.coarse]

    def _choose(self, shapes: Shapes, objective: Objective, workers: Workers) -> list[Pair]:
        """Return the pairs of the largest gains, the first one first.

        Rows that the judges hold out have slopes of 0 here.
        """
        training = shapes.training
        _, double = left_out(self.exclude, training.names)
        several = [j for j in shapes.used if training.binning.columns[j].n_bins > 1]
        possible = [pair for pair in all_pairs(several) if pair not in double]
        wanted, count = wanted_pairs(self.pairs, training.names, possible, len(shapes.constants))
        if count == 0 or (count == len(wanted) and not isinstance(self.pairs, str)):
            return wanted[:count]
        apart = shapes.mains.held_values()
        g, h = np.empty((2, *apart.shape))
        judged = (training.fold < _judges(shapes.mains)).astype(np.int16)
        objective.slopes(apart, judged, 1, g, h)
        lines = coarse_lines(shapes.coarse, training.codes)
        sizes = [column.n_bins for column in shapes.coarse]
        rows = lines, sizes, g, h, training.weight
        gains = rank_pairs(*rows, wanted, float(self.min_weight_leaf), workers)
        equal = np.round(gains / max(float(gains.max()), 1e-300), 9)  # but for rounding
        first = np.argsort(-equal, kind="stable")[:count]
        if isinstance(self.pairs, str):
            spread = float((g * g / training.weight).sum() / max(float(h.sum()), 1e-300))
            first = first[gains[first] > spread * least_gain(len(wanted), len(g))]
        return [wanted[place] for place in first]

    def _count_bags(self, n_rows: int) -> int:
        if isinstance(self.n_bags, str):
            return _BAGS if n_rows < _MANY_ROWS else _BAGS_OF_MANY
        return int(self.n_bags)

    def _rule(self, objective: Objective) -> Rule:
        return Rule(
            float(self.learning_rate),
            float(self.min_weight_leaf),
            1e-3,
            objective.longest,
            2.5,
            int(self.sharpness),
            _GREED,
        )

    def _known_categories(self) -> dict[int, Any]:
        if self.is_categorical_ is None:
            return {}
        return self._categories

    @abstractmethod
    def _targets(self, y: NDArray[Any]) -> NDArray[Any]:
        """Read the targets."""

    def _check_targets(self, y: NDArray[Any]) -> None:
        """Raise for targets that the loss has no meaning for."""

    def _factors(self, y: NDArray[Any]) -> Any:  # noqa: ARG002
        return 1.0

    @abstractmethod
    def _strata(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return the strata whose rows are spread evenly over the bags."""

    @abstractmethod
    def _objective(self, training: Training) -> Objective:
        """Return what the rounds lower."""

    def _check_parameters(self) -> None:
        check_parameters(self)
        self._check_loss(type(self).__name__)

    def _loss(self) -> Loss:
        return losses.named(self.loss)

    @abstractmethod
    def _check_loss(self, owner: str) -> None:
        """Raise for losses that the estimator cannot lower."""


def _judges(mains: ShapeBooster) -> int:
    """Count the bags that judge pairs, which are chosen without the rows that these hold out."""
    return -(-len(mains.values) // 2)


def _as_counts(weight: Vector) -> Vector:
    """Scale weights that cannot be numbers of rows: shares of 1, and numbers beyond all counts.

    Other weights stay: a row of weight 2 is two rows.
    """
    weight = weight / 2.0 ** max(0, math.frexp(float(weight.max()))[1] - _MOST_BITS)
    return weight * max(1.0, len(weight) / float(weight.sum()))


def _checked_groups(groups: Any, n_rows: int) -> Any:
    if groups is None:
        return None
    line = np.asarray(groups)
    if line.shape != (n_rows,):
        raise ValueError(
            f"groups has the shape {line.shape} and X has {n_rows} rows; give one group a row."
        )
    missing = next((i for i, group in enumerate(line.tolist()) if is_missing(group)), None)
    if missing is not None:
        raise ValueError(f"groups has a missing value (row {missing}); give every row a group.")
    return line

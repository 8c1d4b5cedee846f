"""The fit of a glass box: bins, bags, shapes, pairs, and what comes out of them.

X ──cut_table──▶ codes, one byte a value     (once, for all bags)
y ──objective──▶ slopes and curvatures
codes, y ──draw_folds──▶ what each bag holds out
ShapeBooster of columns ──▶ rank_pairs ──▶ ShapeBooster of pairs ──▶ terms
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from maxmargin import losses
from maxmargin.ensembles.rounds import (
    History,
    Limits,
    Round,
    Stop,
    boost,
    with_printing,
)
from maxmargin.glass_box.bags import draw_folds
from maxmargin.glass_box.bins import MOST, Binning, cut_table
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
    check_exclude,
    check_monotone,
    check_pairs,
    directions,
    left_out,
    wanted_pairs,
)
from maxmargin.inputs.missing import is_missing
from maxmargin.inputs.parameters import ParameterError, check_choice, check_number, check_shared
from maxmargin.inputs.table import read
from maxmargin.inputs.weights import read_weight
from maxmargin.losses import Loss
from maxmargin.ops.clock import Clock, TimeUp, watch
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

# Terms whose last gain was below this share of the largest one wait for their turn.
_GREED, _GREED_OF_PAIRS = 0.5, 0.8
_ENDED = (Stop.CALLBACK, Stop.TIME_LIMIT, Stop.INTERRUPTED)


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
    """

    codes: NDArray[np.uint8]
    binning: Binning
    y: NDArray[Any]
    weight: Vector
    fold: NDArray[np.int16]
    names: ColumnNames
    monotone: NDArray[np.int64]


class GlassBoxFit(GlassBoxModel):
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
        # Weights as small as shares of 1 count rows; others are numbers of equal rows.
        weight = weight * max(1.0, len(weight) / float(weight.sum()))
        names = ColumnNames(getattr(self, "feature_names_in_", None), X.shape[1])
        categories = {j: len(known) for j, known in self._known_categories().items()}
        binning = cut_table(X, weight, categories, int(self.max_bins), workers)
        codes = binning.code(X, n_jobs=self.n_jobs)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        fold = draw_folds(codes, y, groups, int(self.n_bags), self._strata(y), seed)
        categorical = np.array([column.categorical for column in binning.columns])
        monotone = directions(self.monotone, names, categorical)
        return Training(codes, binning, y, weight, fold, names, monotone)

    def _learn(self, training: Training, clock: Clock, workers: Workers) -> None:
        objective = self._objective(training.y, training.weight)
        single, double = left_out(self.exclude, training.names)
        used = [j for j in range(len(training.codes)) if j not in single]
        constants = objective.constants()
        rule = self._rule(objective)
        rows = objective, training.fold, int(self.n_bags)
        booster = ShapeBooster(
            self._columns(training, used), *rows, Base(constants), rule, workers
        )
        history: list[Round] = []
        stop = self._boost(booster, clock, history)
        booster.release()
        shapes = Shapes(training, constants, used, booster)
        if stop not in _ENDED:
            stop = self._boost_pairs(shapes, objective, double, rule, clock, workers, history, stop)
        self.stop_, self.history_ = stop, History(history)
        self.validation_loss_ = self.history_.column("validation_loss")
        self._binning, self._coarse = training.binning, shapes.coarse
        self.constants_, self._terms = recover_terms(shapes)
        self.__dict__.pop("certificate_", None)  # of an earlier fit
        if self.refit is not None and stop not in _ENDED:
            self.constants_, self._terms, self.certificate_ = self._refit(training)

    def _refit(self, training: Training) -> Any:
        raise NotImplementedError

    def _refit_options(self) -> dict[str, Any]:
        shared = {"on_interrupt": self.on_interrupt, "n_jobs": self.n_jobs}
        return {"ridge": float(self.ridge)} | shared

    def _boost(self, booster: ShapeBooster, clock: Clock, history: list[Round]) -> Stop:
        """Make rounds until one of the limits is met; keeps those of the best one."""
        made: list[Round] = []
        listener = with_printing(self.callback, int(self.verbose))

        def note(each: Round) -> object:
            made.append(each)
            return None if listener is None else listener(each)

        most = int(self.n_estimators)
        stop = boost(booster, Limits(most, clock, note, self.n_iter_no_change, float(self.tol)))
        if self.n_iter_no_change is not None:
            made = made[: booster.best_round - booster.first]
        history.extend(made)
        return stop

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
        double: set[Pair],
        rule: Rule,
        clock: Clock,
        workers: Workers,
        history: list[Round],
        stop: Stop,
    ) -> Stop:
        """Choose pairs and learn their tables."""
        training, mains = shapes.training, shapes.mains
        several = [j for j in shapes.used if training.binning.columns[j].n_bins > 1]
        possible = [pair for pair in all_pairs(several) if pair not in double]
        wanted, count = wanted_pairs(self.pairs, training.names, possible, len(shapes.constants))
        if not count or clock.over():
            return stop
        sizes = self._coarsen(shapes, int(self.max_pair_bins))
        lines = coarse_lines(shapes.coarse, training.codes)
        try:
            chosen = self._choose(wanted, count, shapes, objective, workers)
        except TimeUp:
            return Stop.TIME_LIMIT
        if not chosen:
            return stop
        codes, shape = pair_codes(lines, sizes, chosen)
        kind = training.monotone[np.array(chosen)].reshape(-1, 2)
        rate = replace(rule, rate=float(self.learning_rate) * 2.0, greed=_GREED_OF_PAIRS)
        booster = ShapeBooster(
            Pairs(codes, shape, kind),
            objective,
            training.fold,
            int(self.n_bags),
            Base(shapes.constants, (mains.finished(),)),
            rate,
            workers,
            mains.made,
            self._judges,
        )
        made: list[Round] = []
        stop = self._boost(booster, clock, made)
        if booster.gained or self.n_iter_no_change is None:
            shapes.pairs, shapes.chosen = booster, chosen
            history.extend(made)
        return stop

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

    def _choose(
        self,
        wanted: list[Pair],
        count: int,
        shapes: Shapes,
        objective: Objective,
        workers: Workers,
    ) -> list[Pair]:
        """Give the pairs of the largest gains, the first one first.

        Rows that the judges hold out have slopes of 0 here.
        """
        if count == len(wanted) and not isinstance(self.pairs, str):
            return wanted
        training = shapes.training
        apart = shapes.mains.held_values()
        g, h = np.empty((2, *apart.shape))
        judged = (training.fold < self._judges).astype(np.int16)
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

    @property
    def _judges(self) -> int:
        """How many bags judge pairs, which are chosen without the rows that these hold out."""
        return -(-int(self.n_bags) // 2)

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

    def _targets(self, y: NDArray[Any]) -> NDArray[Any]:
        raise NotImplementedError

    def _check_targets(self, y: NDArray[Any]) -> None:
        """Refuse targets that the loss has no meaning for."""

    def _factors(self, y: NDArray[Any]) -> Any:  # noqa: ARG002
        return 1.0

    def _strata(self, y: NDArray[Any]) -> NDArray[Any]:
        """Give what rows are spread by over the bags."""
        raise NotImplementedError

    def _objective(self, y: NDArray[Any], weight: Vector) -> Objective:
        raise NotImplementedError

    def _loss(self) -> Loss:
        return losses.named(self.loss)

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_shared(self)
        check_number(owner, "n_estimators", self.n_estimators, 1, whole=True)
        check_number(owner, "learning_rate", self.learning_rate, 0.0, above=True)
        check_number(owner, "tol", self.tol, 0.0)
        if self.n_iter_no_change is not None:
            check_number(owner, "n_iter_no_change", self.n_iter_no_change, 1, whole=True)
        for name, low in (("n_bags", 1), ("max_bins", 2), ("max_pair_bins", 2), ("sharpness", 0)):
            check_number(owner, name, getattr(self, name), low, whole=True)
        for name, high in (("max_bins", MOST), ("max_pair_bins", 64), ("sharpness", 32)):
            if getattr(self, name) > high:
                raise ParameterError(
                    f"The {name!r} parameter of {owner} must be at most {high}. Got "
                    f"{getattr(self, name)!r} instead."
                )
        check_number(owner, "min_weight_leaf", self.min_weight_leaf, 0.0)
        if self.refit is not None:
            check_choice(owner, "refit", self.refit, ("optimal",), "or None")
        check_number(owner, "ridge", self.ridge, 0.0, above=True)
        if self.refit is not None and self.monotone is not None:
            raise ParameterError(
                f"refit='optimal' of {owner} knows no directions; leave out monotone or refit."
            )
        check_pairs(owner, self.pairs)
        check_exclude(owner, self.exclude)
        check_monotone(owner, self.monotone)
        self._check_loss(owner)

    def _check_loss(self, owner: str) -> None:
        raise NotImplementedError


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

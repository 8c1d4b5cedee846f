"""AdaBoost of two classes with stumps: the rounds of ``samme.py``, many of them in one call.

The loops are in ``ops/cpu/boost_rounds.py``. A call makes as many rounds as take some hundredths of
a second, so that time limits and Ctrl-C act in between; with a callback for every round it
makes one, to the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.samme import too_weak
from maxmargin.boosting.training_set import RowVotes
from maxmargin.ensembles.rounds import Round, RoundTable, Stop
from maxmargin.ops.clock import Clock
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import ERROR, GINI
from maxmargin.ops.round_state import (
    CHUNK,
    COEFFICIENT,
    COSINE,
    LINE,
    LOG_Z,
    PERFECT,
    SQUARES,
    STALE,
    STATUS,
    TALLY,
    TOTAL,
    TRAIN_ERROR,
    WEAK,
    Boosted,
)
from maxmargin.ops.round_state import ERROR as WEIGHTED_ERROR
from maxmargin.ops.threads import resting, threads_can_share
from maxmargin.trees.bucketed import BucketedColumns
from maxmargin.trees.split import Split
from maxmargin.trees.stump_ensemble import StumpEnsemble

Vector = NDArray[np.float64]

_AT_ONCE = 1 << 25  # entries and rows of a call: some hundredths of a second
_MOST = 2_000  # rounds of a call: it takes as long to make splits of them
_WORTH_A_WORKER = 1 << 18  # of a round; less is done while workers meet and wait
_LARGEST = 709.0  # whose exponential is a double


@dataclass
class StumpRounds:
    """The booster of AdaBoost with stumps.

    Parameters
    ----------
    columns : BucketedColumns
    training : RowVotes
        Of two classes.
    criterion : {"error", "gini"}
    learning_rate : float
    validation : RowVotes, default=None
        Rows on which the ensemble's error is watched.
    watched : array-like, default=None
        Their features.
    first : float, default=None
        The coefficient of the first member; None is that of its error.
    """

    columns: BucketedColumns
    training: RowVotes
    criterion: str
    learning_rate: float
    validation: RowVotes | None = None
    watched: Any = None
    first: float | None = None

    def __post_init__(self) -> None:
        buckets, n = self.columns.buckets, len(self.training.label)
        self._work = len(buckets.entries) + 4 * n
        threads = self.columns.workers.threads if threads_can_share() else 1
        self._workers = max(1, min(threads, self._work // _WORTH_A_WORKER))
        self._gate = np.zeros(8, np.int64)
        self._begin()

    @property
    def weight(self) -> Vector:
        """The weights of the rows, of any sum."""
        weight: Vector = self._rows.weight
        return weight

    @property
    def members(self) -> StumpEnsemble:
        """The splits of all rounds."""
        return self.columns.splits(np.concatenate(self._logs))

    def _begin(self) -> None:
        self._logs = [np.empty((0, LINE))]
        self.coefficients: list[float] = []
        self._log_bound, self._loss, self._ended = 0.0, 1.0, False
        self._rows = _initial_state(self.training, self.columns, self._workers)
        if self.validation is not None:
            self.validation.forget()

    def round(self) -> Round | Stop:
        """Make one round of AdaBoost."""
        made = self.rounds(1)
        return made if isinstance(made, Stop) else made[0]

    def rounds(self, most: int, clock: Clock | None = None) -> RoundTable | Stop:
        """Make some rounds of AdaBoost, as many as take no time to speak of."""
        if self._ended:
            return Stop.PERFECT
        begins = self.first is not None and not self.coefficients
        log = np.zeros((1 if begins else min(most, self._at_once(clock)), LINE))
        made = self._make(log, False)
        if log[made - 1, STATUS] == WEAK:
            made -= 1
        if made == 0:
            return too_weak(log[0, WEIGHTED_ERROR], 2, not self.coefficients)
        if begins:
            self._replay_first(log)
        return self._take(log[:made], clock)

    def _replay_first(self, log: Vector) -> None:
        """Make the first round again, with the coefficient that was asked for."""
        assert self.first is not None
        self._rows = _initial_state(self.training, self.columns, self._workers)
        log[0, COEFFICIENT] = 2.0 * self.first
        self._make(log, True)

    def _at_once(self, clock: Clock | None) -> int:
        """Return the number of rounds for one call; fewer if little time is left."""
        most = max(1, min(_MOST, self._workers * _AT_ONCE // self._work))
        limited = clock is not None and clock.left < math.inf
        return min(most, max(1, len(self.coefficients))) if limited else most

    def _make(self, log: Vector, replay: bool) -> int:
        """Make the rounds of a log on all workers."""
        make_rounds, buckets = engine_of(log).boost_rounds.make_rounds, self.columns.buckets
        kind, rate, rows = (
            GINI if self.criterion == "gini" else ERROR,
            self.learning_rate,
            self._rows,
        )
        made, rest = [0] * self._workers, resting()

        def work(worker: int) -> None:
            made[worker] = make_rounds(
                buckets, rows, log, kind, rate, replay, worker, self._gate, rest
            )

        self.columns.workers.together(work, self._workers, self._gate)
        return made[0]

    def _take(self, log: Vector, clock: Clock | None = None) -> RoundTable:
        """Take note of rounds that were made."""
        before, coefficients = len(self.coefficients), log[:, COEFFICIENT]
        rounds = list(range(before + 1, before + len(log) + 1))
        seconds, error = 0.0 if clock is None else clock.seconds, log[:, WEIGHTED_ERROR]
        self._ended = bool(log[-1, STATUS] == PERFECT)
        losses = self._losses(log[:, LOG_Z])
        self._logs.append(log)
        self.coefficients += coefficients.tolist()
        columns = {
            "round": rounds,
            "seconds": [seconds] * len(log),
            "error": error.tolist(),
            "alpha": (0.5 * coefficients).tolist(),
            "loss": losses[1:],
            "bound": [0.0] if self._ended and rounds == [1] else losses[1:],
            "train_error": log[:, TRAIN_ERROR].tolist(),
            "before": losses[:-1],
            "slope": ((1.0 - 2.0 * error) * losses[:-1]).tolist(),
            "pull": losses[:-1],
            "cosine": log[:, COSINE].tolist(),
            "stop": [None] * (len(log) - 1) + [Stop.PERFECT if self._ended else None],
        }
        if self.validation is not None:
            columns["validation_error"] = self._validate(log, self.validation)
        return RoundTable(columns)

    def _losses(self, log_z: Vector) -> list[float]:
        """Return the loss before rounds and after each of them."""
        logarithms = np.cumsum([self._log_bound, *log_z.tolist()]).tolist()
        after = [math.exp(each) if each < _LARGEST else math.inf for each in logarithms[1:]]
        losses = [self._loss, *after]
        self._log_bound, self._loss = logarithms[-1], losses[-1]
        return losses

    def _validate(self, log: Vector, validation: RowVotes) -> list[float]:
        """Add the members' votes on the validation rows; return the error after each."""
        errors = []
        for member, alpha in zip(self.columns.splits(log), 0.5 * log[:, COEFFICIENT], strict=True):
            classes = member.left > 0.0, member.right > 0.0
            predicted = np.where(member.right_side(self.watched), classes[1], classes[0])
            errors.append(validation.add(predicted.astype(np.int32), float(alpha)))
        return errors

    def keep(self, n_rounds: int) -> None:
        """Drop the later rounds and play the others again, to the same bits."""
        self.resume(self.members[:n_rounds], self.coefficients[:n_rounds])

    def resume(self, members: Sequence[Split], coefficients: list[float]) -> None:
        """Take over an ensemble, with the weights that its rounds lead to."""
        self._begin()
        if not members:
            return
        log = np.array([self.columns.line(member) for member in members])
        log[:, COEFFICIENT] = coefficients
        self._make(log, True)
        self._take(log)


def _initial_state(training: RowVotes, columns: BucketedColumns, workers: int) -> Boosted:
    """Return the arrays of a training set before the first round."""
    n, buckets, share = len(training.label), columns.buckets, training.weight
    places, chunks = int(buckets.cell[-1]), -(-n // CHUNK)
    tally = np.zeros((workers, TALLY))
    tally[:, TOTAL], tally[:, STALE] = share.sum(), 1.0
    tally[:, SQUARES] = np.einsum("i,i", share, share)
    return Boosted(
        label=training.label.astype(np.uint8),
        share=share,
        weight=share.copy(),
        level=np.empty(n, np.int64),
        votes=np.zeros(n),
        side=np.zeros(n, np.uint8),
        wrong=np.empty(n, np.uint32),
        sums=np.empty((workers + 1 if workers > 1 else 1, 2 * places), np.int64),
        best=np.empty(len(buckets.lacking) - 1),
        hope=np.empty(len(buckets.lacking) - 1, np.bool_),
        chunk=np.zeros((chunks, 6)),
        gained=np.zeros((chunks, 2), np.int64),
        whole=np.zeros((workers, 2), np.int64),
        tally=tally,
        line=np.zeros((workers, LINE)),
    )

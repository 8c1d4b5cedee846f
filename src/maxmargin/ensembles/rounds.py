"""The only outer loop of ensembles: rounds, limits, progress, Ctrl-C and early stopping.

A booster makes one round at a time and knows nothing of clocks; the loop knows nothing of learning.
The first round is always made, since there is no model without one; limits are looked at after
every round, so that whatever stops the loop, the rounds made so far are a whole model. Where a
validation set is watched, those after its best round are dropped, whatever stopped the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from maxmargin.inputs.parameters import FLAG, Parameter, ParameterError, check_number, numeric
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock, TimeUp, outside
from maxmargin.progress import advance, muted

ROUNDING = 1e-12  # relative; two losses as near as this are equal
_NAN = float("nan")
_LATER = {"later": True}  # model files of releases without this number are read all the same


class Stop(Enum):
    """The reasons why boosting ends, with the message for each.

    Examples
    --------
    >>> Stop.PERFECT.sentence
    'The last weak learner makes no error, so nothing is left for another one.'
    """

    ROUNDS = "All rounds asked for were made."
    PERFECT = "The last weak learner makes no error, so nothing is left for another one."
    OPTIMAL = "No weak learner at all would raise the soft margin: it is the largest, to tol."
    TOO_WEAK = "The next weak learner is no better than chance or lowers no loss: it was left out."
    EARLY = "Validation stopped getting better; the rounds after the best one were dropped."
    CALLBACK = "The callback returned True; the rounds made until then were kept."
    TIME_LIMIT = "time_limit was reached; the rounds made until then were kept."
    INTERRUPTED = "The fit was interrupted; the rounds made until then were kept."

    @property
    def sentence(self) -> str:
        """The meaning in one sentence."""
        return self.value

    @property
    def final(self) -> bool:
        """Whether more rounds of the same kind would change nothing, however many are asked for."""
        return self in (Stop.PERFECT, Stop.OPTIMAL, Stop.TOO_WEAK, Stop.EARLY)


@dataclass(frozen=True)
class Round:
    """One round of boosting as numbers; nan where a number is not defined.

    Parameters
    ----------
    round : int
        Number of the round, from 1.
    seconds : float
        Since the fit began.
    error : float
        Weighted error of the round's weak learner.
    alpha : float
        Its coefficient.
    loss : float
        Mean training loss of the ensemble so far.
    bound : float
        Bound on the training error of the ensemble so far.
    train_error : float
        Training error of the ensemble so far.
    validation_error : float
        The ensemble's error on the validation set, which early stopping of AdaBoost watches.
    validation_loss : float
        Its mean loss there, which early stopping of the other boosters watches.
    before : float
        Mean training loss before the round.
    slope : float
        How fast that loss falls along the weak learner's values h on the training rows at first:
        the scalar product of h and the negative gradient. Where several functions take a step at
        once, that of the whole step.
    pull : float
        Sum of the gradient's entries in size; known where h is -1 or +1 alone.
    cosine : float
        Of the angle between the step and the negative gradient.
    gap : float
        By how much the loss is above its least at most, where there is a proof.
    stop : Stop or None
        Why no round can follow this one, if none can.

    Examples
    --------
    >>> print(Round(3, 0.25, error=0.1364, alpha=0.9229, train_error=0.0))
    round    3      0.25 s  error 0.1364  alpha 0.9229  train error 0
    """

    round: int
    seconds: float = 0.0
    error: float = _NAN
    alpha: float = _NAN
    loss: float = _NAN
    bound: float = _NAN
    train_error: float = _NAN
    validation_error: float = _NAN
    validation_loss: float = _NAN
    before: float = field(default=_NAN, metadata=_LATER)
    slope: float = field(default=_NAN, metadata=_LATER)
    pull: float = field(default=_NAN, metadata=_LATER)
    cosine: float = field(default=_NAN, metadata=_LATER)
    gap: float = field(default=_NAN, metadata=_LATER)
    stop: Stop | None = None

    def __str__(self) -> str:
        numbers = {
            "error": self.error,
            "alpha": self.alpha,
            "loss": self.loss,
            "bound": self.bound,
            "train error": self.train_error,
            "validation error": self.validation_error,
            "validation loss": self.validation_loss,
            "gap": self.gap,
        }
        known = [f"{name} {value:.4g}" for name, value in numbers.items() if not math.isnan(value)]
        return "  ".join([f"round {self.round:4d}  {self.seconds:8.2f} s", *known])


Callback = Callable[[Round], object]


class RoundTable(Sequence[Round]):
    """Rounds as columns of numbers, each made when it is asked for.

    Parameters
    ----------
    columns : dict
        Of lists by the names of ``Round``; numbers that are not among them have their default.

    Examples
    --------
    >>> table = RoundTable({"round": [1, 2], "error": [0.3, 0.2]})
    >>> print(table[-1])
    round    2      0.00 s  error 0.2
    """

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns["round"])

    @overload
    def __getitem__(self, index: int) -> Round: ...
    @overload
    def __getitem__(self, index: slice) -> RoundTable: ...
    def __getitem__(self, index: int | slice) -> Round | RoundTable:
        some: dict[str, Any] = {name: column[index] for name, column in self._columns.items()}
        return RoundTable(some) if isinstance(index, slice) else Round(**some)

    def column(self, name: str) -> NDArray[Any]:
        """Return one number of every round."""
        known = self._columns.get(name)
        return np.array([getattr(Round, name)] * len(self) if known is None else known)


class History:
    """A callback that stores every round, to be drawn later.

    Examples
    --------
    >>> from maxmargin.boosting import History, Round
    >>> history = History()
    >>> history(Round(1, error=0.3))
    >>> history(Round(2, error=0.2))
    >>> history.column("error")
    array([0.3, 0.2])
    """

    __plain__ = ("rounds",)

    def __init__(self, rounds: Iterable[Round] = ()) -> None:
        self._rounds = rounds if isinstance(rounds, RoundTable) else list(rounds)

    @property
    def rounds(self) -> list[Round]:
        """All of them; those of a table are made when they are first asked for."""
        if isinstance(self._rounds, RoundTable):
            self._rounds = list(self._rounds)
        return self._rounds

    @rounds.setter
    def rounds(self, rounds: list[Round]) -> None:
        self._rounds = rounds

    def __call__(self, made: Round) -> None:
        """Keep the round."""
        self.rounds.append(made)

    def extend(self, some: Sequence[Round]) -> None:
        """Keep some rounds; the first ones as they are."""
        if len(self) == 0 and isinstance(some, RoundTable):
            self._rounds = some
        else:
            self.rounds.extend(some)

    def first(self, n_rounds: int) -> History:
        """Return the history of the first of them."""
        return History(self._rounds[:n_rounds])

    def __iter__(self) -> Iterator[Round]:
        return iter(self.rounds)

    def __len__(self) -> int:
        return len(self._rounds)

    def __repr__(self) -> str:
        return f"History({len(self)} rounds)"

    @overload
    def __getitem__(self, index: int) -> Round: ...
    @overload
    def __getitem__(self, index: slice) -> list[Round]: ...
    def __getitem__(self, index: int | slice) -> Round | list[Round]:
        return self.rounds[index]

    def column(self, name: str) -> NDArray[Any]:
        """Return one number of every round, such as ``"error"`` or ``"seconds"``."""
        if isinstance(self._rounds, RoundTable):
            return self._rounds.column(name)
        return np.array([getattr(made, name) for made in self._rounds])


@dataclass(frozen=True)
class RoundLimits:
    """When to stop.

    Parameters
    ----------
    n_rounds : int
        Rounds to make from here on.
    clock : Clock
        Once it is over no further round is begun.
    callback : callable, default=None
        Called with every ``Round``; True stops.
    patience : int, default=None
        Rounds to wait for a lower validation loss or, without one, error; None never stops early.
    tol : float, default=0.0
        By how much it must fall to count as lower.
    one_by_one : bool, default=True
        Whether every round has to be reported before the next one begins; otherwise a booster that
        can makes many of them at a time.
    history : History, default=None
        Keeps all of them.
    """

    n_rounds: int
    clock: Clock = field(default_factory=Clock)
    callback: Callback | None = None
    patience: int | None = None
    tol: float = 0.0
    one_by_one: bool = True
    history: History | None = None


def _check_fraction(owner: str, name: str, value: Any) -> None:
    check_number(owner, name, value, 0.0, above=True)
    if value >= 1:
        raise ParameterError(
            f"The {name!r} parameter of {owner} must be below 1, so that rows are left to learn "
            f"from. Got {value!r} instead."
        )


ROUND_PARAMETERS: dict[str, Parameter] = {
    "n_estimators": numeric(1, whole=True),
    "learning_rate": numeric(0.0, above=True),
    "tol": numeric(0.0),
    "warm_start": FLAG,
    "validation_fraction": Parameter(_check_fraction),
    "n_iter_no_change": numeric(1, none=True, whole=True),
}
"""What the parameters of a model's rounds may be."""


class Booster(Protocol):
    """An ensemble that grows by one weak learner at a time."""

    def round(self) -> Round | Stop:
        """Make one round, or say why none can be made; all of it or, on an error, nothing."""
        ...

    def keep(self, n_rounds: int) -> None:
        """Return to the ensemble of the first ``n_rounds`` rounds, counted from the very first."""
        ...


class FastBooster(Booster, Protocol):
    """One that makes many rounds in less time than as many calls would take."""

    def rounds(self, most: int, clock: Clock | None) -> Sequence[Round] | Stop:
        """Make between one and ``most`` rounds, in less than about a tenth of a second.

        The last of them has the time on the clock.
        """
        ...


def boost(booster: Booster, limits: RoundLimits, before: Sequence[Round] | History = ()) -> Stop:
    """Make rounds until one of the limits is met or the booster can make no more.

    Parameters
    ----------
    booster : Booster
    limits : RoundLimits
    before : sequence of Round, default=()
        Rounds of an earlier call that this one continues; early stopping counts them.

    Returns
    -------
    stop : Stop
        Why it ended. With patience only the rounds up to the best on the validation set are left
        in the booster.
    """
    if limits.patience is None:
        return _make_rounds(booster, limits, None, any_made=len(before) > 0)
    patience = _Patience(limits.patience, limits.tol, before)
    stop = _make_rounds(booster, limits, patience, any_made=len(before) > 0)
    if patience.regrets:
        booster.keep(patience.best_round)
    return stop


def _make_rounds(
    booster: Booster, limits: RoundLimits, patience: _Patience | None, any_made: bool
) -> Stop:
    left = limits.n_rounds
    while left > 0:
        try:
            with muted():  # what fits members knows nothing of the rounds around it
                some = _some_rounds(booster, 1 if limits.one_by_one else left, limits.clock)
        except TimeUp:  # an inner clock found that ours is over
            return _cut_short(limits.clock, any_made)
        if isinstance(some, Stop):
            return some
        left, any_made = left - len(some), True
        if limits.history is not None:
            limits.history.extend(some)
        asked = limits.callback is not None and _call_back(limits.callback, some)
        asked |= advance(1.0 - left / limits.n_rounds)
        if patience is not None and patience.is_spent_by(some):
            return Stop.EARLY
        stop = _reason(some[-1], left, asked) or _out_of_time(limits.clock)
        if stop is not None:
            return stop
    return Stop.ROUNDS


def _call_back(callback: Callback, some: Sequence[Round]) -> bool:
    """Report rounds to a callback; return whether it asked to stop, by True and no other value."""
    answer: object = None
    for made in some:
        answer = callback(made)
    return isinstance(answer, bool | np.bool_) and bool(answer)


def _some_rounds(booster: Booster | FastBooster, most: int, clock: Clock) -> Sequence[Round] | Stop:
    """Make one round, or several if the booster can and no callback needs each."""
    if most > 1 and hasattr(booster, "rounds"):
        return booster.rounds(most, clock)
    made = booster.round()
    return made if isinstance(made, Stop) else [replace(made, seconds=clock.seconds)]


def _reason(made: Round, left: int, asked: bool) -> Stop | None:
    """Return the reason to stop after this round; reasons of the model come before outer limits."""
    if made.stop is not None:
        return made.stop
    if left == 0:
        return Stop.ROUNDS
    return Stop.CALLBACK if asked else None


def _cut_short(clock: Clock, any_made: bool) -> Stop:
    """Return why a round was not made; raise if there was none before it."""
    stop = _out_of_time(clock) if any_made else None  # raises where a clock around this one is over
    if stop is not None:
        return stop
    if clock.over() and clock.interrupted:
        raise KeyboardInterrupt
    if clock.over():
        raise TimeoutError(
            f"time_limit={clock.time_limit} was reached before the first weak learner was fitted; "
            "give more time, fewer rows or a faster learner."
        )
    raise TimeUp


def _out_of_time(clock: Clock) -> Stop | None:
    """Return TIME_LIMIT or INTERRUPTED if the clock is over, else None."""
    if not clock.over():
        return None
    if clock.interrupted:
        warn_user(f"INTERRUPTED: {Stop.INTERRUPTED.sentence}", ConvergenceWarning)
    return Stop.INTERRUPTED if clock.interrupted else Stop.TIME_LIMIT


class _Patience:
    """How long the validation loss or error has not fallen by ``tol``, and where it was lowest."""

    def __init__(self, patience: int, tol: float, before: Iterable[Round]) -> None:
        self._patience, self._tol = patience, tol
        self._reference = self._lowest = float("inf")
        self._idle = self.latest = self.best_round = 0
        self.is_spent_by(before)

    def is_spent_by(self, some: Iterable[Round]) -> bool:
        """Record more rounds; return whether to stop, which needs a validation set."""
        for made in some:
            self._record(made)
        return self.best_round > 0 and self._idle >= self._patience

    def _record(self, made: Round) -> None:
        without_loss = math.isnan(made.validation_loss)
        watched = made.validation_error if without_loss else made.validation_loss
        self.latest = made.round
        if _below(watched, self._lowest):
            self._lowest, self.best_round = watched, made.round
        fell = _below(watched, self._reference - self._tol)
        self._reference, self._idle = (watched, 0) if fell else (self._reference, self._idle + 1)

    @property
    def regrets(self) -> bool:
        """Whether there are rounds after the best one."""
        return 0 < self.best_round < self.latest


def _below(value: float, bar: float) -> bool:
    """Return whether a value is lower by more than rounding.

    Equal errors are sums of other weights, whose last bits differ, and on each processor otherwise.
    """
    return value < bar - (ROUNDING * abs(bar) if math.isfinite(bar) else 0.0)


def with_printing(callback: Callback | None, verbose: int) -> Callback | None:
    """Join a user's callback with printing every round, for ``verbose=1``."""
    callback = outside(callback)
    if not verbose:
        return callback

    def both(made: Round) -> object:
        print(made, flush=True)  # noqa: T201  (verbose=1 asks for it)
        return None if callback is None else callback(made)

    return both

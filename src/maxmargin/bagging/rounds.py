"""The rounds of bagging: draw a bag, learn a member, let it vote on the rows outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.bagging.bag import BagLearner
from maxmargin.bagging.bootstrap import Urn
from maxmargin.ensembles.rounds import Round
from maxmargin.ops.threads import count_threads, side_by_side

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

HIGHEST = np.iinfo(np.int32).max
"""Seeds are below."""
_DRAWS = 100  # until a bag has two classes; rarely more than one


@dataclass(frozen=True)
class BagSampler:
    """Where the bags come from."""

    label: Index
    weight: Vector | None
    urn: Urn

    def draw(self, random: np.random.RandomState) -> tuple[int, int, Index]:
        """Draw bags until one has two classes: most classifiers refuse one.

        Gives the seed of that bag, how many seeds it took, and the bag.
        """
        tries, mixed = 0, False
        while tries < _DRAWS and not mixed:
            seed, tries = int(random.randint(HIGHEST)), tries + 1
            bag = self.urn.draw(seed)
            mixed = bool((self.label[bag] != self.label[bag[0]]).any())
        return seed, tries, bag

    def error(self, votes: Vector) -> float:
        """Weigh the wrong ones among the rows with votes."""
        weight = np.ones(len(votes)) if self.weight is None else self.weight
        weight = np.where(votes.any(axis=1), weight, 0.0)
        wrong = votes.argmax(axis=1) != self.label
        total = float(weight.sum())
        return float(weight[wrong].sum()) / total if total else float("nan")


@dataclass
class BaggingState:
    """The members so far, and all else that a later fit needs to go on."""

    members: list[Any]
    bags: list[tuple[Urn, int]]
    errors: list[float]
    votes: Vector | None
    drawn: int

    def with_members(self, members: Sequence[Any]) -> BaggingState:
        """Return a copy with separate lists, so that a failing fit changes nothing."""
        votes = None if self.votes is None else self.votes.copy()
        return BaggingState([*members], [*self.bags], [*self.errors], votes, self.drawn)


@dataclass(frozen=True)
class NewMember:
    """A new member, and what it predicts of the rows outside its bag."""

    member: Any
    seed: int
    tries: int
    out: Index
    outside: Vector | None


class Bagging:
    """Makes a member a round; several are learnt side by side and then given out one by one."""

    def __init__(
        self,
        state: BaggingState,
        learner: BagLearner,
        sampler: BagSampler,
        random: np.random.RandomState,
        wanted: int,
        n_jobs: int | None,
    ) -> None:
        self._state, self._learner, self._sampler = state, learner, sampler
        self._random, self._wanted, self._n_jobs = random, wanted, n_jobs
        self._ready: list[NewMember] = []

    def round(self) -> Round:
        """Add one member."""
        if not self._ready:
            self._ready = self._learn_some()
        new, state = self._ready.pop(0), self._state
        state.members.append(new.member)
        state.bags.append((self._sampler.urn, new.seed))
        state.drawn += new.tries
        error = float("nan")
        if state.votes is not None and new.outside is not None:
            state.votes[new.out] += new.outside
            error = self._sampler.error(state.votes)
            state.errors.append(error)
        return Round(len(state.members), validation_error=error)

    def _learn_some(self) -> list[NewMember]:
        at_once = min(self._wanted, self._learner.at_once or count_threads(self._n_jobs))
        self._wanted -= at_once
        drawn = [self._sampler.draw(self._random) for _ in range(at_once)]
        return side_by_side(self._learn, drawn, self._n_jobs, at_once)

    def _learn(self, drawn: tuple[int, int, Index]) -> NewMember:
        seed, tries, bag = drawn
        member = self._learner.learn(bag, seed)
        if self._state.votes is None:
            return NewMember(member, seed, tries, bag[:0], None)
        out = np.flatnonzero(np.bincount(bag, minlength=len(self._sampler.label)) == 0)
        return NewMember(member, seed, tries, out, self._learner.predict_outside(member, out))

    def keep(self, n_rounds: int) -> None:
        """Without patience the loop has no reason to go back."""
        raise NotImplementedError

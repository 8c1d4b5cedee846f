"""Training of a cascade: stage after stage, each on the windows that those before it let pass.

    positives ──varied, split──▶ training and validation windows that pass all stages so far
    backgrounds ──mined──▶ windows without the object that pass all stages so far
                                  │
    FeatureSearch: every feature in order ──▶ train_stage: AdaBoost, threshold by validation faces
                                  │
    Stage ──▶ checkpoint ──▶ the next one, until there are enough, or no negatives are left

(Viola and Jones 2001, table 2.) A stage that passes d of the objects and f of the rest makes, with
K - 1 others like it, a cascade of rates d^K and f^K.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from maxmargin.inputs.atomic import check_destination
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock, TimeUp, watch
from maxmargin.ops.threads import Workers
from maxmargin.vision.backgrounds import Backgrounds
from maxmargin.vision.cascade import Cascade
from maxmargin.vision.checkpoint import StageRecord, checksum, read_checkpoint, write_checkpoint
from maxmargin.vision.compact import compact
from maxmargin.vision.image import Grey
from maxmargin.vision.mining import PASSES, Mined, Miner
from maxmargin.vision.plan import FEWEST, LastStage, Plan, check_run, choose_features
from maxmargin.vision.positives import Variation, read_positives
from maxmargin.vision.progress import CascadeProgress, Teller, with_printing
from maxmargin.vision.search import FeatureSearch
from maxmargin.vision.stage import Examples, StageGoal, StageRates, evaluated, passes, train_stage
from maxmargin.vision.tree import Stage
from maxmargin.vision.windows import check_window

Pixels = NDArray[np.uint8]

_SHOWN = 3  # files that a message names


class TrainingError(ValueError):
    """Raised if not even one stage could be trained."""


def train_cascade(
    positives: Any,
    backgrounds: Any,
    *,
    window: tuple[int, int] = (24, 24),
    stages: int = 20,
    min_detection: float = 0.995,
    max_false_positive: float = 0.5,
    features: Any = "haar",
    asymmetry: float = 1.0,
    max_features: int = 200,
    n_positives: int | None = None,
    n_negatives: int | None = None,
    validation: float = 0.2,
    variation: Variation | None = None,
    last: LastStage | None = None,
    max_bytes: int | None = 2 << 30,
    time_limit: float | None = None,
    on_interrupt: str = "raise",
    n_jobs: int | None = None,
    random_state: int = 0,
    callback: Teller | None = None,
    verbose: bool = False,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
) -> Cascade:
    """Train a detector of objects of one kind.

    Parameters
    ----------
    positives : path of a folder or an annotation file, or sequence of images
        Crops that show the object, of at least the size of the window and about its shape; or an
        annotation file of OpenCV (``info.txt``): in each line a path, a count, and x, y, width and
        height of each box.
    backgrounds : path of a folder or a list of files, or sequence of images
        Photographs without the object; a list has a path a line.
    window : (int, int), default=(24, 24)
        Width and height of the smallest object.
    stages : int, default=20
        Largest number of stages.
    min_detection : float, default=0.995
        Share of the validation objects that each stage must pass.
    max_false_positive : float, default=0.5
        Share of other windows that each stage may pass.
    features : {"haar", "lbp"}, HaarFeatures or LBPFeatures, default="haar"
        The features; every round searches all of them. "haar" means ``HaarFeatures(window)``.
    asymmetry : float, default=1.0
        The cost of a miss relative to a false positive, for AdaBoost.
    max_features : int, default=200
        Largest number of features of a stage.
    n_positives, n_negatives : int, default=None
        Training windows of each stage; None means all positives, and equally many negatives.
    validation : float, default=0.2
        Share of the crops held out to set thresholds, and the same share of negatives.
    variation : Variation, default=None
        Small changes that make more positives; None for their mirror images.
    last : LastStage, default=None
        A long stage behind these, trained in rounds on what it takes for the object; None for none.
    max_bytes : int, default=2**31
        Memory for features in order, 2 bytes a feature and window; those that do not fit are sorted
        again in every round. None keeps all.
    time_limit : float, default=None
        Seconds; a stage that is not complete by then is left out.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise, or return the complete stages where there is one.
    n_jobs : int, default=None
        Threads; the cascade does not depend on their number.
    random_state : int, default=0
    callback : callable, default=None
        Called with a ``CascadeProgress`` after every round and every stage.
    verbose : bool, default=False
        Whether to print a line a stage.
    checkpoint : path, default=None
        A file that is written after each stage.
    resume : path, default=None
        Such a file to go on from, with the same data and settings (but for ``stages``); it is also
        written to, unless ``checkpoint`` says otherwise. Of more stages than asked for the first
        are taken.

    Returns
    -------
    cascade : Cascade
        Fewer stages than asked for come with a warning that says why.

    Raises
    ------
    ImageError
        Where there is nothing to train on.
    TrainingError
        Where not even the first stage could be trained.
    KeyboardInterrupt
        Where Ctrl-C came before the first stage was complete.
    """
    window = check_window(window)
    check_run(time_limit, on_interrupt, n_jobs, variation, last)
    goal = StageGoal(min_detection, max_false_positive, max_features, asymmetry)
    sizes = n_positives, n_negatives, validation, max_bytes
    plan = Plan(choose_features(features, window), stages, goal, *sizes, random_state, last)
    written = _destination(checkpoint, resume)
    with watch(time_limit, on_interrupt) as clock, Workers(n_jobs) as workers:
        crops, notes = read_positives(positives, window, plan.features)
        _warn_of("positives", notes)
        varied, scenes = variation or Variation(), Backgrounds(backgrounds, window)
        tell = with_printing(callback, verbose)
        training = _Training(plan, crops, varied, scenes, clock, workers, tell)
        if resume is not None:
            training.go_on_from(Path(resume))
        return training.run(written)


def _destination(checkpoint: str | Path | None, resume: str | Path | None) -> Path | None:
    """Return the file for stages; raise now for errors that would appear after the first one."""
    given = resume if checkpoint is None else checkpoint
    if given is None:
        return None
    path = Path(given)
    if checkpoint is not None or path.exists():  # a missing checkpoint has a separate message
        check_destination(path)
    return path


def _warn_of(what: str, notes: list[str]) -> None:
    if notes:
        more = f" (and {len(notes) - _SHOWN} more)" if len(notes) > _SHOWN else ""
        warn_user(f"{len(notes)} {what} are left out: {' '.join(notes[:_SHOWN])}{more}")


@dataclass
class _Training:
    """Stages so far, and what the next one needs."""

    plan: Plan
    crops: list[Grey]
    variation: Variation
    backgrounds: Backgrounds
    clock: Clock
    workers: Workers
    tell: Teller
    stages: list[Stage] = field(default_factory=list)
    records: list[StageRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        seed = self.plan.seed
        self._miner = Miner(self.backgrounds, self.plan.features, seed, self.workers)
        order = np.random.default_rng([seed, 1]).permutation(len(self.crops))
        apart = round(self.plan.validation * len(order))
        if min(apart, len(order) - apart) < 1:
            raise TrainingError(
                f"{len(order)} positives are too few to put validation={self.plan.validation} of "
                "them aside and keep some; give more, or another share."
            )
        parts = [[self.crops[k] for k in rows] for rows in (order[apart:], order[:apart])]
        self._all = [self._varied(part) for part in parts]
        self._training, self._validation = self._all
        self._took: float = np.nan

    @cached_property
    def _settings(self) -> dict[str, Any]:
        """What a checkpoint is only good for; backgrounds are not read for it without one."""
        return plan_and_data(self.plan, self._all, self.backgrounds)

    @property
    def _count(self) -> int:
        """How many stages there are to be."""
        return self.plan.stages + (self.plan.last is not None)

    def _varied(self, crops: list[Grey]) -> Pixels:
        """Make windows of crops; of copies those that became too flat to be found are left out."""
        features = self.plan.features
        windows = self.variation.windows(crops, features.window, self.plan.seed)
        return windows[evaluated(features, windows)]

    def go_on_from(self, path: Path) -> None:
        """Take the stages of a checkpoint."""
        parts = read_checkpoint(path, self._settings, self.plan.features)
        self.stages, self.records = parts[0][: self.plan.stages], parts[1][: self.plan.stages]
        for stage in self.stages:
            self._drop_missed(stage)

    def run(self, checkpoint: Path | None) -> Cascade:
        """Train the stages that are not there yet."""
        while len(self.stages) < self.plan.stages:
            why = self._next()
            if why:
                self._cut_short(why)
                break
            if checkpoint:
                write_checkpoint(checkpoint, self._settings, self.stages, self.records)
        else:
            self._end()
        _warn_of("background images", self.backgrounds.notes)
        self._warn_of_goals()
        return compact(self.plan.features, self.stages)

    def _cut_short(self, why: str) -> None:
        if not self.stages:
            if self.clock.interrupted:
                raise KeyboardInterrupt
            raise TrainingError(f"Not even one stage could be trained: {why}")
        count = f"{len(self.stages)} of {self._count} stages"
        warn_user(f"The cascade has {count}: {why}", ConvergenceWarning)

    def _warn_of_goals(self) -> None:
        """Name the stages that pass more than they should."""
        goal = self.plan.goal
        missed = [
            f"{number} ({record.false_positive:.3g} with {record.features} features)"
            for number, record in enumerate(self.records[: self.plan.stages], 1)
            if record.false_positive > goal.max_false_positive
        ]
        if missed:
            what = f"more of the other windows than max_false_positive={goal.max_false_positive}"
            how = "raise max_features or max_false_positive, or lower min_detection"
            warn_user(f"Stages that pass {what}: {', '.join(missed)}; {how}.", ConvergenceWarning)

    def _next(self) -> str:
        """Train a stage, or say why there is none."""
        begun = perf_counter()
        try:
            mined = self._mine()
            objects, checked = self._drawn(), self._validation
            if len(mined.windows) < max(FEWEST, self._wanted(objects) // 4):
                return self._out_of_negatives(mined, self._wanted(objects))
            if min(len(objects), len(checked)) < 1:
                return "no positives are left that pass all stages; raise min_detection."
            trained = self._train_stage(objects, mined, self.plan.goal)
        except TimeUp:
            return self._time_is_up()
        if trained is None:
            return "no feature separates the positives from the negatives of the next stage."
        self._took = perf_counter() - begun
        self._take(*trained, len(objects), mined)
        return ""

    def _end(self) -> None:
        """Train the long stage behind all others, if there is to be one; checkpoints lack it."""
        if self.plan.last is None:
            return
        try:
            made = self._gathered(self.plan.last)
        except TimeUp:
            made = self._time_is_up()
        if isinstance(made, str):
            self._cut_short(f"without its last one: {made}")
        else:
            self._take(*made)

    def _gathered(self, last: LastStage) -> Any:
        """Train it in rounds, each on the negatives of all so far; or say why it cannot be."""
        objects, mined, stages = self._training, None, self.stages
        wanted = last.n_negatives or self._wanted(self._drawn())
        clock, passes = self.clock, last.passes
        for turn, goal in enumerate(last.goals(self.plan.goal)):
            cascade = compact(self.plan.features, stages)
            new = self._miner.mine(cascade, wanted, self.plan.stages + turn, clock, passes)
            mined = new if mined is None else mined.joined(new)
            if len(mined.windows) < FEWEST or min(len(objects), len(self._validation)) < 1:
                return self._out_of_negatives(mined, wanted, passes)
            trained = self._train_stage(objects, mined, goal)
            if trained is None:
                return "no feature separates the positives from its negatives."
            stage, rates = trained
            stages = [*self.stages, stage]
        return stages[-1], rates, len(objects), mined

    def _time_is_up(self) -> str:
        if self.clock.interrupted:
            return "it was interrupted."
        how = "a checkpoint lets it go on" if self.stages else "give it more time"
        return f"time_limit={self.clock.time_limit} was reached; {how}."

    def _take(self, stage: Stage, rates: StageRates, positives: int, mined: Mined) -> None:
        self.stages.append(stage)
        self._drop_missed(stage)
        negatives = len(mined.windows) - self._aside(len(mined.windows))
        shares = rates.detection, rates.false_positive
        sizes = positives, negatives, mined.scanned
        self.records.append(StageRecord(len(stage.trees), *shares, *sizes, mined.rate))
        self._say(len(stage.trees), rates, mined, done=True)

    def _say(self, features: int, rates: StageRates, mined: Mined, *, done: bool) -> None:
        number = len(self.stages) + (not done)
        left = min(self._took * (self._count - number), self.clock.left)
        self.tell(
            CascadeProgress(
                number,
                self._count,
                features,
                rates.detection,
                rates.false_positive,
                mined.scanned,
                mined.rate,
                self.clock.seconds,
                left,
                done,
            )
        )

    # windows

    def _drawn(self) -> Pixels:
        """Take some of the positives that are left."""
        most = self.plan.n_positives
        if most is None or most >= len(self._training):
            return self._training
        rng = np.random.default_rng([self.plan.seed, 2, len(self.stages)])
        return self._training[np.sort(rng.choice(len(self._training), most, replace=False))]

    def _wanted(self, objects: Pixels) -> int:
        """Count the negatives to look for, those of the validation among them."""
        train = self.plan.n_negatives or max(len(objects), FEWEST)
        return round(train / (1.0 - self.plan.validation))

    def _mine(self) -> Mined:
        cascade = compact(self.plan.features, self.stages) if self.stages else None
        wanted = self._wanted(self._drawn())
        return self._miner.mine(cascade, wanted, len(self.stages), self.clock)

    def _aside(self, negatives: int) -> int:
        return max(1, round(self.plan.validation * negatives))

    def _train_stage(
        self, objects: Pixels, mined: Mined, goal: StageGoal
    ) -> tuple[Stage, StageRates] | None:
        features, number = self.plan.features, len(self.stages)
        order = np.random.default_rng([self.plan.seed, 3, number]).permutation(len(mined.windows))
        apart = self._aside(len(order))
        training = Examples(features, objects, mined.windows[np.sort(order[apart:])])
        checked = Examples(features, self._validation, mined.windows[np.sort(order[:apart])])
        search = FeatureSearch(features, training.windows, self.workers, self.plan.max_bytes)

        def report(count: int, rates: StageRates) -> None:
            self._say(count, rates, mined, done=False)

        return train_stage(search, training, checked, goal, self.clock, report)

    def _drop_missed(self, stage: Stage) -> None:
        """Leave out positives that a stage rejects: those after it never see them."""
        self._training, self._validation = (
            windows[passes(self.plan.features, stage, windows)]
            for windows in (self._training, self._validation)
        )

    def _out_of_negatives(self, mined: Mined, wanted: int, passes: int = PASSES) -> str:
        notes = self.backgrounds.notes
        why = f"only {len(mined.windows)} of {wanted} negatives were found: "
        why += f"of {mined.scanned:,} background windows in {passes} passes, turned and mirrored, "
        if self.stages:
            why += f"{mined.passed:,} pass the stages so far, at a rate of {mined.rate:.1e}; "
        else:
            why += f"{len(mined.windows) + mined.flat:,} were drawn; "
        if mined.flat:
            why += f"{mined.flat:,} deviate by no more than 10 of 255 greys and are not evaluated; "
        why += f"give more background images{' that vary' * (mined.flat > 0)}"
        why += " or a smaller n_negatives."
        if notes and not self.stages:  # otherwise a warning names them
            why += f" {len(notes)} images could not be used: {' '.join(notes[:_SHOWN])}"
        return why


def plan_and_data(plan: Plan, positives: list[Pixels], backgrounds: Backgrounds) -> dict[str, Any]:
    """Return all inputs of the stages, which a checkpoint must match."""
    data = {"positives": checksum(*positives), "backgrounds": backgrounds.digest()}
    return plan.settings() | data

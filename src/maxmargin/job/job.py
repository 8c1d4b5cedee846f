"""The main job: put test rows aside, hold the contest on the others, look at the test rows once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from threadpoolctl import threadpool_limits

from maxmargin.evaluation import TestVault, Trail, Use
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.evaluation.trail import uses_of_folds
from maxmargin.job.additive_models import GLASS_BOX
from maxmargin.job.background_compiler import compiler
from maxmargin.job.budget import DEFAULT, REPORT, Budget
from maxmargin.job.chronology import latest_rows, note_on_time
from maxmargin.job.contest import Contest, hold_contest
from maxmargin.job.device import check_device
from maxmargin.job.duel import BY_FOLDS, BY_HALVES
from maxmargin.job.examination import examine, importances
from maxmargin.job.explanation import Reason, Typical, explain, learn_typical
from maxmargin.job.family import family_of
from maxmargin.job.finish import Asked, finish, judge_costs, judge_level
from maxmargin.job.metric import are_unequal, choose_metric, scorer_of, sought_of
from maxmargin.job.outcome import Importance, Outcome, TestResult, faults_of, samples_of
from maxmargin.job.progress import Progress, Teller, silent
from maxmargin.job.rules import Rules
from maxmargin.job.suspicion import find_suspects
from maxmargin.job.tree_models import MORE
from maxmargin.job.trial import by_class
from maxmargin.job.wanted import Wanted
from maxmargin.ops.clock import TimeUp, watch
from maxmargin.tables import InputError, Table

TUNING_ROWS = 5000
_SEEDS = 2**31
_TEST_ROWS = 5  # enough of them to do without proportions where a class is too rare for them


@dataclass(frozen=True)
class Replay:
    """What a run decided by the clock or by Ctrl-C, so that a repeat decides the same.

    Parameters
    ----------
    left_out : mapping of str to str
        Models without a result, and why.
    behind : mapping of str to str
        Models that did not go on since others were better, and by what.
    used_folds : int or None
        Folds that models were compared on; None for all.
    sampled : mapping of str to int
        Models that learned from a sample, and from how many rows.
    deepened : sequence of str
        Finer searches that were made.
    fitted : sequence of str or None
        Models that were fitted to all rows.
    test : str
        How the best two were compared.
    importances : bool
        Whether columns were shuffled.
    reasons : bool
        Whether rows were explained, where that was asked for.
    """

    left_out: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)
    used_folds: int | None = None
    sampled: Mapping[str, int] = field(default_factory=dict)
    deepened: Sequence[str] = ()
    fitted: Sequence[str] | None = None
    test: str = BY_HALVES
    importances: bool = True
    reasons: bool = True


@dataclass(frozen=True)
class Job:
    """What the user asked for; checked when made.

    Parameters
    ----------
    models : sequence of str
        Names of the family; nothing for all.
    metric : str or None
        scikit-learn's name of what models are compared by; None for the rule.
    test_size : float
        Share of the rows that is put aside.
    folds : int
    time_budget : float or None
        Seconds; None for no limit.
    class_weight : {"balanced", "none"} or None
        None tunes it where the metric counts classes, and weighs none elsewhere.
    seed : int
    n_jobs : int or None
        Threads; the result does not depend on it.
    tuning_rows : int
        Parameters are chosen on so many rows at most.
    spent : float
        Seconds of the budget that are gone before the job begins.
    replay : Replay or None
        Of a run that is repeated; the clock then decides nothing.
    cost : str or None
        What mistakes cost, such as "missed=10,false=1".
    interval : str or None
        How often intervals of quantities hold the truth, such as "90%", or "none".
    explain : int
        Columns by which each prediction is explained.
    blend : bool
        Whether an average of the best models may win.
    device : str
        Where models run that can run on a card: "cpu", "cuda", "cuda:1" or "auto".

    Examples
    --------
    >>> Job(folds=1)
    Traceback (most recent call last):
    maxmargin.tables.error.InputError: --folds is 2 or more, and not 1.
    """

    models: Sequence[str] = ()
    metric: str | None = None
    test_size: float = 0.2
    folds: int = 5
    time_budget: float | None = DEFAULT
    class_weight: str | None = None
    seed: int = 0
    n_jobs: int | None = None
    tuning_rows: int = TUNING_ROWS
    spent: float = 0.0
    replay: Replay | None = None
    cost: str | None = None
    interval: str | None = None
    explain: int = 0
    blend: bool = True
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not 0.0 < self.test_size < 1.0:
            raise InputError(f"--test-size is a share between 0 and 1, and not {self.test_size:g}.")
        if self.folds < 2 or self.folds % 1:
            raise InputError(f"--folds is 2 or more, and not {self.folds}.")
        if self.class_weight not in (None, "balanced", "none"):
            raise InputError(f"--class-weight is balanced or none, and not {self.class_weight!r}.")
        if not 0 <= self.seed < _SEEDS:
            raise InputError(f"--seed is a number from 0 to {_SEEDS - 1}, and not {self.seed}.")
        if self.explain < 0:
            raise InputError(f"--explain is a number of columns, and not {self.explain}.")
        check_device(self.device)


def run_job(job: Job, table: Table, progress: Teller = silent, command: str = "") -> Outcome:
    """Choose among the family and judge the winner on rows that nobody had seen.

    Parameters
    ----------
    job : Job
    table : Table
    progress : callable
        Told where the job is.
    command : str
        What to type to get the same again.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        Where something about the table has to be put right.
    KeyboardInterrupt
        After Ctrl-C before any model was done, or after a second one.
    """
    with _undisturbed():
        return _Work(job, table, progress).finish(command)


def run_comparison(job: Job, table: Table, progress: Teller = silent) -> Contest:
    """Compare the family on all rows: no test rows, no model to keep.

    Parameters
    ----------
    job : Job
    table : Table
    progress : callable

    Returns
    -------
    Contest
    """
    with _undisturbed():
        rows = EvaluationRows.of(table.features, table.target, table.groups)
        return _Work(replace(job, blend=False), table, progress).contest(rows)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let nobody be warned: what a fit could not prove stands in its entry.

    scikit-learn's loops get one thread, so that their sums do not depend on how many there are.
    """
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        yield


class _Work:
    """A job on its table, with its clock."""

    def __init__(self, job: Job, table: Table, tell: Teller) -> None:
        self.job, self.table, self.tell = job, table, tell
        self.notes: list[str] = []
        self.budget = Budget(None if job.replay else job.time_budget, job.spent)
        self.asked = Asked.of(table, job.cost, job.interval)
        metric = choose_metric(table, job.metric, by_rank=job.cost is not None)
        self.candidates = family_of(table.schema.task, job.models, table)
        self.rules = Rules(
            table,
            metric,
            _wanted(job, table, metric),
            job.folds,
            job.seed,
            blend=job.blend,
            **_replayed(job.replay),
        )

    def contest(self, rows: EvaluationRows) -> Contest:
        """Hold the contest, with loops compiled beside it where there is a time budget."""
        needed = [name for each in self.candidates for name in each.compiles]
        try:
            if self.budget.total is not None:
                compiler.begin([*dict.fromkeys(needed)])
            facts = self.rules, rows, self.candidates, self.budget, self.tell
            return hold_contest(*facts, compiler)
        finally:
            compiler.end()

    def vault(self) -> TestVault:
        """Put test rows aside, classes in proportion where every class has enough rows."""
        rows = len(self.table.target)
        if self.table.timeline is not None:
            return self._vault_of_latest()
        some = rows * self.job.test_size >= _TEST_ROWS
        for stratify in [True, False] if self.rules.classify and some else [self.rules.classify]:
            try:
                vault = self._vault(stratify)
            except ValueError:
                continue
            self._remark(stratify)
            return vault
        raise InputError(
            f"{rows} rows cannot be split into training and test rows"
            f"{' that both hold every class' if self.rules.classify else ''}: give more rows, or"
            " another --test-size."
        )

    def _vault_of_latest(self) -> TestVault:
        """Put the latest rows aside."""
        held = latest_rows(self.table, self.job.test_size)
        self.notes.append(note_on_time(self.table, held, self.job.test_size))
        return TestVault(self.table.features, self.table.target, held=held)

    def _remark(self, stratify: bool) -> None:
        if self.rules.classify and not stratify:
            self.notes.append(
                "Some class is too rare to be shared out in proportion: the test rows are any rows."
            )

    def _vault(self, stratify: bool) -> TestVault:
        return TestVault(
            self.table.features,
            self.table.target,
            test_size=self.job.test_size,
            groups=self.table.groups,
            stratify=stratify,
            random_state=self.job.seed,
        )

    def finish(self, command: str) -> Outcome:
        vault = self.vault()
        kept = EvaluationRows(vault.X, vault.y, vault.groups, None, vault.rows)
        contest = self.contest(kept)
        winner, *others = contest.done
        model = contest.models[winner.name]
        self._tell("test rows")
        baseline = contest.models.get("baseline")
        assert winner.run is not None
        judgements = contest.judgements[winner.name]
        finished = finish(self.asked, self.table, model, winner.run.folds, judgements)
        result, X = examine(self.rules, vault, finished.model, baseline, winner.title)
        shuffled = self._importances(finished.model, X, result)
        typical = learn_typical(vault.X)
        reasons = self._reasons(finished.model, typical, X)
        notes = (*self._notes(contest, len(kept)), *contest.notes, *finished.notes)
        notes += () if reasons or not self.job.explain else ("There was no time to explain rows.",)
        notes += () if shuffled is not None else ("There was no time to shuffle columns.",)
        return Outcome(
            table=self.table,
            metric=self.rules.metric,
            entries=contest.entries,
            winner=winner.name,
            runner_up=others[0].name if others else "",
            verdict=contest.verdict,
            model=model,
            test=result,
            suspects=find_suspects(self.table, winner.run.folds, contest.judgements[winner.name]),
            importances=shuffled or (),
            trail=self._trail(contest, vault),
            command=command,
            seed=self.job.seed,
            seconds=self.budget.seconds,
            notes=notes,
            train=(vault.X, vault.y),
            job=self.job,
            predictor=finished.model,
            cost=judge_costs(finished, result, X),
            intervals=judge_level(finished, result, X),
            typical=typical,
            reasons=reasons,
            shapes=contest.models.get(GLASS_BOX),
        )

    def _tell(self, what: str) -> None:
        self.tell(Progress(what, "", 1.0, self.budget.seconds, 0.0))

    def _importances(self, model: Any, X: Any, result: TestResult) -> tuple[Importance, ...] | None:
        """Shuffle columns if there is time; None if there is not."""
        if self.job.replay is not None and not self.job.replay.importances:
            return None
        found, total = None, self.budget.total
        limit = None if total is None else min(self.budget.left / 2, REPORT * total)
        self._tell("importance of columns")
        with self.budget.until_interrupted():
            try:
                with watch(limit):
                    found = importances(self.rules, model, X, result.truth)
            except TimeUp:
                return None
        return found

    def _reasons(self, model: Any, typical: Typical, X: Any) -> list[list[Reason]] | None:
        """Explain the test rows if that was asked for and there is time."""
        replay, most = self.job.replay, self.job.explain
        if not most or (replay is not None and not replay.reasons):
            return None
        self._tell("explanations")
        with self.budget.until_interrupted():
            try:
                with watch(None if self.budget.total is None else self.budget.left / 2):
                    return explain(model, self.table.schema, typical, X, most)
            except TimeUp:
                return None
        return None

    def _trail(self, contest: Contest, vault: TestVault) -> Trail:
        run = contest.done[0].run
        uses = uses_of_folds(run.folds if run is not None else ())
        uses += [Use("refit", "train", vault.rows), Use("look 1", "test", vault.test_rows)]
        return Trail(tuple(uses), len(self.table.target))

    def _notes(self, contest: Contest, rows: int) -> list[str]:
        notes, kept = [*self.notes], len(self.table.target)
        if self.budget.interrupted:
            notes.append("Ctrl-C ended the work early: this is what was done by then.")
        faults = faults_of(contest.entries)
        if faults:
            notes.append(
                f"Models are missing by a fault of maxmargin, please report it ({faults})."
            )
        stopped = [each.title for each in contest.entries if each.status == "stopped"]
        if stopped and not self.budget.interrupted:
            notes.append(f"Not finished: {', '.join(stopped)}.")
        samples = samples_of(contest.entries, rows)
        notes += [samples] if samples else []
        by_rule = self.job.metric is None and self.job.cost is None
        if are_unequal(self.table) and by_rule:
            more = ", and whether all classes weigh the same is tuned"
            notes.append(
                "The classes are unequal, so models are compared by balanced accuracy"
                f"{more if self.job.class_weight is None else ''}."
            )
        if kept * (1.0 - self.job.test_size) > self.job.tuning_rows:
            some = self.job.tuning_rows
            tried = {each.name for each in self.candidates} & {"boosting", "boosted-trees"}
            more = f", those of boosting on {MORE * some:g}" if tried else ""
            notes.append(f"Parameters were chosen on {some} rows of each training part{more}.")
        return notes


def _wanted(job: Job, table: Table, metric: str) -> Wanted:
    """Say what models are built with; weights of classes are tuned where classes count."""
    weigh = job.class_weight is None and by_class(metric)
    return Wanted(
        metric=scorer_of(metric, sought_of(table)),
        class_weight="balanced" if weigh or job.class_weight == "balanced" else None,
        weigh=weigh,
        seed=job.seed,
        n_jobs=job.n_jobs,
        tuning_rows=job.tuning_rows,
        device=job.device,
    )


def _replayed(replay: Replay | None) -> dict[str, Any]:
    """Return the rules that a run before has set."""
    if replay is None:
        return {}
    return {
        "left_out": replay.left_out,
        "behind": replay.behind,
        "used_folds": replay.used_folds,
        "sampled": replay.sampled,
        "deepened": tuple(replay.deepened),
        "fitted": None if replay.fitted is None else tuple(replay.fitted),
        "test": replay.test,
    }


def replay_of(outcome: Outcome) -> Replay:
    """Note what the clock and Ctrl-C decided.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    Replay
    """
    left_out, behind = (
        {each.name: each.reason for each in outcome.entries if each.status == status}
        for status in ("stopped", "behind")
    )
    winner = outcome[outcome.winner].run
    folds = None if winner is None else len(winner.folds)
    deeper = [each.name for each in family_of(outcome.table.schema.task) if each.deepens]
    deepened = [each.name for each in outcome.entries if each.name in deeper]
    fitted = [each.name for each in outcome.entries if each.fitted]
    test = BY_FOLDS if outcome.verdict is None else outcome.verdict.test
    explained = outcome.reasons is not None
    return Replay(
        left_out,
        behind,
        folds,
        {each.name: each.sampled_rows for each in outcome.entries if each.sampled_rows},
        deepened,
        fitted,
        test,
        bool(outcome.importances),
        explained,
    )

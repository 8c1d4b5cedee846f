"""The fit of boosted models of any loss: read, boost, recover."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from maxmargin import losses
from maxmargin.boosting.additive_model import AdditiveModel, Vector
from maxmargin.boosting.corrective import CORRECTIVE_PARAMETERS, refuse_first
from maxmargin.boosting.direction import is_presorted, learner_for
from maxmargin.boosting.gradient import AdditiveFunction, GradientBooster, HeldOut
from maxmargin.boosting.objective import Objective
from maxmargin.boosting.step import StepRule
from maxmargin.boosting.training_set import Index, TargetRows, Targets, ValidationArguments
from maxmargin.ensembles.continuation import fingerprint, refuse_other_data, refuse_other_problem
from maxmargin.ensembles.rounds import (
    ROUND_PARAMETERS,
    History,
    RoundLimits,
    Stop,
    boost,
    with_printing,
)
from maxmargin.inputs.parameters import (
    Parameter,
    ParameterError,
    check_choice,
    check_declared,
    check_number,
    one_of,
)
from maxmargin.inputs.table import is_left_open, missing_columns, read
from maxmargin.inputs.warning import warn_user
from maxmargin.inputs.weights import read_weight
from maxmargin.losses import Loss
from maxmargin.ops.clock import Clock, watch
from maxmargin.ops.threads import Workers
from maxmargin.trees.stump import LEAF_SHARE, RegressionStump
from maxmargin.trees.stump_ensemble import StumpEnsemble

_BEFORE = {"corrective": False, "ridge": None}  # of models without these


def _check_step(owner: str, name: str, value: Any) -> None:
    if isinstance(value, str):
        check_choice(owner, name, value, ("auto", "leaves", "line_search"))
    else:
        check_number(owner, name, value, 0.0, above=True)


class AdditiveFit(AdditiveModel):
    """Sums of weak learners, descended one by one.

    A subclass reads its targets (``_targets``) and says what is minimised (``_objectives``). One
    that can fit all coefficients together has the parameters ``corrective`` and ``ridge``.
    """

    _parameters: ClassVar[dict[str, Parameter]] = {
        **ROUND_PARAMETERS,
        **CORRECTIVE_PARAMETERS,
        "init": one_of("constant", "zero", "first"),
        "step": Parameter(_check_step),
        "min_weight_fraction_leaf": LEAF_SHARE,
    }
    _takes_numbers: ClassVar[bool] = True
    """Whether targets are numbers rather than classes."""

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, given: ValidationArguments, *groups: Any
    ) -> Self:
        self._check_parameters()
        with watch(self.time_limit, self.on_interrupt) as clock, ExitStack() as stack:
            earlier = self._earlier() if self.warm_start else None
            sample = self._read_training(X, y, sample_weight, earlier is None, *groups)
            self._had_missing = missing_columns(sample.X)
            validation = self._read_watched(given) if given.given else None
            self._begin(earlier, sample, validation)
            rows = sample.rows
            if self.n_iter_no_change is not None and validation is None:
                rows, held_out = self._hold_out(sample)
                validation = sample.part(held_out)
            workers = stack.enter_context(Workers(self.n_jobs))
            booster = self._booster(sample.part(rows), validation, workers, clock, stack)
            self._boost(booster, earlier, clock)
        return self

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, reset: bool, *groups: Any
    ) -> TargetRows:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        given, numeric = self._categorical_given(), self._takes_numbers
        X, y = read(self, X, y, reset=reset, y_numeric=numeric, categorical=given)
        self._refuse_missing(X)
        targets = self._targets(y, reset, *groups)
        weight = _rescaled(read_weight(sample_weight, X.shape[0])) * self._factors(targets)
        sample = TargetRows(X, targets, _rescaled(weight))
        self._check_targets(sample)
        return sample

    def _categorical_given(self) -> Any:
        """Return the categorical columns: those of the stump, unless this model names others."""
        if not is_presorted(self.estimator):
            return self.categorical_features if self._reads_categories else None
        own = self.estimator is None or not is_left_open(self.categorical_features)
        return self.categorical_features if own else self.estimator.categorical_features

    def _read_watched(self, watched: ValidationArguments) -> TargetRows:
        """Read the validation rows that were passed to ``fit``."""
        X, y = read(self, watched.X, watched.y, reset=False, y_numeric=self._takes_numbers)
        self._refuse_missing(X)
        weight = read_weight(watched.sample_weight, X.shape[0], "sample_weight_val")
        sample = TargetRows(X, self._known_targets(y, *watched.groups), _rescaled(weight))
        return sample.part(sample.rows)

    def _begin(
        self, earlier: AdditiveModel | None, sample: TargetRows, watch: TargetRows | None
    ) -> None:
        """Note what is begun; what goes on must be the same."""
        problem = {
            "loss": self.loss,
            "init": self.init,
            "corrective": self._is_corrective(),
            "ridge": self.ridge if self._is_corrective() else None,
            "categorical_features": self.categorical_features,
            "validation_fraction": None
            if self.n_iter_no_change is None or watch is not None
            else self.validation_fraction,
        }
        parts = [sample.X, *sample.targets, sample.weight]
        if watch is not None:
            parts += [watch.X, *watch.targets, watch.weight]
        data = fingerprint(*parts)
        if earlier is None:
            self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        else:
            refuse_other_problem(_BEFORE | earlier._problem, problem)
            refuse_other_data(earlier._data, data)
        self._problem, self._data = problem, data

    def _targets(self, y: NDArray[Any], reset: bool, *groups: Any) -> Targets:
        raise NotImplementedError

    def _known_targets(self, y: NDArray[Any], *groups: Any) -> Targets:
        """Read targets of rows to watch."""
        return self._targets(y, False, *groups)

    def _factors(self, targets: Targets) -> Any:  # noqa: ARG002
        """Return the factors by which the weights of rows are multiplied."""
        return 1.0

    def _check_targets(self, sample: TargetRows) -> None:
        """Raise for targets for which the loss is undefined."""

    def _objectives(self, sample: TargetRows, workers: Workers) -> list[Objective]:
        raise NotImplementedError

    def _train_error(self, sample: TargetRows, workers: Workers) -> Any:  # noqa: ARG002
        """Return a function from predictions to the training error, or None if it is undefined."""
        return None

    def _split_targets(self, targets: Targets) -> NDArray[Any] | None:  # noqa: ARG002
        """Return the labels that stratify the validation set, if any."""
        return None

    def _hold_out(self, sample: TargetRows) -> tuple[Index, Index]:
        """Draw rows to stop early by, evenly from each class, which keeps one at least."""
        rows = sample.rows
        rng = np.random.RandomState(self._seed)
        labels = self._split_targets(tuple(target[rows] for target in sample.targets))
        labels = np.zeros(len(rows), np.intp) if labels is None else labels
        chosen = np.zeros(len(rows), dtype=bool)
        for label in np.unique(labels):
            members = rng.permutation(np.flatnonzero(labels == label))
            count = min(round(self.validation_fraction * len(members)), len(members) - 1)
            chosen[members[:count]] = True
        if not chosen.any():
            raise ValueError(
                f"validation_fraction={self.validation_fraction} of {len(rows)} rows leaves no "
                "rows to validate on; give more rows or a larger fraction."
            )
        return rows[~chosen], rows[chosen]

    def _booster(
        self,
        sample: TargetRows,
        watch: TargetRows | None,
        workers: Workers,
        clock: Clock,
        stack: ExitStack,
    ) -> GradientBooster:
        """Put together what learns, from what, and how it is watched."""
        columns, least = None, float(self.min_weight_fraction_leaf)
        if is_presorted(self.estimator):
            stump = self.estimator or RegressionStump()
            rows = sample.X, self.is_categorical_, sample.weight
            columns = stack.enter_context(stump._columns(*rows, self.n_jobs, clock, least))
        learner = learner_for(self.estimator, sample.X, columns, least)
        functions = []
        for objective in self._objectives(sample, workers):
            constant = objective.best_constant() if self.init == "constant" else 0.0
            functions.append(AdditiveFunction(objective, learner, constant))
            if self._is_corrective():
                functions[-1].fit_jointly(float(self.ridge), workers)
        held = None if watch is None else HeldOut(watch.X, self._objectives(watch, workers))
        rule = StepRule(self._resolved_step(learner.has_leaves), float(self.learning_rate))
        error = self._train_error(sample, workers)
        begins = self.init == "first", self._is_corrective()
        return GradientBooster(functions, learner, rule, self._seed, held, error, *begins)

    def _is_corrective(self) -> bool:
        return bool(getattr(self, "corrective", False))

    def _resolved_step(self, has_leaves: bool) -> str | float:
        if self.step == "auto":
            return "leaves" if has_leaves else "line_search"
        if self.step == "leaves" and not has_leaves:
            raise ParameterError(
                f"step='leaves' of {type(self).__name__} needs a regression stump or a regression "
                f"tree, whose leaves take values of their own; for {self.estimator!r} use "
                "step='line_search'."
            )
        return self.step if isinstance(self.step, str) else float(self.step)

    def _earlier(self) -> AdditiveModel | None:
        """Return the model that a warm start continues, if there is one."""
        if not hasattr(self, "_functions"):
            return None
        if self.n_estimators < self.n_estimators_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to the "
                f"{self.n_estimators_} rounds made before when warm_start==True."
            )
        splits = all(isinstance(function, StumpEnsemble) for function in self._functions)
        if self.n_estimators_ and splits != is_presorted(self.estimator):
            raise ValueError(
                "warm_start=True goes on with the kind of estimator of the fit before; set "
                "warm_start=False to begin anew."
            )
        return self

    def _boost(self, booster: GradientBooster, earlier: AdditiveModel | None, clock: Clock) -> None:
        """Make the rounds that are missing."""
        if earlier is not None:
            steps = earlier.coefficients_.tolist()
            members = [list(line) for line, _ in earlier._rounds()]
            if self._is_corrective():
                booster.resume_corrective(members, earlier._paths(), list(earlier.history_))
            else:
                booster.resume(members, steps, list(earlier.history_))
        limits = RoundLimits(
            int(self.n_estimators) - len(booster.members),
            clock,
            with_printing(self.callback, int(self.verbose)),
            self.n_iter_no_change,
            self.tol,
        )
        self.stop_ = boost(booster, limits, list(booster.rounds))
        if complaint := self._complaint(booster):
            warn_user(complaint, ConvergenceWarning)
        self._recover(booster)

    def _complaint(self, booster: GradientBooster) -> str | None:
        """Return a warning if the rounds did not decrease the loss, else None."""
        if self.stop_ is Stop.TOO_WEAK and not booster.members:
            return (
                "No step along the first weak learner lowers the training loss, so the model is a "
                "constant: check that the loss's derivative is that of its value, its sign above "
                "all, or take a stronger estimator."
            )
        constant = not (isinstance(self.step, str) or self._is_corrective())
        if constant and booster.rounds and booster.rounds[-1].loss > booster.first_loss:
            return (
                f"The training loss rose from {booster.first_loss:.4g} to "
                f"{booster.rounds[-1].loss:.4g} with step={self.step!r} and learning_rate="
                f"{self.learning_rate!r}: make one of them smaller, or use step='line_search'."
            )
        return None

    def _recover(self, booster: GradientBooster) -> None:
        """Set the fitted attributes."""
        self.constants_ = booster.constants
        pack = StumpEnsemble if is_presorted(self.estimator) else list
        places = range(len(self.constants_))
        self._functions = [pack([line[k] for line in booster.members]) for k in places]
        shape = len(booster.members), len(self.constants_)
        self.coefficients_ = np.array(booster.coefficients, dtype=np.float64).reshape(shape)
        self._path = None
        if self._is_corrective() and booster.path:
            self._path = np.concatenate([np.column_stack(each) for each in booster.path])
            self.optimality_ = [fit.optimality for fit in booster.joint_fits]
        self.history_ = History(booster.rounds)
        self.train_loss_ = self.history_.column("loss")
        self.validation_loss_ = self.history_.column("validation_loss")

    # checks

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_declared(self)
        self._check_estimator(owner)
        self._check_loss(owner)
        if self._is_corrective():
            refuse_first(self)
            self._check_smooth(owner)

    def _check_estimator(self, owner: str) -> None:
        if is_presorted(self.estimator):
            self._check_stump(owner)
            return
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise ParameterError(
                f"The 'estimator' parameter of {owner} must be None, a classifier or a regressor. "
                f"Got {self.estimator!r} instead."
            )
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ParameterError(
                f"The 'estimator' parameter of {owner} must take sample_weight in fit, since rows "
                f"do not pull equally; {type(self.estimator).__name__} does not."
            )
        if not (is_left_open(self.categorical_features) or self._reads_categories):
            raise ParameterError(
                f"categorical_features of {owner} are for stumps and trees; encode them for "
                f"{type(self.estimator).__name__}, as OneHotEncoder does."
            )

    def _check_stump(self, owner: str) -> None:
        stump = self.estimator
        if stump is None:
            return
        stump._check_parameters()
        given = self.categorical_features, stump.categorical_features
        if not any(is_left_open(each) for each in given):
            raise ParameterError(
                f"categorical_features are given to {owner} and to its "
                f"{type(stump).__name__}; give them to one of the two."
            )

    def _check_loss(self, owner: str) -> None:
        loss = losses.named(self.loss)
        if loss == losses.ZeroOne():
            raise ParameterError(
                f"The 'loss' parameter of {owner} must have a derivative to descend along; that of "
                "zero_one is 0 wherever it exists. Use one that bounds it, such as 'exponential'."
            )

    def _check_smooth(self, owner: str) -> None:
        """Raise for losses whose coefficients Newton's method cannot fit jointly."""
        loss = self._loss()
        one = np.ones(1)
        follows = loss.fitted_to(0.0 * one, one, one) is not loss
        bends = loss.smooth and loss.convex and loss.has_curvature and not follows
        if not bends:
            raise ParameterError(
                f"corrective=True of {owner} needs a loss that is convex and smooth, with a "
                f"curvature and without parameters that follow the residuals; {loss.name} is not. "
                "Use one such as 'logistic', 'exponential', 'squared_error' or 'poisson'."
            )

    def _loss(self) -> Loss:
        return losses.named(self.loss)


def _rescaled(weight: Vector) -> Vector:
    """Bring the largest weight to between 1 and 2, so that no sum overflows or vanishes.

    By a power of two, which changes no digit of what is learnt.
    """
    exponent = int(np.frexp(weight.max())[1]) - 1
    scaled: Vector = np.ldexp(weight, -exponent)
    return scaled

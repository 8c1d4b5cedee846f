"""The family: models that are tried, each with its own preparation and what is tuned of it.

    classes:   baseline       majority                  lda            shrunken (Ledoit and Wolf)
               logistic       C                         svm-linear     C
               knn            neighbours, weights       svm-table      its own search
               boosted-trees  shape, rounds             extra-trees    100 trees
               bagging        100 trees                 boosting       rate, rounds of stumps
               adaboost       rounds of stumps          svm-rbf        C, gamma
               svm-laplacian  C, gamma                  svm-poly       C, gamma of degree 3
               glass-box      rounds of shapes, pairs
    quantity:  baseline       mean                      ridge          alpha
               svm-linear     C                         knn            neighbours, weights
               svm-table      its own search            boosted-trees  shape, rounds
               extra-trees    100 trees                 boosting       rate, rounds of stumps
               svm-rbf        C, gamma                  svm-laplacian  C, gamma
               glass-box      rounds of shapes, pairs

They stand in the order in which they are fitted where no trial says better. ``cost`` is what share
of a time budget one gets, before those that need less leave their rest to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from maxmargin.job.additive_models import ADDITIVE_CLASSIFIERS, ADDITIVE_REGRESSORS
from maxmargin.job.candidate import Candidate
from maxmargin.job.kernel_models import KERNEL_CLASSIFIERS, KERNEL_REGRESSORS, SEQUENCE_MODELS
from maxmargin.job.plain_models import BASELINES, PLAIN_CLASSIFIERS, PLAIN_REGRESSORS
from maxmargin.job.texts import behind_numbers
from maxmargin.job.tree_models import TREE_CLASSIFIERS, TREE_REGRESSORS
from maxmargin.tables import InputError, Table

OURS = "ours"
_ORDER = (
    "lda",
    "ridge",
    "logistic",
    "svm-linear",
    "svm-table",
    "boosted-trees",
    "glass-box",
    "extra-trees",
    "knn",
    "svm-rbf",
    "svm-laplacian",
    "bagging",
    "boosting",
    "adaboost",
    "svm-poly",
)


def _in_order(*candidates: Candidate) -> tuple[Candidate, ...]:
    place = {name: number for number, name in enumerate(_ORDER)}
    return tuple(sorted(candidates, key=lambda each: place.get(each.name, len(place))))


CLASSIFIERS = (
    BASELINES[0],
    *_in_order(*PLAIN_CLASSIFIERS, *KERNEL_CLASSIFIERS, *TREE_CLASSIFIERS, *ADDITIVE_CLASSIFIERS),
)
REGRESSORS = (
    BASELINES[1],
    *_in_order(*PLAIN_REGRESSORS, *KERNEL_REGRESSORS, *TREE_REGRESSORS, *ADDITIVE_REGRESSORS),
)


def family_of(
    task: str, names: Sequence[str] = (), table: Table | None = None
) -> tuple[Candidate, ...]:
    """List the models for a task, from cheap to dear.

    Parameters
    ----------
    task : {"classification", "regression"}
    names : sequence of str
        Which ones; nothing for all, "ours" for the machines of this package. The baseline is
        always among them.
    table : Table, default=None
        Whose texts and sequences they are to read.

    Returns
    -------
    tuple of Candidate

    Examples
    --------
    >>> [each.name for each in family_of("classification", ["svm-rbf", "lda"])]
    ['baseline', 'lda', 'svm-rbf', 'svm-rbf-finer']
    """
    family: Sequence[Candidate] = CLASSIFIERS if task == "classification" else REGRESSORS
    names = [each for name in names for each in _meant(name, family)]
    if table is not None and table.sequences:
        family = (*family, *SEQUENCE_MODELS)
    known = [each.name for each in family if not each.deepens]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"choose among {', '.join(known)}."
            raise InputError(f"There is no model {name!r} for {task}: {hint}")
    chosen = tuple(each for each in family if not names or _is_among(each, names))
    if table is None or not (table.texts or table.sequences):
        return chosen
    return tuple(
        each if each.reads_texts else replace(each, build=behind_numbers(each.build))
        for each in chosen
    )


def _meant(name: str, family: Sequence[Candidate]) -> list[str]:
    return [each.name for each in family if each.ours] if name == OURS else [name]


def _is_among(candidate: Candidate, names: Sequence[str]) -> bool:
    """Return whether a model was asked for, or one that it searches deeper."""
    return candidate.name == "baseline" or {candidate.name, candidate.deepens} & set(names) != set()

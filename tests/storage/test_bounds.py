import inspect
import pkgutil
import re
import types
from dataclasses import fields, is_dataclass
from importlib import import_module
from numbers import Real

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils._param_validation import Interval

from maxmargin import SVC
from maxmargin.kernels import (
    Graph,
    Mismatch,
    Nystroem,
    Polynomial,
    Spectrum,
    Subsequence,
    WeightedDegree,
    WeisfeilerLehman,
    Words,
)
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.sequences import as_sequences
from maxmargin.kernels.substrings import find_substrings
from maxmargin.storage import ModelFileError, NotPlainError, load_model, save_model, to_plain
from maxmargin.storage.bounds import BOUNDS, FREE, bound_of
from maxmargin.storage.hint import hints_of
from maxmargin.storage.pattern import check_pattern
from maxmargin.storage.plain import from_plain
from maxmargin.storage.steps import STEPS, find_step

# Rooms whose values are in models; others hold what a fit, a report or a judgement says.
ROOMS = (
    "bagging",
    "boosting",
    "ensembles",
    "kernels",
    "losses",
    "neighbors",
    "svm",
    "tabular",
    "trees",
)
# Values of a fit, a search or a picture that no model holds, or of which numbers are only shown.
NOT_FOLLOWED = {
    "Affordability", "Asked", "AttributeSearch", "AttributeStep", "BaggingState", "CategoryRules",
    "Cell", "Condition", "DualExplanation", "Explanation", "Formula", "Gram", "Groups",
    "Importances", "KernelCheck", "LearnedMixture", "NewMember", "ObjectivePoint", "Optimality",
    "Queries", "Recipe", "Reduction", "RepairedGram", "Round", "RoundLimits", "Rounding", "Samme",
    "Search", "Separation", "ShapeFunction", "ShapeFunctions", "Side", "Split", "StepRule",
    "StumpRounds", "Task", "Together", "Unready", "Urn", "_OfShares", "_Proposal", "_Ruler",
}  # fmt: skip


def of_the_package():
    """All classes of these rooms that can be stored."""
    found = {}
    for room in ROOMS:
        package = import_module(f"maxmargin.{room}")
        names = [package.__name__]
        names += [
            each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        ]
        for name in names:
            for kind in vars(import_module(name)).values():
                if isinstance(kind, type) and kind.__module__ == name:
                    found[kind] = None
    return list(found)


def numbers_of_docstring(kind):
    """Parameters that documentation calls numbers, and those whose default is one."""
    text = "".join(each.__doc__ or "" for each in kind.__mro__ if each is not object)
    said = re.findall(r"^ {4}([\w, ]+) : (?:.*\b)?(?:int|float|number)\b", text, re.MULTILINE)
    documented = {name for line in said for name in line.split(", ")}
    given = inspect.signature(kind.__init__).parameters.values()
    return {
        each.name
        for each in given
        if each.name in documented
        or (isinstance(each.default, Real) and not isinstance(each.default, bool))
    }


def numbers_of_fields(kind):
    hints = hints_of(kind)
    return {f.name for f in fields(kind) if re.search(r"\b(int|float)\b", _shown(hints[f.name]))}


def _shown(hint):
    if isinstance(hint, types.UnionType):
        return " ".join(map(_shown, hint.__args__))
    return hint.__name__ if hint in {int, float} else ""


def numbers_of_step(kind):
    """Parameters that scikit-learn takes numbers for."""
    rules = getattr(kind, "_parameter_constraints", {}).items()
    return {name for name, rule in rules if any(isinstance(each, Interval) for each in rule)}


def stored():
    for kind in of_the_package():
        if kind.__name__ in NOT_FOLLOWED:
            continue
        if issubclass(kind, Kernel | BaseEstimator):
            yield kind, numbers_of_docstring(kind)
        elif is_dataclass(kind):
            yield kind, numbers_of_fields(kind)
    for module, names in STEPS.items():
        for name in names:
            kind = find_step(f"{module}.{name}")
            yield kind, numbers_of_step(kind)


def test_every_number_of_what_is_stored_is_declared():
    found = list(stored())
    assert len(found) > 100
    for kind, names in found:
        for name in names:
            assert bound_of(kind, name) is not None or name in FREE, f"{kind.__name__}.{name}"


def test_no_declaration_is_of_nothing():
    names = {kind.__name__ for kind, _ in stored()}
    assert {each.partition(".")[0] for each in BOUNDS if "." in each} <= names


TEXTS = ["abab", "abba", "baab", "bbbb"]
GRAPHS = [Graph([(0, 1), (1, 2)]), Graph([(0, 1)])] * 2
HOSTILE = [
    (Spectrum(2), TEXTS, {"k": 2**31}),
    (Spectrum(2, shortest=1), TEXTS, {"k": 2**31, "shortest": 1}),
    (Mismatch(2), TEXTS, {"k": 2**31}),
    (Mismatch(3), TEXTS, {"k": 900, "m": 800}),
    (Subsequence(2), TEXTS, {"k": 2**31}),
    (WeightedDegree(2), TEXTS, {"k": 2**31}),
    (WeightedDegree(2), TEXTS, {"shifts": 2**31}),
    (Words(), TEXTS, {"pattern": r"(\w+\s?)+$"}),
    (Words(), TEXTS, {"pattern": r"(a|a)*$"}),
    (WeisfeilerLehman(1), GRAPHS, {"h": 10_000}),
    (Polynomial(2), np.eye(4), {"degree": 2**62}),
]


def crafted(plain, short, changes):
    """Change the parameters of all kernels of a name in plain data."""
    if isinstance(plain, dict):
        if str(plain.get("is", "")).endswith(f".{short}"):
            plain["given"].update(changes)
        for part in plain.values():
            crafted(part, short, changes)
    elif isinstance(plain, list):
        for part in plain:
            crafted(part, short, changes)
    return plain


@pytest.mark.parametrize(("kernel", "X", "changes"), HOSTILE, ids=str)
def test_a_stored_number_that_costs_days_is_refused(kernel, X, changes):
    plain = to_plain(SVC(kernel=kernel).fit(X, [0, 1, 0, 1]))
    with pytest.raises(ValueError, match=r"at most [\d,]+ is read|take for ever"):
        from_plain(crafted(plain, type(kernel).__name__, changes))


def test_a_stored_vocabulary_of_long_substrings_is_refused():
    listed, _ = find_substrings(as_sequences(TEXTS), 2)
    plain = to_plain(listed)
    assert from_plain(plain).names == listed.names
    plain["has"]["codes"] = np.zeros((len(listed), 2**12), np.int32)
    with pytest.raises(ValueError, match="do not fit together"):
        from_plain(plain)


def test_what_would_not_be_read_is_not_written(tmp_path):
    for kernel in (Spectrum(2000), Words(pattern=r"(a+)+")):
        with pytest.raises(NotPlainError, match=r"read|for ever"):
            save_model(tmp_path / "model", SVC(kernel=kernel))
    assert not list(tmp_path.iterdir())


def test_a_refusal_is_one_sentence_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setitem(BOUNDS, "Spectrum.k", 2**40)
    save_model(tmp_path / "model", SVC(kernel=Spectrum(2**31)))
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match="Spectrum has k=2147483648; at most 1,000 is read"):
        load_model(tmp_path / "model")


def test_steps_of_scikit_learn_are_bounded_too():
    step = PolynomialFeatures(2).fit(np.eye(3))
    plain = to_plain(step)
    assert from_plain(plain).transform(np.eye(3)).shape == (3, 10)
    plain["has"]["_max_degree"] = 10**9
    with pytest.raises(ValueError, match="PolynomialFeatures has _max_degree"):
        from_plain(plain)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\w+", r"(?u)\b\w\w+\b", r"[A-Za-z]+|\d+", r"[a-z]+(?:-\w+)?", r"\d+\.\d*"),
        *(r"\w+@\w+\.\w+", r"[^;]*;[^;]*;", r"(?:un)?\w+(?:'s)?"),
    ],
)
def test_patterns_of_words_are_stored(pattern):
    check_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(a+)+", r"(a|b)*", "a?" * 30, r"\w*\w*\w*!", r"(.+)\1", r"\w*\w*!"),
        *(
            r"[\s\S]*[\s\S]*\x00",
            "a?" * 9 + r"\w*!",
            r"\w+a\w+!",
            r"(?i)[a-z]*A[a-z]*!",
            r"[^;]*:[^;]*!",
        ),
    ],
)
def test_patterns_that_may_take_for_ever_are_refused(pattern):
    with pytest.raises(ValueError, match="take for ever"):
        check_pattern(pattern)


def test_landmarks_that_do_not_fit_together_are_refused_or_made_again():
    X = np.random.default_rng(0).normal(size=(12, 3))
    model = Nystroem(n_components=4, random_state=0).fit(X)
    plain = to_plain(model)
    basis = plain["has"]["_basis"]["has"]
    assert np.array_equal(from_plain(plain).transform(X), model.transform(X))
    basis["sq_norms"] = np.concatenate([basis["sq_norms"]] * 2)
    with pytest.raises(ValueError, match="norms of stored points"):
        from_plain(plain)
    plain["has"]["_basis"] = None
    assert np.array_equal(from_plain(plain).transform(X), model.transform(X))
    plain["has"]["normalization_"] = np.eye(5)
    with pytest.raises(ValueError, match="landmarks of a stored Nystroem"):
        from_plain(plain)


@pytest.mark.parametrize("starts", [[0, 99, 99, 99, 99], [1, 4, 8, 12, 16]])
def test_sequences_that_do_not_fit_together_are_refused(starts):
    plain = to_plain(as_sequences(TEXTS))
    plain["has"]["starts"] = np.array(starts)
    with pytest.raises(ValueError, match="do not fit together"):
        from_plain(plain)

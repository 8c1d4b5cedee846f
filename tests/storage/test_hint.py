"""Whether values are told from what they should be, for all that the package declares."""

from dataclasses import is_dataclass
from importlib import import_module
from pkgutil import walk_packages
from types import GenericAlias, SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pytest

import maxmargin
from maxmargin.ensembles.rounds import Stop
from maxmargin.storage.hint import fits, hints_of

MODULES = sorted(
    each.name
    for each in walk_packages(maxmargin.__path__, "maxmargin.")
    if "ops.gpu" not in each.name  # which imports torch, and of which nothing is stored
)


def test_declared_types_are_known_when_a_file_is_read():
    kinds = [
        kind
        for name in MODULES
        for kind in vars(import_module(name)).values()
        if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == name
    ]
    assert len(kinds) > 50
    for kind in kinds:
        assert set(kind.__dataclass_fields__) <= hints_of(kind).keys()


@pytest.mark.parametrize(
    ("value", "hint", "answer"),
    [
        (1, int, True),
        (np.int32(1), int, True),
        (True, int, False),
        (True, float, False),
        (True, bool, True),
        (np.True_, bool, True),
        (1, bool, False),
        (1, float, True),
        (np.float32(1), float, True),
        ("1", float, False),
        (None, float | None, True),
        (None, float, False),
        ([1], list[int], True),
        ((1, "a"), tuple[int, str], True),
        ((1, "a", 2), tuple[int, str], False),
        ((), tuple[int, ...], True),
        ({}, dict[str, Any], True),
        ([], dict[str, Any], False),
        (Stop.EARLY, Stop, True),
        ("EARLY", Stop, False),
        (1j, Any, True),
        (np.zeros(1), np.ndarray[Any, np.dtype[Any]], True),
        (np.zeros(1), np.ndarray[Any, np.dtype[np.float64]], True),
        (np.zeros(1, int), np.ndarray[Any, np.dtype[np.float64]], False),
        ([1.0], np.ndarray[Any, np.dtype[np.float64]], False),
    ],
    ids=str,
)
def test_a_value_fits_or_not(value, hint, answer):
    assert fits(value, hint) is answer


def test_aliases_made_by_a_statement_stand_for_what_they_name():
    number = TypeVar("number")
    alias = SimpleNamespace(__value__=np.ndarray[Any, np.dtype[number]])
    hint = GenericAlias(alias, (np.int32,))
    assert fits(np.zeros(2, np.int32), hint)
    assert not fits(np.zeros(2), hint)
    assert not fits((), hint)

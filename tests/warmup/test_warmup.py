import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from maxmargin.warmup import ESTIMATORS, problem
from maxmargin.warmup import compile as compiling
from maxmargin.warmup.__main__ import main

LATER = """
import numpy as np
from maxmargin import SVC, DecisionStump
random = np.random.default_rng(5)
X = random.normal(size=(90, 7))
y = random.integers(2, size=90)
SVC(C=3.0).fit(X, y).predict(X)
DecisionStump().fit(X, y).predict(X)
"""


def run(*arguments, cache):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), "MAXMARGIN_QUIET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def files(cache):
    return {path: path.stat().st_mtime_ns for path in Path(cache).rglob("*.nb?")}


def test_after_warmup_a_fresh_process_compiles_nothing(tmp_path):
    names = "SVC", "DecisionStump"
    warmed = run("-m", "maxmargin.warmup", *names, "--kind", "float64", cache=tmp_path)
    assert warmed.returncode == 0, warmed.stderr
    assert warmed.stdout.startswith("Compiled ")
    assert str(tmp_path) in warmed.stdout
    assert warmed.stdout.count("\n") == 1
    before = files(tmp_path)
    assert before
    later = run("-c", LATER, cache=tmp_path)
    assert later.returncode == 0, later.stderr
    assert files(tmp_path) == before


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    refused = run("-m", "maxmargin.warmup", "DecisionStump", cache=tmp_path / "file" / "cache")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in refused.stderr


def test_an_unknown_estimator_is_one_sentence(capsys):
    assert main(["AdaBost"]) == 2
    assert capsys.readouterr().err == (
        "There is no estimator 'AdaBost' to compile; the nearest name is AdaBoostClassifier, and "
        "--list gives all.\n"
    )


def test_names_are_listed(capsys):
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.splitlines() == list(ESTIMATORS)


def test_help_names_the_exit_codes(capsys):
    with pytest.raises(SystemExit) as done:
        main(["--help"])
    assert done.value.code == 0
    assert "Exit codes" in capsys.readouterr().out


class Failing:
    def __init__(self, error):
        self.error = error

    def fit_and_predict(self, kind):
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 1, "No space left on device"),
        (KeyboardInterrupt(), 130, "Interrupted"),
    ],
)
def test_a_full_disk_and_an_interrupt_are_one_sentence(error, code, words, monkeypatch, capsys):
    monkeypatch.setitem(ESTIMATORS, "SVC", Failing(error))
    monkeypatch.setattr(compiling, "jobs", lambda names, kinds: [("SVC", "float64")])
    assert main(["SVC"]) == code
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_every_public_estimator_can_be_compiled_ahead():
    import maxmargin  # noqa: PLC0415

    ends = ("SVC", "SVR", "SVM", "CV", "Classifier", "Regressor", "Ranker", "Stump", "Regression")
    public = {name for name in maxmargin.__all__ if name.endswith((*ends, "Discriminant"))}
    assert public <= set(ESTIMATORS)


def test_items_are_fitted_once(monkeypatch):
    kinds = [kind for name, kind in problem.jobs(["Spectrum", "SVC"], list(problem.KINDS))]
    assert kinds == ["float64", *problem.KINDS]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_what_is_compiled_can_be_made(name):
    assert ESTIMATORS[name].make() is not None

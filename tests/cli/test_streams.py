import fcntl
import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from maxmargin.job.folder import NAMES

COMMAND = [sys.executable, "-m", "maxmargin"]
FIT = ["fit", "data.csv", "--target", "y", "--models", "lda", "--folds", "2", "--out", "out"]


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(0)
    x = random.normal(size=40)
    words = ["no" if value < 0.0 else "yes" for value in x]
    pl.DataFrame({"x": x, "y": words}).write_csv(tmp_path / "data.csv")
    return tmp_path


def shell(folder, line):
    """Run a line of a shell, where $MAXMARGIN is the command; return codes and what was printed."""
    words = f"{line}; echo ${{PIPESTATUS[@]}} > codes"
    home = {**os.environ, "MAXMARGIN": f"{sys.executable} -m maxmargin"}
    done = subprocess.run(
        ["bash", "-c", words], cwd=folder, env=home, capture_output=True, text=True, check=False
    )
    return (folder / "codes").read_text().split(), done


def files_of(folder):
    return {each.name for each in (folder / "out").iterdir()}


def test_a_reader_that_stops_reading_ends_nothing(folder):
    codes, done = shell(folder, f"$MAXMARGIN {' '.join(FIT)} | head -1")
    assert codes == ["0", "0"], done.stderr
    assert done.stdout.startswith("data.csv: 40 rows")
    assert files_of(folder) == set(NAMES)
    assert "Broken" not in done.stderr
    model = "$MAXMARGIN predict out/model.maxmargin data.csv"
    assert shell(folder, f"{model} | true")[0] == ["0", "0"]
    codes, done = shell(folder, f"{model} > /dev/full")
    assert codes == ["1"]
    assert done.stderr.count("\n") == 1


@pytest.mark.sweep
@pytest.mark.parametrize("where", ["2>&1 >/dev/null | true", ">&- 2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_end_nothing(folder, where):
    codes, done = shell(folder, f"$MAXMARGIN {' '.join(FIT)} {where}")
    assert set(codes) == {"0"}, done.stderr
    assert files_of(folder) == set(NAMES)
    assert json.loads((folder / "out" / "run.json").read_text())["format"] == "maxmargin run"


def test_a_terminal_that_is_closed_ends_nothing(folder):
    ours, theirs = pty.openpty()
    work = subprocess.Popen(
        [*COMMAND, *FIT],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: _own_terminal(theirs),  # noqa: PLW1509
    )
    os.close(theirs)
    os.read(ours, 1)
    os.close(ours)
    assert work.wait() == 0
    assert files_of(folder) == set(NAMES)


def _own_terminal(number):
    fcntl.ioctl(number, termios.TIOCSCTTY, 0)


@pytest.mark.sweep
def test_the_warmup_outlives_its_reader_too(folder):
    codes, done = shell(folder, f"{sys.executable} -m maxmargin.warmup --list | true")
    assert codes[0] == "0"
    assert done.stderr == ""


def test_words_that_cannot_be_printed_are_a_failure(folder):
    codes, _ = shell(folder, f"$MAXMARGIN {' '.join(FIT)} 2>/dev/null >/dev/full")
    assert codes == ["1"]
    assert files_of(folder) == set(NAMES)
    assert Path("/dev/full").exists()

import os
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import maxmargin.cli.job
from maxmargin.cli import app
from maxmargin.datasets import heart_path

HOSTILE = "[red]<script>\x1b]0;owned\x07[/nope]"


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def complaint(result, code: int = 2) -> str:
    """Return the one line on stderr, having checked that it is the only one."""
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit)
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("maxmargin: ")
    return lines[0]


def write_points(path: Path, target="label", labels=("no", "yes"), n=60) -> Path:
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal() + 3 * (i % 2)},{rng.normal()},{labels[i % 2]}" for i in range(n)]
    path.write_text("\n".join([f"x1,x2,{target}", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_demo_writes_the_report_and_ends_by_naming_it(tmp_path):
    result = run("demo")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[-1].endswith(str(tmp_path / "maxmargin-report.html"))
    assert "6 rows dropped because a value is missing, 297 used" in result.stdout
    assert any(line.startswith("CERTIFIED  primal") for line in lines)
    assert "of 207 rows" in result.stdout
    assert "of 90; 95 % interval" in result.stdout
    page = (tmp_path / "maxmargin-report.html").read_text(encoding="utf-8")
    assert "ROC curve" in page
    assert "maxmargin demo" in page
    assert str(heart_path().parent) not in page


def test_demo_gives_the_same_bytes_twice(tmp_path):
    run("demo", "--report", "one.html")
    run("demo", "--report", "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_fit_with_every_option(tmp_path):
    file = write_points(tmp_path / "points.csv")
    options = "--target label --test-size 0.4 --kernel poly --C 2 --gamma 0.5 --degree 2"
    more = "--coef0 1 --seed 3 --report out.html --time-limit 60"
    result = run("fit", file, *options.split(), *more.split())
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    for text in ("--kernel=poly", "--C=2", "--gamma=0.5", "--degree=2", "--coef0=1", "--seed=3"):
        assert text in page


def test_the_command_in_the_report_repeats_the_report(tmp_path):
    file = write_points(tmp_path / "my points; echo.csv", target="my label")
    run("fit", file, "--target", "my label", "--C", "0.3")
    first = (tmp_path / "maxmargin-report.html").read_bytes()
    job = maxmargin.cli.job.Job(file, "my label", C=0.3)

    result = run(*shlex.split(job.command)[1:])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "maxmargin-report.html").read_bytes() == first


def test_what_the_certificate_does_not_prove_is_said(tmp_path):
    result = run("fit", heart_path(), "--target", "AHD", "--kernel", "sigmoid")
    assert result.exit_code == 0, result.output
    assert "NOT_CONVEX  primal" in result.stdout
    assert "not positive semidefinite" in result.stdout
    assert result.stderr == ""


def test_three_classes(tmp_path):
    rng = np.random.default_rng(0)
    rows = "".join(f"{rng.normal() + 3 * (i % 3)},{i % 3}\n" for i in range(90))
    (tmp_path / "three.csv").write_text("x,y\n" + rows)
    result = run("fit", "three.csv", "--target", "y")
    assert result.exit_code == 0, result.output


def test_a_category_seen_only_in_the_test_rows_is_no_obstacle(tmp_path):
    rows = "".join(f"{i % 5}.5,{'rare' if i == 7 else 'usual'},{'ab'[i % 2]}\n" for i in range(30))
    (tmp_path / "rare.csv").write_text("x,c,y\n" + rows)
    for seed in range(4):
        assert run("fit", "rare.csv", "--target", "y", "--seed", seed).exit_code == 0


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--target", "lable", "did you mean 'label'"),
        ("--C", "-1", "--C must be"),
        ("--C", "nan", "--C must be"),
        ("--gamma", "wide", "--gamma is"),
        ("--gamma", "-2", "--gamma is"),
        ("--test-size", "1.5", "--test-size is"),
        ("--test-size", "nan", "--test-size is"),
        ("--test-size", "0.001", "cannot be split"),
        ("--time-limit", "0", "--time-limit must be"),
        ("--time-limit", "1e-9", "stopped before its first step"),
        ("--report", "points.csv", "names the table itself"),
    ],
)
def test_bad_options_are_one_sentence(tmp_path, option, value, words):
    file = write_points(tmp_path / "points.csv")
    before = file.read_bytes()
    defaults = {"--target": "label", option: value}
    result = run("fit", file, *(word for pair in defaults.items() for word in pair))
    assert words in complaint(result)
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["points.csv"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.csv", None, "There is no file"),
        ("empty.csv", b"", "is empty"),
        ("one.csv", b"a,y\n1,no\n2,no\n", "one class only"),
        ("quantity.csv", b"a,y\n" + b"".join(b"1,%d.5\n" % i for i in range(40)), "a quantity"),
        ("noise.csv", np.random.default_rng(1).bytes(3000), "UTF-8"),
        ("noise.parquet", np.random.default_rng(1).bytes(3000), "Cannot read"),
        ("latin.csv", "a,y\n1,\xe9\n".encode("latin-1"), "UTF-8"),
        ("book.xlsx", b"PK", "of no known kind"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert words in complaint(run("fit", name, "--target", "y"))
    assert not (tmp_path / "maxmargin-report.html").exists()


def test_an_unwritable_report_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(maxmargin.cli.job, "run", lambda *_: pytest.fail("worked for nothing"))
    result = run("demo", "--report", tmp_path / "absent" / "report.html")
    assert "does not exist" in complaint(result, code=1)


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    assert "no space left on device" in complaint(run("demo"), code=1)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(maxmargin.cli.job, "run", interrupt)
    assert "Interrupted" in complaint(run("demo"), code=130)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_fit_is_not_reported(tmp_path, monkeypatch):
    class Interrupted(maxmargin.cli.job.SVC):
        def fit(self, X, y):
            super().fit(X, y)
            status = type(self.certificate_.status).INTERRUPTED
            # a certificate is a value: this one stands in for what a solver returns on Ctrl-C
            object.__setattr__(self.certificate_, "status", status)
            return self

    monkeypatch.setattr(maxmargin.cli.job, "SVC", Interrupted)
    assert "Interrupted" in complaint(run("demo"), code=130)
    assert list(tmp_path.iterdir()) == []


def test_hostile_names_are_escaped_everywhere(tmp_path):
    file = write_points(tmp_path / "[bold]<b>.csv", target=HOSTILE, labels=(HOSTILE, "yes"))
    result = run("fit", file, "--target", HOSTILE)
    assert result.exit_code == 0, result.output
    assert "[bold]<b>.csv" in result.stdout
    assert "\x1b" not in result.stdout
    assert "<script>" not in (tmp_path / "maxmargin-report.html").read_text(encoding="utf-8")
    assert "\x1b" not in complaint(run("fit", file, "--target", HOSTILE + "\x1b[2J"))


def test_version():
    result = run("--version")
    assert result.stdout.strip() == f"maxmargin {metadata.version('maxmargin')}"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from maxmargin.cli import app\n"
        "names = {'numpy', 'sklearn', 'polars', 'matplotlib', 'numba', 'scipy'}\n"
        "heavy = names & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "fit" in run("--help").stdout


def test_the_command_to_repeat_keeps_every_digit():
    from maxmargin.cli.job import Job  # noqa: PLC0415

    assert "--C=1.23456789" in Job(file="a.csv", target="y", C=1.23456789).command

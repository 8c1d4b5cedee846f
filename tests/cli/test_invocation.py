import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import maxmargin.cli.fit
from maxmargin.cli import app
from maxmargin.cli.demos import DEMOS
from maxmargin.cli.invocation import own_command
from maxmargin.tables import Wishes, load_table


def place(path):
    """Put a program there that a shell would start."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    path = place(tmp_path / ".venv" / "bin" / "maxmargin")
    monkeypatch.setattr(sys, "argv", [str(path)])
    return path


def test_a_script_that_the_shell_does_not_find_is_named_by_its_path(script):
    assert own_command() == str(Path(".venv", "bin", "maxmargin"))


def test_a_script_that_the_shell_finds_is_named_bare(script, monkeypatch):
    monkeypatch.setenv("PATH", str(script.parent))
    assert own_command() == "maxmargin"


def test_another_maxmargin_that_the_shell_finds_is_not_this_one(script, tmp_path):
    place(tmp_path / "bin" / "maxmargin")
    assert own_command() == str(Path(".venv", "bin", "maxmargin"))


def test_from_elsewhere_it_is_the_whole_path_quoted(script, tmp_path, monkeypatch):
    far = place(tmp_path / "my tools" / "maxmargin")
    monkeypatch.setattr(sys, "argv", [str(far)])
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert own_command() == f"'{far}'"


def test_the_module_is_started_by_its_python(script, monkeypatch):
    python = place(script.parent / "python")
    monkeypatch.setattr(sys, "argv", [str(script.parent / "__main__.py")])
    monkeypatch.setattr(sys, "executable", str(python))
    assert own_command() == f"{Path('.venv', 'bin', 'python')} -m maxmargin"


def test_the_demo_ends_with_the_next_commands(script, monkeypatch):
    monkeypatch.setattr(maxmargin.cli.fit, "run_fit", lambda *request, json: None)
    result = CliRunner().invoke(app, ["demo", "--out", "my heart"])
    assert result.exit_code == 0
    command = Path(".venv", "bin", "maxmargin")
    assert f"{command} fit data.csv --target column\n" in result.stdout
    model = Path("my heart", "model.maxmargin")
    assert f"{command} info '{model}'\n" in result.stdout
    assert CliRunner().invoke(app, ["demo", "--json"]).stdout == ""


def test_demos_are_listed():
    result = CliRunner().invoke(app, ["demo", "--list"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        "heart",
        "diabetes",
        "digits",
        "reviews",
    ]


def test_an_unknown_demo_is_one_sentence():
    result = CliRunner().invoke(app, ["demo", "hearts"])
    assert result.exit_code == 2
    assert "There is no demo 'hearts': choose among heart, diabetes" in result.stderr


@pytest.mark.parametrize("demo", DEMOS, ids=lambda each: each.name)
def test_every_demo_is_a_table_with_its_target(demo, tmp_path):
    path = demo.write(tmp_path)
    table = load_table(path, Wishes(demo.target))
    assert table.schema.task == ("regression" if demo.name == "diabetes" else "classification")
    assert table.texts == (["review"] if demo.name == "reviews" else [])
    assert demo.write(tmp_path) == path  # the same file again is no obstacle


def test_a_demo_replaces_no_other_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits.csv").write_text("mine")
    result = CliRunner().invoke(app, ["demo", "digits"])
    assert result.exit_code == 2
    assert "is another file, which the demo does not replace" in result.stderr
    assert (tmp_path / "digits.csv").read_text() == "mine"

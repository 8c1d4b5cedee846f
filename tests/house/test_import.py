import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import maxmargin

ROOT = Path(__file__).parents[2]
HEAVY = ["numba", "llvmlite", "scipy", "sklearn", "matplotlib", "polars", "pandas", "rich", "typer"]
HEAVY += ["dask", "distributed", "pyarrow"]


def modules_after(statement):
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_import_alone_loads_nothing_heavy():
    assert modules_after("import maxmargin").isdisjoint(HEAVY)


def test_data_need_neither_compiler_nor_table_reader():
    loaded = modules_after("import maxmargin; maxmargin.datasets.load_heart()")
    assert loaded.isdisjoint({"numba", "matplotlib", "polars", "rich", "typer"})


def test_estimators_are_there_before_the_compiler_is():
    loaded = modules_after("import maxmargin; maxmargin.SVC, maxmargin.AdaBoostClassifier")
    assert loaded.isdisjoint({"numba", "llvmlite"})


def test_drawing_is_loaded_only_when_asked_for():
    loaded = modules_after("import maxmargin; maxmargin.SVC, maxmargin.kernels")
    assert loaded.isdisjoint({"matplotlib", "polars", "rich", "typer"})


@pytest.mark.parametrize("name", maxmargin.__all__)
def test_every_public_name_resolves(name):
    assert getattr(maxmargin, name) is not None
    assert name in dir(maxmargin)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'maxmargin' has no attribute 'SCV'"):
        maxmargin.SCV  # noqa: B018


def test_version_is_the_projects():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert maxmargin.__version__ == project["version"] == metadata.version("maxmargin")


def test_changelog_knows_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{maxmargin.__version__}]" in changelog

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STEP = ROOT / ".ci" / "step.py"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_citation_has_the_version_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_do_nothing_but_install_and_run_steps(workflow):
    text = workflow.read_text(encoding="utf-8")
    steps = runpy.run_path(str(STEP))["STEPS"]
    commands = re.findall(r"^ *(?:- )?run: (?!\|)(.*)$", text, re.MULTILINE)
    named = [c.split()[2:] for c in commands if c.startswith("python .ci/step.py ")]
    installs = [c for c in commands if c.startswith("python -m pip install ")]
    assert len(named) + len(installs) == len(commands)
    asked = {name for names in named for name in names if not name.startswith(("$", "{", "m", "}"))}
    assert asked <= steps.keys()
    assert named


def test_steps_are_listed():
    done = subprocess.run(
        [sys.executable, str(STEP), "--list"], capture_output=True, text=True, check=True
    )
    assert "test-oldest" in done.stdout
    wrong = subprocess.run(
        [sys.executable, str(STEP), "nothing"], capture_output=True, text=True, check=False
    )
    assert "There is no step 'nothing'" in wrong.stderr


def test_lowest_versions_are_those_of_the_project():
    lowest = runpy.run_path(str(STEP))["lowest_versions"]()
    assert "numba==0.60" in lowest
    assert all("==" in each for each in lowest)

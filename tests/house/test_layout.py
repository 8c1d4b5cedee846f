import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "maxmargin").rglob("*.py"))


def test_no_drawer_for_odds_and_ends():
    odd = {"utils", "util", "common", "helpers", "misc"}
    assert [path for path in SOURCES if odd & {path.stem, path.parent.name}] == []


def test_make_help_describes_every_target():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = next(line for line in makefile.splitlines() if line.startswith(".PHONY:"))
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    described = [line.split()[1] for line in shown.stdout.splitlines() if "make " in line]
    assert sorted(described) == sorted(phony.split()[1:])

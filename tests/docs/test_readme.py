import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_speeds_are_those_of_the_benchmarks():
    measured = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    quoted = re.findall(r"[\d.]+×", README)
    assert len(quoted) >= 4
    assert [ratio for ratio in quoted if ratio not in measured] == []


def test_links_lead_to_files():
    linked = re.findall(r"\]\(([^)#]+)", README)
    assert [target for target in linked if not (ROOT / target).is_file()] == []

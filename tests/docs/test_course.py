"""What the pages of the course show exists: ``make course`` runs it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "docs" / "course"
PAGES = sorted(COURSE.glob("*.md"))
ALL_PAGES = sorted((ROOT / "docs").rglob("*.md"))  # guides may show an example too
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
INCLUDED = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)
SHOWN = re.compile(r"!\[([^\]]+)\]\((?:course/)?run/(\w+)\.png\)")


def read(pages):
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_says_what_it_shows_and_stands_on_one_page(example):
    code = example.read_text(encoding="utf-8")
    assert len(code.splitlines()) <= 40
    assert code.startswith('"""')
    assert "shared" not in code
    assert len(re.findall(rf'--8<-- "examples/{example.stem}.py"', read(ALL_PAGES))) == 1


def test_pages_include_only_what_there_is():
    names = {example.stem for example in EXAMPLES}
    text = read(ALL_PAGES)
    included = {tuple(path.rpartition("/")[::2]) for path in INCLUDED.findall(text) if "/" in path}
    assert {folder for folder, _ in included} <= {"examples", "docs/course/run"}
    assert {Path(file).stem for _, file in included} <= names
    assert {re.sub(r"_\d$", "", name) for _, name in SHOWN.findall(text)} <= names


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"course/{page.name}" not in menu] == []

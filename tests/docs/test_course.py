"""What the pages of the course show exists: ``make course`` runs it."""

import re
import unicodedata
from functools import reduce
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
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


ROW = re.compile(
    r"^\| (?P<section>[^|]+) \| \[[^\]]+\]\((?P<page>[\w-]+\.md)(?:#(?P<anchor>[\w-]+))?\) "
    r"\| (?P<names>[^|]+) \| `(?P<test>[^`]+)` \| `(?P<script>\w+)` \|$",
    re.MULTILINE,
)
INDEX = (COURSE / "index.md").read_text(encoding="utf-8")
SECTIONS = [found.groupdict() for found in ROW.finditer(INDEX)]


def anchors(page):
    """Give what Markdown makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", (COURSE / page).read_text(encoding="utf-8"), re.MULTILINE)
    plain = [unicodedata.normalize("NFKD", h).encode("ascii", "ignore").decode() for h in headings]
    words = [re.sub(r"[^\w\s-]", "", text).strip().lower() for text in plain]
    return {re.sub(r"[-\s]+", "-", text) for text in words}


def named(dotted):
    """Find something public, of the package or of one of its rooms."""
    room, _, name = f"maxmargin.{dotted}".rpartition(".")
    return reduce(getattr, [name], import_module(room))


def test_every_line_of_the_index_has_all_its_parts():
    lines = [line for line in INDEX.partition("## Where each")[2].splitlines() if "](" in line]
    assert len(lines) == len(SECTIONS) > 90


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: row["section"].replace(" ", "-"))
def test_what_the_index_names_exists(row):
    assert row["anchor"] is None or row["anchor"] in anchors(row["page"])
    for name in re.findall(r"`([\w.]+)`", row["names"]):
        assert named(name) is not None
    file, _, test = row["test"].partition("::")
    assert re.search(rf"^ *def {test}\b", (ROOT / "tests" / file).read_text(), re.MULTILINE)
    assert (ROOT / "examples" / f"{row['script']}.py").is_file()


FRAME = {  # words of titles that say what kind of a slide it is
    *("summary", "overview", "nutshell", "setup", "recap", "issues", "practical", "problems"),
    *("definition", "proposition", "exercise", "figure", "theorem", "appendix", "initialize"),
}


def squashed(text):
    """Letters and digits alone: zero-one, zero_one and ZeroOne are the same, and z is s."""
    return re.sub(r"[^a-z0-9]", "", text.lower()).replace("z", "s")


def spoken(page):
    """What a page says, with the scripts that it shows."""
    text = (COURSE / page).read_text(encoding="utf-8")
    scripts = [path for path in INCLUDED.findall(text) if path.startswith("examples/")]
    return "\n".join([text, *((ROOT / path).read_text(encoding="utf-8") for path in scripts)])


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: row["section"].replace(" ", "-"))
def test_a_page_speaks_of_what_the_index_lists_it_for(row):
    """Of every name, and of most words of the title; and it shows the script."""
    said = squashed(spoken(row["page"]))
    names = [dotted.rpartition(".")[2] for dotted in re.findall(r"`([\w.]+)`", row["names"])]
    assert [name for name in names if squashed(name) not in said] == []
    words = set(re.findall(r"[^\W\d_]{5,}", row["section"].lower())) - FRAME
    assert len(words) == 0 or np.mean([is_in(word, said) for word in words]) >= 0.5, words
    assert f"examples/{row['script']}.py" in INCLUDED.findall(spoken(row["page"]))


def is_in(word, said):
    """Whether a word, or another one of its stem, is said."""
    return squashed(word)[: max(4, min(6, len(word) - 3))] in said


def test_every_page_of_the_course_is_in_the_index():
    linked = set(re.findall(r"\]\(([\w-]+\.md)", INDEX))
    assert linked >= {page.name for page in PAGES if page.name != "index.md"}


# how the course is built, with small scripts

SCRIPTS = {
    "fine": "print('said')\nimport matplotlib.pyplot as plt\nplt.plot([0, 1])\nplt.show()",
    "silent": "pass",
    "leaves": "import sys\nsys.exit(3)",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "endless": "while True: pass",
}


@pytest.fixture
def course(tmp_path):
    """The builder of the course, and a folder of small scripts for it."""
    spec = spec_from_file_location("course", ROOT / "docs" / "course.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, code in SCRIPTS.items():
        (tmp_path / f"{name}.py").write_text(code)
    (tmp_path / "run").mkdir()
    return module


def test_a_script_that_fails_is_told_whatever_it_says(course, tmp_path, capsys):
    said = {"leaves": "It ended with code 3.", "killed": "It was ended by SIGKILL."}
    assert course.build(list(said), tmp_path, tmp_path / "run", tmp_path) == 2
    told = capsys.readouterr()
    assert told.out.count("FAILED") == 2
    for sentence in said.values():
        assert sentence in told.err


def test_a_script_without_an_end_is_ended(course, tmp_path, capsys):
    assert course.build(["endless"], tmp_path, tmp_path / "run", tmp_path, seconds=0.5) == 1
    assert "It took more than 0.5 seconds." in capsys.readouterr().err


def test_an_old_picture_is_removed_and_missed_where_a_page_shows_it(course, tmp_path, capsys):
    for old in ("silent.png", "silent_2.png", "fine.png", "other.png"):
        (tmp_path / "run" / old).write_bytes(b"old")
    page = tmp_path / "page.md"
    page.write_text("![one](run/fine.png) ![two](run/silent.png) ![three](run/absent.png)")
    assert course.build(["fine", "silent"], tmp_path, tmp_path / "run", tmp_path) == 1
    assert capsys.readouterr().err == "A page shows silent.png, which no script has made.\n"
    left = {path.name for path in (tmp_path / "run").iterdir()}
    assert left == {"fine.png", "fine.txt", "silent.txt", "other.png"}
    assert (tmp_path / "run" / "fine.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "run" / "fine.txt").read_text() == "said\n"

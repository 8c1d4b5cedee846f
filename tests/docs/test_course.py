"""Pages show what scripts of ``examples/`` are and give; ``make course-check`` runs them all."""

import re
import sys
import unicodedata
from functools import reduce
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from unittest.mock import patch

import matplotlib.pyplot as plt
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "docs" / "course"
PAGES = sorted(COURSE.glob("*.md"))
ALL_PAGES = sorted((ROOT / "docs").rglob("*.md"))  # guides may show an example too
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PICTURES = sorted((COURSE / "run").glob("*"))
SHOWN = re.compile(r"!\[([^\]]+)\]\((?:course/)?run/(\w+\.png)\)")


def load_builder():
    spec = spec_from_file_location("course", ROOT / "docs" / "course.py")
    module = module_from_spec(spec)
    with patch.dict(sys.modules, course=module):  # where its dataclass looks for its types
        spec.loader.exec_module(module)
    return module


BUILDER = load_builder()


def read(pages):
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def blocks(kind):
    """Find all blocks of a kind, by the name of their script."""
    found = [block for block in BUILDER.BLOCK.finditer(read(ALL_PAGES)) if block["kind"] == kind]
    return sorted((block["name"], block["text"]) for block in found)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_stands_on_one_page_as_it_is(example):
    code = example.read_text(encoding="utf-8")
    assert len(code.splitlines()) <= 40
    assert code.startswith('"""')
    assert "shared" not in code
    shown = [text for name, text in blocks("code") if name == example.stem]
    assert shown == [code], "Run make course."


def test_every_output_is_in_a_page():
    names = [example.stem for example in EXAMPLES]
    assert sorted({name for name, _ in blocks("output")}) == names
    assert [name for name, text in blocks("output") if not (text or "").strip()] == []


def test_pages_read_without_the_site():
    assert [page.name for page in ALL_PAGES if '--8<-- "examples' in page.read_text("utf-8")] == []
    shown = SHOWN.findall(read(ALL_PAGES))
    assert {name for _, name in shown} == {picture.name for picture in PICTURES}
    assert [name for words, name in shown if len(words) < 20] == []


def test_pictures_are_small():
    assert [p.name for p in PICTURES if p.stat().st_size > 70_000] == []
    assert sum(p.stat().st_size for p in PICTURES) < 25_000 * len(PICTURES)


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


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: row["section"].replace(" ", "-"))
def test_a_page_speaks_of_what_the_index_lists_it_for(row):
    """Of every name, and of most words of the title; and it shows the script."""
    text = (COURSE / row["page"]).read_text(encoding="utf-8")  # its scripts stand in it
    said = squashed(text)
    names = [dotted.rpartition(".")[2] for dotted in re.findall(r"`([\w.]+)`", row["names"])]
    assert [name for name in names if squashed(name) not in said] == []
    words = set(re.findall(r"[^\W\d_]{5,}", row["section"].lower())) - FRAME
    assert len(words) == 0 or np.mean([is_in(word, said) for word in words]) >= 0.5, words
    assert row["script"] in {block["name"] for block in BUILDER.BLOCK.finditer(text)}


def is_in(word, said):
    """Whether a word, or another one of its stem, is said."""
    return squashed(word)[: max(4, min(6, len(word) - 3))] in said


def test_every_page_of_the_course_is_in_the_index():
    linked = set(re.findall(r"\]\(([\w-]+\.md)", INDEX))
    assert linked >= {page.name for page in PAGES if page.name != "index.md"}


# how the course is built, with small scripts

SCRIPTS = {
    "fine": "print(f'said {1 / 4}')\nimport matplotlib.pyplot as plt\nplt.plot([0, 1])\nplt.show()",
    "silent": "pass",
    "leaves": "import sys\nsys.exit(3)",
    "killed": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "endless": "while True: pass",
}
PAGE = """# A page

<!-- code of fine -->

<!-- output of fine -->
```text
old
```

![a line](run/fine.png)
"""


@pytest.fixture
def build(tmp_path):
    """Build a course of small scripts in a folder."""
    for name, code in SCRIPTS.items():
        (tmp_path / f"{name}.py").write_text(code + "\n")
    (tmp_path / "run").mkdir()
    (tmp_path / "page.md").write_text(PAGE)

    def run(*names, **options):
        return BUILDER.build(list(names), tmp_path, tmp_path / "run", tmp_path, **options)

    return run


def test_a_script_that_fails_is_told_whatever_it_says(build, capsys):
    assert build("leaves", "killed") == 2
    told = capsys.readouterr()
    assert told.out.count("FAILED") == 2
    for sentence in ("It ended with code 3.", "It was ended by SIGKILL."):
        assert sentence in told.err


def test_a_script_without_an_end_is_ended(build, capsys):
    assert build("endless", seconds=0.5) == 1
    assert "It took more than 0.5 seconds." in capsys.readouterr().err


def test_an_old_picture_is_removed_and_missed_where_a_page_shows_it(build, tmp_path, capsys):
    for old in ("silent.png", "silent_2.png", "fine.png", "other.png"):
        (tmp_path / "run" / old).write_bytes(b"old")
    (tmp_path / "page.md").write_text("![a](run/fine.png) ![b](run/silent.png) ![c](run/no.png)")
    assert build("fine", "silent") == 1
    assert capsys.readouterr().err == "A page shows silent.png, which no script has made.\n"
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"fine.png", "other.png"}
    assert (tmp_path / "run" / "fine.png").read_bytes().startswith(b"\x89PNG")


def draw(path, heights, size=10):
    figure, ax = plt.subplots(figsize=(5, 3))
    ax.bar(range(len(heights)), heights)
    ax.set_title("what the bars are", fontsize=size)
    BUILDER.save(figure, path)


def test_blocks_and_pictures_are_written_and_a_failed_script_leaves_them(build, tmp_path):
    assert build("fine") == 0
    text = (tmp_path / "page.md").read_text()
    assert f"<!-- code of fine -->\n```py\n{SCRIPTS['fine']}\n```\n" in text
    assert "<!-- output of fine -->\n```text\nsaid 0.25\n```\n\n![a line]" in text
    assert build("fine", check=True) == 0
    (tmp_path / "fine.py").write_text("print(1 / 0)\n")
    assert build("fine") == 1
    assert (tmp_path / "page.md").read_text() == text
    assert (tmp_path / "run" / "fine.png").is_file()


@pytest.mark.parametrize(
    ("said", "code", "heights", "found"),
    [
        ("said 0.25", "plt.show()", [0, 1], ""),
        ("said 0.27", "plt.show()", [0, 1], "page.md: the output of fine differs."),
        ("wrote 0.25", "plt.show()", [0, 1], "page.md: the output of fine differs."),
        ("said 0.25", "plt.close()", [0, 1], "page.md: the code of fine differs."),
        ("said 0.25", "plt.show()", [7, 1, 7, 7], "fine.png shows something else."),
        ("said 0.25", "plt.show()", [], "fine.png is not kept"),
    ],
)
def test_a_check_finds_what_changed(build, tmp_path, said, code, heights, found):
    ran, page = BUILDER.Run("fine", 1.0, "said 0.25\n", ""), tmp_path / "page.md"
    page.write_text(BUILDER.filled(PAGE, {"fine": ran}, tmp_path))
    drawn_to, kept_in = tmp_path / "drawn", tmp_path / "run"
    drawn_to.mkdir()
    draw(drawn_to / "fine.png", [0, 1])
    if heights:
        draw(kept_in / "fine.png", heights)
    page.write_text(page.read_text().replace("said 0.25", said).replace("plt.show()", code))
    told = BUILDER.differences([page], {"fine": ran}, tmp_path, drawn_to, kept_in)
    assert len(told) == (2 if found else 0)  # and a line that says what to do
    assert found in "".join(told)


@pytest.mark.parametrize(
    ("line", "other", "same"),
    [
        ("risk 0.227", "risk  0.228", True),
        ("risk 0.227", "risk 0.229", False),
        ("12 rows", "13 rows", False),
        ("gap 1e-14", "gap 3.1e-15", True),
        ("feasible 8.9e-16  row 4", "feasible 1.3e-15  row 14", True),
        ("feasible 8.9e-16  row 4", "feasible 0.0e+00", True),
        ("feasible 8.9e-06  row 4", "feasible 8.9e-06  row 14", False),
        ("gap 1e-04", "gap 3e-04", True),
        ("gap 1e-04", "gap 2e-03", False),
        ("gap 1.2e-04", "gap 1.4e-04", False),
        ("1,135.2 rows", "1,135.3 rows", True),
        ("kd_tree 0.93 94", "kd_tree 4.01 94", True),
        ("kd_tree 0.93 94", "lsh 0.93 94", False),
    ],
)
def test_lines_agree_to_the_last_digit_and_times_always(line, other, same):
    assert BUILDER.agree(line, other, times={2} if "kd" in line else set()) is same


@pytest.mark.parametrize(
    ("line", "other", "same"),
    [
        ("8  0.198  0.062  round 5", "8  0.198  0.052  round 5", True),
        ("8  0.198  0.062  round 5", "8  0.198  0.032  round 5", False),
        ("8  0.198  0.062  round 5", "8  0.198  0.062  round 6", False),
    ],
)
def test_numbers_that_hang_on_rounding_may_be_some_way_apart(line, other, same):
    assert BUILDER.agree(line, other, set(), slack=(0.02, 0.0)) is same
    assert BUILDER.agree(line, other, set()) is False


def test_pictures_agree_whatever_the_font_and_differ_where_the_content_does(tmp_path):
    kept, same, other = (tmp_path / f"{name}.png" for name in ("kept", "same", "other"))
    draw(kept, [3, 1, 4, 1, 5])
    draw(same, [3, 1, 4, 1, 5], size=12)
    draw(other, [5, 1, 1, 6, 2])
    assert BUILDER.unlike(kept, same) == ""
    assert BUILDER.unlike(kept, other) == "shows something else"


@pytest.mark.parametrize(("other", "same"), [("3 to 26", True), ("4 to 48", False)])
def test_whole_numbers_may_be_apart_only_where_the_block_says_so(other: str, same: bool) -> None:
    assert BUILDER.agree("4 to 35", other, set(), slack=(0.0, 12.0)) is same
    assert not BUILDER.agree("4 to 35", other, set(), slack=(0.02, 0.0))

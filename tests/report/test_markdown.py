import re

import pytest

from maxmargin.job.folder import MARKDOWN_MARK
from maxmargin.report import JobReport
from maxmargin.report.markdown import escape_markdown, markdown_of

KINDS = ("heart", "rare", "adaboost", "letters", "quantity", "hostile")


@pytest.fixture(scope="module")
def written(outcomes):
    return {kind: JobReport(getattr(outcomes, kind)()) for kind in KINDS}


def sections(page):
    return re.findall(
        r'<section aria-labelledby="(\w+)">\s*<h2 id="\w+">(.*?)</h2>', page, re.DOTALL
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_section_of_the_page_is_there(written, kind):
    report = written[kind]
    headings = re.findall(r"^## (.+)$", report.markdown, re.MULTILINE)
    assert len(headings) == len(sections(report.html)) >= 7
    assert headings[0] == "The answer"


@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_is_said_in_words_with_a_link_to_it(written, kind):
    report = written[kind]
    ids = {name for name, _ in sections(report.html)}
    links = re.findall(r"\[see it\]\(report\.html#(\w+)\)", report.markdown)
    assert len(links) == report.html.count("<figure")
    assert set(links) <= ids
    assert "<svg" not in report.markdown


@pytest.mark.parametrize("kind", KINDS)
def test_tables_have_as_many_cells_in_every_line(written, kind):
    for block in re.findall(r"(?:^\|.*\n?)+", written[kind].markdown, re.MULTILINE):
        cells = [len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()]
        assert len(set(cells)) == 1, block
        assert set(block.splitlines()[1]) <= set("| -")


def test_scores_are_those_of_the_page(written):
    report = written["heart"]
    result = report.answer.result
    for share in (result.value, result.low, result.high):
        assert f"{100 * share:.1f} %" in report.markdown.replace("\N{NO-BREAK SPACE}", " ")


def test_names_that_look_like_markup_are_shown_as_they_are(written):
    text = written["hostile"].markdown
    text = text.removeprefix(MARKDOWN_MARK)
    fenced = re.sub(r"^```+text\n.*?^```+$", "", text, flags=re.DOTALL | re.MULTILINE)
    bare = re.sub(r"`+[^`]*`+", "", fenced)
    assert not re.search(r"<[a-z/!]", bare)
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>1. not a list</p>", "\\1. not a list\n"),
        ("<ul><li>a</li><li># b</li></ul>", "- a\n- \\# b\n"),
        ("<pre>a ``` b</pre>", "````text\na ``` b\n````\n"),
        ("<p><code>a | b`c</code></p>", "`` a \\| b`c ``\n"),
        ("<div class='alert'><p>a</p><p>b</p></div>", "> a\n>\n> b\n"),
        ("<nav>no</nav><style>no</style><p>yes</p>", "yes\n"),
        ("<p>x</p><p data-drawn>colours</p>", "x\n"),
    ],
)
def test_blocks(page, text):
    assert markdown_of(page) == text


def test_signs_are_escaped():
    assert escape_markdown("*a* [b](c) <d> ~e~ $f$") == (
        "\\*a\\* \\[b\\](c) &lt;d&gt; \\~e\\~ \\$f\\$"
    )

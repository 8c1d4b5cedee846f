"""Pages are written in plain English; docs/glossary.md has the field's terms."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = {"run-json.md"}
PAGES = sorted(page for page in ROOT.glob("docs/**/*.md") if page.name not in GENERATED)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`|!\[[^\]]*\]\([^)]*\)", re.DOTALL | re.MULTILINE)
WORDS = ("somebody", "nobody", "whoever", "so many", "seen to", "dearer", "foretold")
DECODED = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_a_page_has_no_word_that_must_be_read_twice(page):
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    assert DECODED.findall(prose) == []


def test_code_is_no_prose_and_such_words_are_found():
    prose = CODE.sub("", "Tell somebody.\n```\nnobody\n```\n`whoever`")
    assert DECODED.findall(prose) == ["somebody"]


def test_the_glossary_is_in_alphabetical_order():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = [term.lower() for term in re.findall(r"^\*\*([^*]+)\.\*\*", page, re.MULTILINE)]
    assert len(terms) > 40
    assert terms == sorted(terms)

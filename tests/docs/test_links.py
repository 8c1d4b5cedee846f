import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (*ROOT.glob("*.md"), *sorted(ROOT.glob("docs/**/*.md")))
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
CODE = re.compile(r"^(`{3,}).*?^\1", re.DOTALL | re.MULTILINE)
REFERENCE = ROOT / "docs" / "api"  # pages that only the site fills


def links(page, text=None):
    text = page.read_text(encoding="utf-8") if text is None else text
    return [link for link in LINK.findall(CODE.sub("", text)) if not re.match(r"[a-z]+:", link)]


def test_links_lead_to_files_of_the_repository():
    dead = [
        (page, link) for page in PAGES for link in links(page) if not (page.parent / link).exists()
    ]
    assert dead == []


def test_every_page_but_the_reference_reads_in_the_repository():
    pages = [page for page in PAGES if REFERENCE not in page.parents]
    filled = re.compile(r"^(?:--8<--|;--8<--|::: )", re.MULTILINE)
    assert len(pages) > 30
    assert [page for page in pages if filled.search(page.read_text(encoding="utf-8"))] == []


@pytest.fixture
def root_pages():
    spec = spec_from_file_location("root_pages", ROOT / "docs" / "root_pages.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_site_stay_in_the_site(root_pages):
    docs = ROOT / "docs"
    for page in docs.rglob("*.md"):
        text = root_pages.in_site(
            page.read_text(encoding="utf-8"), page.relative_to(docs).as_posix()
        )
        for link in links(page, text):
            target = (page.parent / link).resolve()
            assert target.exists(), (page, link)
            assert docs in target.parents, (page, link)


def test_pages_of_the_root_are_whole_in_the_site(root_pages):
    for name, place in root_pages.PAGES.items():
        title = (ROOT / name).read_text(encoding="utf-8").partition("\n")[0]
        assert root_pages.in_site("", place).startswith(title)
    up = "see [a](../../CHANGELOG.md#added)"
    assert root_pages.in_site(up, "course/index.md") == "see [a](../changelog.md#added)"

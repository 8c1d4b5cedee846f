"""Show pages of the repository's root in the site: a hook of MkDocs, named in ``mkdocs.yml``.

Pages link to these where they lie in the repository, so that a link leads somewhere there too; the
site has them beside the others.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_UPWARD = re.compile(rf"\]\((?:\.\./)+({'|'.join(map(re.escape, PAGES))})")


def on_page_markdown(markdown: str, *, page: Any, **_others: Any) -> str:
    """Give the text of a page as the site needs it."""
    return in_site(markdown, page.file.src_uri)


def in_site(markdown: str, place: str) -> str:
    """Give the text of a page at a place below ``docs`` with the site's links."""
    shown = {page: name for name, page in PAGES.items()}.get(place)
    if shown is not None:
        return (ROOT / shown).read_text(encoding="utf-8").replace("](docs/", "](")
    folder = posixpath.dirname(place)
    return _UPWARD.sub(
        lambda found: f"]({posixpath.relpath(PAGES[found[1]], folder or '.')}", markdown
    )

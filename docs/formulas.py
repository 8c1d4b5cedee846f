"""Put MathJax into the site: a hook of MkDocs, named in ``mkdocs.yml``.

The site reads without a network, so formulas are set by a copy of MathJax that lies beside the
pages. It comes from the package sphinx-mathjax-offline, which is MathJax as files; Sphinx itself is
not used.
"""

from importlib.metadata import files
from pathlib import Path
from typing import Any

PACKAGE, SCRIPT = "sphinx-mathjax-offline", "mathjax/tex-svg.js"  # one file, with its letters


def on_post_build(config: Any) -> None:
    """Copy the script to where pages look for it."""
    (found,) = [each for each in files(PACKAGE) or () if each.as_posix().endswith(SCRIPT)]
    goal = Path(config.site_dir) / SCRIPT
    goal.parent.mkdir(exist_ok=True)
    goal.write_bytes(Path(found.locate()).read_bytes())

from pathlib import Path

import maxmargin
from maxmargin.datasets.shipped import DATA

PACKAGE = Path(maxmargin.__file__).parent
CONTENT = {".csv", ".gz", ".xml"}


def test_every_shipped_file_has_its_source_and_terms_written_down():
    """Data sets and what was trained on pictures alike."""
    licences = (DATA / "DATA_LICENSES.md").read_text(encoding="utf-8")
    files = [path for path in PACKAGE.rglob("*") if path.suffix in CONTENT]
    assert {path.parent.parent.name for path in files} == {"datasets", "vision"}
    named = {
        path: path.name if path.parent == DATA else f"vision/data/{path.name}" for path in files
    }
    assert [name for name in named.values() if f"`{name}`" not in licences] == []

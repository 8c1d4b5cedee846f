"""Markdown tables of the results; ``python -m benchmarks.table`` puts them into the document.

What stands between ``<!-- bench:begin -->`` and ``<!-- bench:end -->`` in docs/benchmarks.md is
replaced. The README quotes a few of the means; tests/docs/test_readme.py compares.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.tabulate import TABLES

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
DOCUMENT = ROOT / "docs" / "benchmarks.md"


def provenance(whole: dict[str, Any]) -> str:
    facts = whole["facts"]
    versions = ", ".join(f"{name} {found}" for name, found in facts["versions"].items())
    return (
        f"Measured {whole['date']} on {facts['cores']} cores of {facts['cpu']}, {facts['system']}, "
        f"Python {facts['python']}, {versions}, BLAS {facts['blas']}; "
        f"source {facts['source']}."
    )


def render(jobs: list[str] | None = None, folder: Path = record.RESULTS) -> str:
    """All tables that have results, each machine described once."""
    found = [(job, record.load(job, folder)) for job in jobs or TABLES]
    present = [(job, whole) for job, whole in found if whole]
    sources = dict.fromkeys(provenance(whole) for _, whole in present)
    return "\n\n".join([*(TABLES[job](whole) for job, whole in present), *sources])


def rewrite(path: Path) -> None:
    text, tables = path.read_text() if path.exists() else "", render()
    if not tables:
        print("No results yet; run python -m benchmarks.run first.")
        return
    if BEGIN not in text or END not in text:
        print(f"{path.name}: no {BEGIN} ... {END} to fill; left alone.")
        return
    block = f"{BEGIN}\n\n{tables}\n\n{END}"
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    path.write_text(re.sub(pattern, lambda _match: block, text, flags=re.DOTALL))
    print(f"{path.name}: tables written.")


if __name__ == "__main__":
    rewrite(DOCUMENT)

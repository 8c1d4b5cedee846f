"""Addresses of scenes on the pages open what they name."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

from maxmargin.studio.scene import NUMBERS, Model
from maxmargin.studio.sets import known_points

DOCS = Path(__file__).parents[2] / "docs"
LESSONS = {"hyperplanes", "soft-margins", "kernels", "optimisation", "adaboost", "ensembles"}


def addresses():
    for page in DOCS.glob("**/*.md"):
        for found in re.findall(r"#(set=[^`\n]+)", page.read_text(encoding="utf-8")):
            yield page.stem, dict(parse_qsl(found))


def test_addresses_name_sets_and_models_of_the_studio():
    known = known_points()
    for page, given in addresses():
        numbers = {k: float(v) for k, v in given.items() if k in NUMBERS}
        model = Model.read({**given, **numbers})
        assert given["set"] in known, page
        assert given["kind"] == model.kind
        assert given.keys() <= {"set", "kind", "kernel", "solver", *NUMBERS}, page


def test_the_course_links_its_topics_to_scenes():
    assert {page for page, _ in addresses()} >= LESSONS

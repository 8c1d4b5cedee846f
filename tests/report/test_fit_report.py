import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.datasets import make_overlapping
from maxmargin.report import Column, DataSummary, FitReport

HOSTILE = "<script>alert('x')</script>\"&{{ 7 * 7 }}"


def make_report(target="label", source="points.csv", names=("x1", "x2"), labels=("no", "yes")):
    X, y = make_overlapping(80, random_state=0)
    y = np.where(y > 0, labels[1], labels[0])
    columns = tuple(Column(name, "number", "standardised") for name in names)
    model = make_pipeline(StandardScaler(), SVC()).fit(X[:50], y[:50])
    return FitReport.of(
        model,
        (X[:50], y[:50]),
        (X[50:], y[50:]),
        data=DataSummary(source, "ab12", 83, 3, target, columns, notes=(f"about {target}",)),
        command=f"maxmargin fit {source}",
    )


@pytest.fixture(scope="module")
def report():
    return make_report()


@pytest.fixture(scope="module")
def page(report):
    return report.render()


class Balance(HTMLParser):
    """Checks that every element that opens also closes, in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "link"})

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parse(page: str) -> Balance:
    parser = Balance()
    parser.feed(page)
    parser.close()
    assert not parser.open
    return parser


def test_it_is_well_formed_and_stands_alone(page):
    for tag, attributes in parse(page).seen:
        assert tag not in {"script", "link", "img", "iframe"}
        reference = attributes.get("href") or attributes.get("xlink:href") or attributes.get("src")
        assert reference is None or reference.startswith("#")
    assert "url(http" not in page
    assert "@import" not in page


def test_the_certificate_is_there_in_full(report, page):
    certificate = report.model.certificate_
    assert str(certificate) in page
    assert certificate.status.name in page
    for field in ("primal value", "dual value", "relative gap", "KKT violation", "rounding floor"):
        assert field in page


def test_the_roc_curve_is_there_with_both_parts(report, page):
    areas = f"test AUC {report.test.roc.area:.3f}, training, optimistic AUC"
    assert f'<svg role="img" aria-label="ROC curve: {areas}' in page
    assert "it flatters" in page


def test_accuracy_comes_with_its_interval(report, page):
    low, high = report.test.accuracy.interval()
    assert f"{100 * low:.1f} % to {100 * high:.1f} %" in page


def test_pictures_say_what_they_show(page):
    pictures = [attributes for tag, attributes in parse(page).seen if tag == "svg"]
    assert len(pictures) == 2
    assert all(picture["role"] == "img" and picture["aria-label"] for picture in pictures)


def test_data_command_and_versions_are_there(page):
    for text in ("83 rows in the file", "3 dropped", "maxmargin fit points.csv", "ab12", "numpy"):
        assert text in page


def test_hostile_names_stay_text():
    page = make_report(HOSTILE, HOSTILE, (HOSTILE, HOSTILE), labels=(HOSTILE, "yes")).render()
    assert all(tag != "script" for tag, _ in parse(page).seen)
    assert "{{ 7 * 7 }}" in page
    assert "<script" not in page


def test_the_same_fit_gives_the_same_bytes(report):
    assert report.render() == make_report().render()


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    report = FitReport.of(
        SVC().fit(X[::2], y[::2]),
        (X[::2], y[::2]),
        (X[1::2], y[1::2]),
        data=DataSummary("iris.csv", "", 150, 0, "species", ()),
        command="",
    )
    page = report.render()
    parse(page)
    assert "Average of each class against the rest" in page
    assert report.class_counts == [(0, 25, 25), (1, 25, 25), (2, 25, 25)]
    assert len(re.findall("<td[^>]* style=", page)) == 9


def test_test_rows_of_one_class_have_no_curve():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    data = DataSummary("six.csv", "", 6, 0, "y", ())
    report = FitReport.of(SVC().fit(X, y), (X, y), (X[:2], y[:2]), data=data, command="")
    page = report.render()
    parse(page)
    assert "there is no curve" in page


def test_save_writes_the_page(report, page, tmp_path):
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page

import re
import string
from html.parser import HTMLParser

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRegressor,
    LinearClassifier,
    LinearSVC,
    OneVsOneClassifier,
    OneVsRestClassifier,
)
from maxmargin.boosting import Stop
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


def test_certified_does_not_stand_beside_the_scores(report, page):
    tiles = page[page.index('class="tiles"') : page.index('aria-labelledby="accuracy"')]
    assert "certified" not in tiles.lower()
    label, found = report.test.worst
    assert f"Class found least: <bdi>{label}</bdi>" in tiles
    assert f"{found.count} of its {found.total} test rows" in tiles


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
    assert "There is no curve: the test rows are all of one class." in page


def report_of(model, X, y):
    data = DataSummary("rows.csv", "", len(y), 0, "y", ())
    return FitReport.of(model, (X[::2], y[::2]), (X[1::2], y[1::2]), data=data, command="")


POINTS = make_overlapping(80, random_state=0)


@pytest.mark.parametrize(
    ("model", "kind", "size"),
    [
        (LinearSVC(), "linear classifier", "weights on 2 of 2 columns"),
        (LinearClassifier(penalty="l1", C=1e-3), "linear classifier", "weights on 0 of 2 columns"),
        (AdaBoostClassifier(n_estimators=7), "boosted classifier", "of 7 members"),
        (BoostingClassifier(n_estimators=7), "boosted classifier", "of 7 members"),
        (BaggingClassifier(n_estimators=7, random_state=0), "bagged classifier", "of 7 members"),
        (OneVsRestClassifier(SVC()), "classifier", "of 1 member."),
        (sklearn.svm.SVC(), "support vector classifier", "support vectors among 40 training rows"),
        (GaussianNB(), "classifier", ""),
        (VotingClassifier([("a", GaussianNB()), ("b", SVC())]), "classifier", "of 2 members"),
    ],
    ids=repr,
)
def test_every_classifier_has_a_report(model, kind, size):
    X, y = POINTS
    model = make_pipeline(StandardScaler(), model).fit(X[::2], y[::2])
    report = report_of(model, X, y)
    page = report.render()
    parse(page)
    assert f"A {kind} fitted to" in page
    assert size in page
    certified = hasattr(report.model, "certificate_") or isinstance(
        report.model, OneVsRestClassifier
    )
    assert ("Did the optimiser finish?" in page) == certified
    assert ("by round" in page or "by member" in page) == hasattr(report.model, "stop_")


def test_rounds_are_told_with_their_bounds():
    X, y = POINTS
    report = report_of(AdaBoostClassifier(n_estimators=7).fit(X[::2], y[::2]), X, y)
    page = report.render()
    assert Stop.ROUNDS.sentence in page
    assert set(report.errors) == {"edge bound", "bound", "train", "test"}
    assert report.errors["test"][-1] == pytest.approx(1 - report.test.accuracy.value)
    assert "bound on the training error" in page
    assert 'aria-label="Errors after 7 rounds: ' in page


def test_the_worst_problem_of_a_wrapper_speaks_for_all():
    X, y = load_iris(return_X_y=True)
    report = report_of(OneVsOneClassifier(SVC()).fit(X[::2], y[::2]), X, y)
    gaps = [each.certificate_.relative_gap for each in report.model.estimators_]
    assert report.certificate.relative_gap == max(gaps)
    assert "Of the problems of the single classes this one is the worst." in report.render()


def test_a_model_of_no_classes_is_refused_in_a_sentence():
    X, y = POINTS
    with pytest.raises(TypeError, match=r"^BoostingRegressor is no classifier.*in one\.$"):
        report_of(BoostingRegressor(n_estimators=2).fit(X, y), X, y)


def test_a_model_that_only_names_classes_has_no_curve():
    X, y = POINTS
    voting = VotingClassifier([("a", GaussianNB()), ("b", SVC())]).fit(X, y)
    page = report_of(voting, X, y).render()
    assert "There is no curve: the model only names classes." in page


def make_letters(count, names=string.ascii_letters):
    rng = np.random.default_rng(0)
    y = np.array([names[k] for k in np.repeat(np.arange(count), 20)])
    X = np.repeat(np.arange(count), 20)[:, None] + 0.4 * rng.normal(size=(20 * count, 1))
    return X, y


def test_the_matrix_of_26_classes_fits():
    """Columns of a share of the width each, letters that shrink with them, and nothing cut off."""
    X, y = make_letters(26)
    report = report_of(GaussianNB().fit(X, y), X, y)
    page = report.render()
    parse(page)
    table = re.search('<table class="confusion crowded" style="([^"]*)">', page)
    assert table[1] == "--classes: 26; --head: 2; --digits: 2"
    assert re.search(r"\.crowded \{ table-layout: fixed;[^}]*font-size: min\([^}]*cqw", page)
    assert re.search(r"\.crowded td[^}]*min-width: 0;", page)
    assert "overflow: hidden" not in re.search(r"\.crowded td, [^}]*\}", page)[0]
    assert page.index('id="confusion"') > page.index("Both parts")  # in a section of its own
    label, taken, count = report.test.confusions[0]
    first = re.search("Most frequent mistakes.*?<tbody>(.*?)</tr>", page, re.DOTALL)[1]
    assert re.sub("<[^>]*>", " ", first).split() == [label, taken, str(count)]


def test_a_matrix_of_long_names_turns_them():
    X, y = make_letters(6, ["a name of many letters " + letter for letter in "abcdef"])
    page = report_of(GaussianNB().fit(X, y), X, y).render()
    assert '<table class="confusion crowded tall" style="--classes: 6; --head: 3.0;' in page
    assert "Most frequent mistakes" not in page


def test_save_writes_the_page(report, page, tmp_path):
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page

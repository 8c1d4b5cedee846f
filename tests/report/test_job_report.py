import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from maxmargin import GlassBoxClassifier
from maxmargin.evaluation import Interval, Look, PrecisionRecallCurve, Trail, Use
from maxmargin.job import ClassResult, Entry
from maxmargin.job.conformal import judge_intervals
from maxmargin.job.costs import CostCurve, CostResult, Costs
from maxmargin.report import JobReport
from maxmargin.tables import Column

KINDS = ("heart", "rare", "adaboost", "letters", "quantity", "hostile")
VOID = frozenset({"meta", "br", "hr", "img", "link"})


class Page(HTMLParser):
    """Reads a page: elements that open and close in order, their attributes, and all text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"style", "title"}:
            self.text.append(data)

    @property
    def pictures(self):
        """Drawings that are read out, not the signs in keys."""
        return [each for tag, each in self.seen if tag == "svg" and "aria-hidden" not in each]

    @property
    def headings(self):
        return [each["id"] for tag, each in self.seen if tag == "h2" and "id" in each]

    @property
    def ids(self):
        return [each["id"] for _, each in self.seen if "id" in each]


def words(text):
    """Give a part of a page as one line of words."""
    inline = re.sub("</?(bdi|strong|code|span)[^>]*>", "", text)
    return " ".join(unescape(re.sub("<[^>]*>", " ", inline)).split())


def section(page, name):
    """Give the words of a section."""
    found = re.search(rf'<section aria-labelledby="{name}">(.*?)</section>', page, re.DOTALL)
    return words(found[1]) if found else ""


@pytest.fixture(scope="module")
def pages(outcomes):
    return {kind: JobReport(getattr(outcomes, kind)()).render() for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_well_formed_and_stands_alone(pages, kind):
    page = Page(pages[kind])
    for tag, attributes in page.seen:
        assert tag not in {"script", "link", "iframe", "img"}
        for name in ("href", "xlink:href", "src"):
            assert attributes.get(name, "#").startswith("#")
    assert len(page.ids) == len(set(page.ids))
    linked = {each["href"][1:] for tag, each in page.seen if tag == "a"}
    assert linked == set(page.headings) - {"answer"}
    assert not re.search(r"url\((?!#)|@import|nan\b", pages[kind])
    assert len(pages[kind]) < 1_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_narrow_page_no_column_is_hidden(pages, kind):
    """Lines of broad tables become blocks there, and each number has the name of its column."""
    tables = re.findall(r'<table class="[^"]*stacked">.*?</table>', pages[kind], re.DOTALL)
    assert tables
    assert all(f'class="{name} ' in pages[kind] for name in ("models", "columns"))
    for table in tables:
        cells = re.findall(r'<td class="count[^>]*>', table)
        heads = set(re.findall(r'<th scope="col"[^>]*>([^<]+)</th>', table))
        assert cells
        assert all("data-label=" in cell for cell in cells)
        assert set(re.findall(r'data-label="([^"]+)"', table)) <= heads
    assert ".stacked tbody td[data-label]::before" in pages[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_says_its_numbers(pages, kind):
    found = Page(pages[kind]).pictures
    assert len(found) >= 4
    for picture in found:
        assert picture["role"] == "img"
        assert re.search(r"\d", picture["aria-label"])


@pytest.mark.parametrize("kind", KINDS)
def test_certified_is_a_word_of_the_optimisation_alone(pages, kind):
    said = "certified" in section(pages[kind], "optimisation").lower()
    elsewhere = re.sub(r'<section aria-labelledby="optimisation">.*?</section>', "",
                       pages[kind], flags=re.DOTALL)  # fmt: skip
    assert "certified" not in elsewhere.lower()
    assert said == (kind in {"heart", "letters", "hostile"})


def test_each_kind_has_its_sections(pages):
    found = {kind: Page(page).headings for kind, page in pages.items()}
    start = ["answer", "data", "protocol", "models"]
    ends = ["importance", "suspects", "optimisation", "repeat"]
    assert found["heart"] == [*start, "curves", "confusion", "margins", "tuning", *ends]
    assert found["letters"] == [*start, "confusion", "calibration", "margins", *ends]
    assert found["adaboost"][4:-4] == ["curves", "confusion", "calibration", "margins", "rounds"]
    assert found["quantity"] == [*start, "fit", "rounds", "importance", "suspects", "repeat"]


def test_the_answer_comes_first_with_its_interval_and_the_baseline(outcomes, pages):
    outcome, said = outcomes.heart(), section(pages["heart"], "answer")
    result = outcome.test.look.result
    for share in (result.value, result.low, result.high, outcome.test.baseline):
        assert f"{100 * share:.1f} %" in said
    done = sum(entry.run is not None for entry in outcome.entries)
    assert 1 < done < len(outcome.entries)
    assert f"SVM, radial kernel was chosen among {done} models by accuracy on 3 folds" in said
    assert "which nothing had seen" in said
    assert outcome.verdict.words() in said
    assert "Not clearly better" not in said
    assert outcome.notes[0] in said


def test_a_rare_class_that_is_missed_is_seen_at_once(outcomes, pages):
    """Nearly every row is right, and yet nothing on the page says that all is well."""
    outcome, said = outcomes.rare(), section(pages["rare"], "answer")
    fraud = next(each for each in outcome.test.classes if each.label == "fraud")
    found = round(fraud.recall.value * fraud.rows)
    assert outcome.test.look.result.value > 0.95
    assert fraud.recall.value < 0.5
    warning = f"The answer {fraud.rows - found} of {fraud.rows} test rows of class fraud are missed"
    assert said.startswith(warning)
    assert "accuracy hardly shows it" in said
    assert 'class="alert bad"' in pages["rare"]
    assert re.search(rf'tile-value bad">{100 * fraud.recall.value:.1f}\s%', pages["rare"])
    assert "Not clearly better than always naming the commonest class" in said


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (Interval(0.25, 0.2, 0.3), "Worse than always naming"),
        (Interval(0.95, 0.5, 0.99), "Not clearly better than always naming"),
        (Interval(0.98, 0.97, 0.99), ""),
        (Interval(1.0, np.nan, np.nan), ""),
        (Interval(0.9, np.nan, np.nan), "Not clearly better than always naming"),
    ],
)
def test_a_score_that_guessing_reaches_is_told(outcomes, result, said):
    outcome = outcomes.rare()
    look = replace(outcome.test.look, result=result)
    test = replace(outcome.test, look=look, baseline=0.9, roc=None, precision_recall=None)
    page = JobReport(replace(outcome, test=test, entries=outcome.entries[:1], train=None,
                             runner_up="")).render()  # fmt: skip
    answer = section(page, "answer")
    assert said in answer
    assert bool(said) == bool(re.search("Worse than|Not clearly better", answer))


def test_curves_are_those_of_the_rarer_class(outcomes, pages):
    """Of fraud, though ok comes later in the alphabet: its own average precision would flatter."""
    outcome, page = outcomes.rare(), pages["rare"]
    assert outcome.test.precision_recall.area > 0.99
    curve = PrecisionRecallCurve.from_scores(
        outcome.test.truth, -outcome.test.decision, ["ok", "fraud"]
    )
    assert curve.area < 0.7
    assert "The class to be found is fraud, the rarer one" in section(page, "curves")
    assert f"test rows: AP {curve.area:.3f}; folds: AP" in page
    assert "Average precision is that of fraud" in section(page, "models")
    assert "Probability of fraud against what happened" in page
    mean = JobReport(outcome).sought.score(outcome["logistic"], "average_precision")
    assert f"{mean:.3f}" in section(page, "models")
    assert mean < 0.9 < outcome["logistic"].scores["average_precision"]


def test_models_without_a_result_say_why(pages):
    said = section(pages["heart"], "models")
    assert "bagging of trees stopped: the time budget of 2m was spent" in said
    assert "SVM, polynomial failed: ValueError: x < 0 & y" in said
    assert re.search(r"SVM, radial kernel C = \d+, gamma = 0", said)


def test_a_model_that_was_stopped_with_a_score_says_both(outcomes):
    outcome = outcomes.quantity()
    second = replace(outcome.entries[1], status="stopped", reason="Ctrl-C after 2 folds")
    entries = (outcome.entries[0], second)
    said = section(JobReport(replace(outcome, entries=entries)).render(), "models")
    score = -second.run.mean
    assert f"ridge regression (stopped: Ctrl-C after 2 folds) {score:#.4g}" in said


def test_a_second_look_is_shown_as_such(outcomes):
    outcome = outcomes.rare()
    look = replace(outcome.test.look, number=2, reason="after a change")
    page = JobReport(replace(outcome, test=replace(outcome.test, look=look))).render()
    assert "This was look 2 at the test rows." in section(page, "answer")
    assert "which nothing had seen" not in section(page, "answer")
    assert "looked at 2 times: they are no longer unseen" in section(page, "protocol")


def test_what_a_protocol_must_not_do_is_told(outcomes):
    outcome = outcomes.rare()
    rows = np.arange(5)
    trail = Trail((Use("fold 1", "train", rows), Use("fold 1", "validate", rows)), 900)
    said = section(JobReport(replace(outcome, trail=trail)).render(), "protocol")
    assert "Fold 1 judges on 5 of the rows it learns from." in said


def test_the_matrix_and_the_mistakes_of_26_classes(outcomes, pages):
    page, counts = pages["letters"], outcomes.letters().test.confusion
    assert 'style="--classes: 26; --head: 2; --digits: 2"' in page
    assert len(re.findall("<td[^>]* style=", page)) == 26**2
    wrong = counts - np.diag(np.diag(counts))
    given = outcomes.letters().test.labels[int(wrong.argmax()) // 26]
    first = re.search(r"Commonest mistakes (\d+) of \d+ rows of (\w)", section(page, "confusion"))
    assert (int(first[1]), first[2]) == (wrong.max(), given)
    assert "classes are found in less than 80 % of their test rows" in section(page, "answer")


def test_of_very_many_classes_those_with_the_most_mistakes_are_shown(outcomes):
    outcome = outcomes.letters()
    many = 200
    counts = np.diag(np.full(many, 5))
    counts[150, 199] = 3
    labels = tuple(f"c{k}" for k in range(many))
    test = replace(outcome.test, labels=labels, confusion=counts)
    report = JobReport(replace(outcome, test=test))
    page = report.render()
    assert "Shown are 40 of 200 classes" in page
    assert {"c150", "c199"} <= set(report.confusion.labels)
    assert "3 of 8 rows of c150 were taken for c199 (37.5 %)." in section(page, "confusion")


def test_many_columns_are_folded_away_and_warnings_are_not(outcomes):
    outcome = outcomes.rare()
    wide = [Column(f"c{k}", "number", "feature", "as it is", 0, 9) for k in range(500)]
    wide[400] = replace(wide[400], warning="it equals the target")
    table = replace(outcome.table, columns=tuple(wide))
    page = JobReport(replace(outcome, table=table)).render()
    warning = "<strong><bdi>c400</bdi>: it equals the target</strong>"
    assert 0 < page.index(warning) < page.index("All 500 columns")
    assert "Look at c400: it equals the target." in section(page, "answer")
    assert re.search("<details><summary>All 500 columns</summary>.*c499.*?</details>",
                     page, re.DOTALL)  # fmt: skip


def test_rounds_stand_under_their_bounds(pages):
    assert re.search(
        "Errors after 25 rounds: edge bound .* %, bound .* %, train", pages["adaboost"]
    )
    assert "Theorems bound the training error" in section(pages["adaboost"], "rounds")
    assert "Theorems" not in section(pages["quantity"], "rounds")
    assert "Loss after every round, in the end: train" in pages["quantity"]


def test_a_quantity_is_told_in_its_own_terms(outcomes, pages):
    said = section(pages["quantity"], "answer")
    error = -outcomes.quantity().test.look.result.value
    assert f"its mean absolute error is {error:#.4g}" in said
    assert "always predicting the mean gives 4.001" in said
    assert "less is better" in section(pages["quantity"], "models")
    assert "True against predicted values of 100 rows" in pages["quantity"]


def test_hostile_names_stay_text_and_are_seen_whole(pages):
    page = pages["hostile"]
    assert "<script" not in page
    assert r"{{ 7 * 7 }} $a_b$ \x07\u202e" in page
    assert not set("\x07\u202e") & set(page)
    assert "عربي 中文 $x$" in page
    assert "z" * 81 not in page


def test_what_is_missing_is_left_out(outcomes):
    """An outcome of which hardly anything is known still has a page."""
    outcome = outcomes.rare()
    look = Look(1, "", "logistic", "accuracy", None)
    unknown = Interval(np.nan, np.nan, np.nan)
    classes = (ClassResult("fraud", 0, unknown, unknown), outcome.test.classes[1])
    bare = replace(
        outcome,
        entries=(Entry("logistic", "logistic regression", "done"),),
        runner_up="",
        verdict=None,
        suspects=(),
        importances=(),
        trail=Trail((), 900),
        train=None,
        test=replace(outcome.test, look=look, decision=None, scores={}, classes=classes, roc=None,
                     precision_recall=None, probability=None, confusion=None, labels=(),
                     baseline=np.nan),
    )  # fmt: skip
    page = JobReport(bare).render()
    assert Page(page).headings == ["answer", "data", "protocol", "models", "repeat"]
    said = section(page, "answer")
    assert "There is no second model to compare it with." in said
    assert "No test row is of class fraud" in said
    assert not re.search(r"\bnan\b", words(page), re.IGNORECASE)


@pytest.mark.parametrize(
    ("kind", "missing"),
    [
        ("heart", {"verdict": None}),
        ("rare", {"verdict": None, "runner_up": ""}),
        ("letters", {"train": None}),
        ("quantity", {"suspects": (), "importances": ()}),
        ("hostile", {"notes": ("<b>&</b>",)}),
    ],
    ids=str,
)
def test_any_part_may_be_missing(outcomes, kind, missing):
    outcome = getattr(outcomes, kind)()
    entries = tuple(replace(entry, run=None, roc=None, precision_recall=None, tuning=None)
                    for entry in outcome.entries)  # fmt: skip
    page = JobReport(replace(outcome, entries=entries, **missing)).render()
    Page(page)
    assert "<b>" not in page
    assert ("Second came" in page) == ("runner_up" not in missing)


def test_the_same_outcome_gives_the_same_bytes(outcomes, pages):
    assert JobReport(outcomes.quantity()).render() == pages["quantity"]


def test_how_to_repeat_it(outcomes, pages):
    said = section(pages["heart"], "repeat")
    assert outcomes.heart().command in said
    assert "Seed 0." in said
    assert outcomes.heart().table.digest in said
    assert re.search(r"Python \d.* numpy \d", pages["heart"])


def test_save_writes_the_page(outcomes, pages, tmp_path):
    JobReport(outcomes.quantity()).save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == pages["quantity"]


def test_the_shapes_of_the_glass_box_are_drawn_whoever_won(outcomes, pages):
    outcome = outcomes.heart()
    X, y = outcome.train
    model = GlassBoxClassifier(n_estimators=15, n_bags=2, pairs=[(0, 1)], n_iter_no_change=None)
    page = JobReport(replace(outcome, shapes=make_pipeline(model).fit(X, y))).render()
    assert "Shapes of the glass box" not in pages["heart"]
    assert "shapes" in Page(page).headings
    said = section(page, "shapes")
    assert "The glass box did not win, but it can be read" in said
    assert f"the decision for {outcome.table.schema.classes[1]}" in said
    assert len(page) - len(pages["heart"]) < 600_000
    drawn = [each["aria-label"] for each in Page(page).pictures]
    terms = {term.name: term for term in model.terms_}
    shown = [label for label in drawn if label.startswith("What ")]
    assert len(shown) == min(len(terms), 13)
    pair = next(term for term in model.terms_ if term.kind == "pair")
    assert any(label.startswith(f"What {pair.name} adds: ") for label in shown)


def test_what_mistakes_cost_is_said_and_drawn(outcomes, pages):
    outcome, costs = outcomes.adaboost(), Costs(10.0, 1.0)
    truth, shares = np.array([False, True, True]), np.array([0.125, 0.375, 0.875])
    curve = CostCurve.of(truth, shares, costs)
    result = CostResult(costs, "Yes", 0.25, curve, 0.5, 0.75, 0.625, 3, 1)
    page = JobReport(replace(outcome, cost=result)).render()
    assert "costs" not in Page(pages["adaboost"]).headings
    said = section(page, "costs")
    assert "at least 25.0 % are called so" in said
    assert "0.500 a row (3 missed, 1 false alarm)" in said
    assert any("0 at the chosen one of 25 %" in each["aria-label"] for each in Page(page).pictures)


@pytest.mark.parametrize(("half", "held"), [(1e9, "100.0 %"), (1e-9, "0.0 %")])
def test_how_often_intervals_held_is_said_and_drawn(outcomes, half, held):
    outcome = outcomes.quantity()
    test = outcome.test
    ends = np.column_stack([test.truth + 1e-6 - half, test.truth + 1e-6 + half])
    found = judge_intervals(0.9, ends, test.truth)
    page = JobReport(replace(outcome, intervals=found)).render()
    said = section(page, "intervals")
    assert f"It held {held} of the test rows" in said
    assert ("fewer than promised" in said) == (half < 1.0)
    assert any(each["aria-label"].startswith("Intervals of ") for each in Page(page).pictures)

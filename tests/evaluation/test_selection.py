import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from maxmargin import SVC
from maxmargin.datasets import load_heart, load_mixture
from maxmargin.evaluation import (
    RATIOS,
    TestVault,
    Trail,
    Use,
    clopper_pearson,
    compare,
    delong_interval,
    nested,
    score_interval,
    select,
)
from maxmargin.evaluation.protocol import Ratio
from maxmargin.inputs.parameters import ParameterError

X, Y = load_mixture(return_X_y=True)
MODELS = {
    "radial": SVC(gamma=1.0),
    "nearly the same": SVC(gamma=1.05),
    "guess": DummyClassifier(strategy="constant", constant=0),
}


# the vault


def test_the_vault_keeps_its_rows_and_counts_every_look():
    vault = TestVault(X, Y, random_state=0)
    assert len(vault.test_rows) == 50
    assert Y[vault.test_rows].mean() == 0.5
    np.testing.assert_array_equal(np.sort([*vault.rows, *vault.test_rows]), np.arange(200))
    np.testing.assert_array_equal(vault.X, X[vault.rows])
    model = SVC(gamma=1.0).fit(vault.X, vault.y)
    right = int((model.predict(X[vault.test_rows]) == Y[vault.test_rows]).sum())

    first = vault.score(model, reason="the final model")
    assert (first.result, first.scoring) == (clopper_pearson(right, 50), "accuracy")
    assert "not the first" not in str(first)
    second = vault.score(model, scoring="roc_auc", reason="once more")
    assert str(second).startswith("look 2 (not the first: the test rows are no longer unseen)")
    given = vault.open("a picture")
    np.testing.assert_array_equal(given[0], X[vault.test_rows])
    assert [look.number for look in vault.looks] == [1, 2, 3]
    assert [look.first for look in vault.looks] == [True, False, False]
    assert repr(vault) == "TestVault(50 of 200 rows, opened 3 times)"


def test_looks_cannot_be_taken_back_and_travel_with_the_vault():
    vault = TestVault(X, Y, random_state=0)
    vault.open("a look")
    with pytest.raises(AttributeError):
        vault.looks = ()
    for other in (copy.deepcopy(vault), pickle.loads(pickle.dumps(vault))):
        assert other.looks == vault.looks


def test_groups_stay_on_one_side_of_the_door():
    groups = np.arange(200) // 4
    vault = TestVault(X, Y, groups=groups, random_state=0)
    assert np.intersect1d(groups[vault.test_rows], vault.groups).size == 0


def test_every_score_has_the_interval_that_fits_it():
    model = SVC(gamma=1.0).fit(X[::2], Y[::2])
    other, truth = X[1::2], Y[1::2]
    values = model.decision_function(other)
    area = score_interval(model, other, truth, scoring="roc_auc")
    assert area == delong_interval(truth, values)
    assert area.value == pytest.approx(roc_auc_score(truth, values))
    weight = 1.0 + truth
    weighted = score_interval(model, other, truth, sample_weight=weight)
    assert weighted.method == "bootstrap, bca"
    assert weighted.value == pytest.approx(model.score(other, truth, sample_weight=weight))
    assert weighted.low < weighted.value < weighted.high


# selection


@pytest.mark.parametrize("ratio", RATIOS)
def test_ratios_part_rows_in_three_and_the_winner_is_fitted_to_two_parts(ratio):
    chosen = select(MODELS, X, Y, ratio, random_state=0)
    shares = list(Ratio.of(ratio).counts(200))
    trail = chosen.trail
    parts = [trail.rows("train", "fold 1"), trail.rows("validate"), chosen.vault.test_rows]
    assert [len(part) for part in parts] == shares
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(200))
    both = np.sort(np.concatenate(parts[:2]))
    np.testing.assert_array_equal(trail.rows("train", "refit"), both)
    again = SVC(gamma=MODELS[chosen.winner].gamma).fit(X[both], Y[both])
    np.testing.assert_array_equal(chosen.model.decision_function(X), again.decision_function(X))
    assert f"fitted again to all {len(both)} training and validation rows" in str(chosen)
    assert f"{shares[2]} test rows were never looked at" in str(chosen)


ROUND = [(a, b, 100 - a - b) for a in range(5, 95, 5) for b in range(5, 100 - a, 5)]


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_round_shares_of_round_numbers_are_met_exactly(n):
    for a, b, c in ROUND:
        exact = [Fraction(part * n, 100) for part in (a, b, c)]
        assert list(Ratio.of(f"{a}/{b}/{c}").counts(n)) == exact


@pytest.mark.parametrize("ratio", [shares for shares in ROUND if not any(p % 10 for p in shares)])
def test_a_selection_has_the_parts_that_the_shares_say(ratio):
    rows, y = np.zeros((100, 1)), np.arange(100) % 2
    chosen = select(DummyClassifier(), rows, y, "/".join(map(str, ratio)), random_state=0)
    fold = chosen.runs["DummyClassifier"].folds[0]
    found = len(fold.train), len(fold.validate), len(chosen.vault.test_rows)
    assert found == ratio


@pytest.mark.parametrize("n", [3, 7, 20, 99, 200])
def test_remainders_go_to_those_that_are_largest(n):
    for a, b, c in ROUND[::3]:
        found = Ratio.of(f"{a}/{b}/{c}").counts(n)
        assert sum(found) == n
        assert min(found) >= 1
        off = [abs(k - share * n / 100) for k, share in zip(found, (a, b, c), strict=True)]
        assert n < 20 or max(off) < 1
    thirds = Ratio.of("1/3").counts(n)
    assert thirds == tuple(len(part) for part in np.array_split(np.arange(n), 3))


def test_shares_may_be_parts():
    assert Ratio.of("1/3") == Ratio.of("1/1/1") == Ratio(1 / 3, 1 / 3, 1 / 3)
    assert Ratio.of("7/1/2").counts(100) == Ratio.of("70/10/20").counts(100) == (70, 10, 20)
    chosen = select(DummyClassifier(), np.zeros((10, 1)), np.arange(10) % 2, "1/3", random_state=0)
    assert len(chosen.vault.test_rows) == 3
    for wrong in ("50/25/30", "1/2", "1/0/1", "0/0/0", "a/b/c", "nan/1/1"):
        with pytest.raises(ParameterError):
            Ratio.of(wrong)
    with pytest.raises(ValueError, match="too few"):
        Ratio.of("1/3").counts(2)


def test_groups_are_counted_as_groups():
    groups = np.arange(200) // 2
    chosen = select(DummyClassifier(), X, Y, "70/10/20", groups=groups, random_state=0)
    fold = chosen.runs["DummyClassifier"].folds[0]
    assert (len(fold.train), len(fold.validate), len(chosen.vault.test_rows)) == (140, 20, 40)


def test_the_trail_shows_looks_and_finds_nothing_wrong():
    chosen = select(MODELS, X, Y, 5, random_state=0)
    assert chosen.trail.problems == []
    assert chosen.trail.rows("test").size == 0
    look = chosen.test()
    assert look.model == chosen.winner
    assert chosen.trail.steps[-2:] == ["refit", "look 1"]
    np.testing.assert_array_equal(chosen.trail.rows("test"), chosen.vault.test_rows)
    assert chosen.trail.problems == []
    codes = chosen.trail.matrix()
    assert codes.shape == (7, 200)
    assert (np.bincount(codes[-1], minlength=4) == [160, 0, 0, 40]).all()


def test_a_spoiled_trail_says_so():
    uses = (
        Use("fold 1", "train", np.arange(6)),
        Use("fold 1", "validate", np.arange(5, 8)),
        Use("look 1", "test", np.arange(7, 10)),
    )
    assert Trail(uses, 10).problems == [
        "fold 1 judges on 1 of the rows it learns from",
        "1 of the test rows were used for something else",
    ]


def test_the_best_mean_wins_and_the_first_of_equals():
    chosen = select(MODELS, X, Y, 5, random_state=0)
    means = {name: run.mean for name, run in chosen.runs.items()}
    assert means[chosen.winner] == max(means.values())
    twins = select({"a": SVC(gamma=1.0), "b": SVC(gamma=1.0)}, X, Y, 3, random_state=0)
    assert twins.winner == "a"


def test_without_test_rows_there_is_no_test():
    chosen = select(MODELS, X, Y, 3, test_size=0, random_state=0)
    assert chosen.vault is None
    assert len(chosen.trail.rows("train", "refit")) == 200
    with pytest.raises(ValueError, match="No test rows were held out"):
        chosen.test()


def test_the_trail_knows_rows_of_the_refit_that_no_fold_used():
    chosen = select(SVC(), X, Y, [(np.arange(80, 120), np.arange(60, 80))], test_size=0)
    assert len(chosen.trail.rows("train", "fold 1")) == 40
    assert len(chosen.trail.rows("train", "refit")) == chosen.model.shape_fit_[0] == 200


def test_selection_repeats_with_its_seed():
    first, again = (select(MODELS, X, Y, 3, random_state=5) for _ in range(2))
    assert first.test().result == again.test().result
    np.testing.assert_array_equal(first.trail.matrix(), again.trail.matrix())


# comparisons


def test_a_comparison_says_what_means_anything():
    table = compare(MODELS, X, Y, random_state=0)
    lines = {line["model"]: line for line in table.to_dicts()}
    assert table.best in ("radial", "nearly the same")
    other = ({"radial", "nearly the same"} - {table.best}).pop()
    assert "may be chance" in lines[other]["verdict"]
    assert lines["guess"]["verdict"].startswith(f"{table.best} is better (p ")
    assert lines["guess"]["difference"] < -0.2
    assert str(table).startswith(f"{table.best} has the best mean accuracy, 0.")
    assert lines[table.best]["verdict"] == "the best mean"
    assert repr(table).startswith("model")
    assert len(repr(table).splitlines()) == 4


@pytest.mark.parametrize("test", ["5x2f", "5x2t", "corrected"])
def test_equal_models_are_never_called_different(test):
    table = compare({"a": SVC(gamma=1.0), "b": SVC(gamma=1.0)}, X, Y, test=test, random_state=0)
    assert table.verdicts["b"].p == 1.0
    assert table.verdicts["b"].difference == 0


def test_tables_are_frames_and_pages():
    table = compare({"<b>": SVC(), "other": LogisticRegression()}, X, Y, random_state=0)
    frames = [table.to_frame(library) for library in ("pandas", "polars")]
    assert [list(frame["model"]) for frame in frames] == [list(table.runs)] * 2
    assert "&lt;b&gt;" in table._repr_html_()
    assert "<b>" not in table._repr_html_()
    with pytest.raises(ValueError, match="'library' parameter of to_frame"):
        table.to_frame("arrow")


def test_a_frame_needs_its_library(monkeypatch):
    table = compare({"a": SVC(), "b": LogisticRegression()}, X, Y, random_state=0)
    monkeypatch.setattr("maxmargin.inputs.tabular.find_spec", lambda _: None)
    with pytest.raises(ImportError, match="to_frame needs pandas or polars: install it"):
        table.to_frame()


def test_models_that_fail_stand_last_with_the_reason():
    models = {"broken": SVC(C=-1.0), **MODELS}
    table = compare(models, X, Y, error_score=np.nan, random_state=0)
    assert list(table.runs)[-1] == "broken"
    assert table.to_dicts()[-1]["verdict"].startswith("failed: ParameterError")
    assert "broken" not in table.verdicts


def test_a_protocol_of_its_own_needs_the_corrected_test():
    with pytest.raises(ValueError, match="a protocol is for test='corrected' only"):
        compare(MODELS, X, Y, protocol=5)


# nested cross-validation


def test_nested_cross_validation_is_scikit_learn_s_of_a_search():
    heart = load_heart()
    rows, y = heart.data[:120, :5], heart.target[:120]
    outer, inner = (StratifiedKFold(3, shuffle=True, random_state=seed) for seed in (0, 1))
    costs = [0.01, 1.0, 100.0]
    found = nested({f"C = {C}": SVC(C=C) for C in costs}, rows, y, outer=outer, inner=inner)
    search = GridSearchCV(SVC(), {"C": costs}, cv=inner)
    np.testing.assert_array_equal(found.scores, cross_val_score(search, rows, y, cv=outer))
    assert found.trail.problems == []
    outside = [found.trail.rows("validate", f"outer {k}, refit") for k in (1, 2, 3)]
    np.testing.assert_array_equal(np.sort(np.concatenate(outside)), np.arange(120))
    for k in (1, 2, 3):
        inside = found.trail.rows("train", f"outer {k}, fold 1")
        assert np.intersect1d(inside, outside[k - 1]).size == 0


def test_the_best_of_many_guesses_is_unmasked():
    """Labels are noise: the winner's inner score is above one half, the outer one is not."""
    y = np.arange(80) % 2
    noise = {f"{k}": DummyClassifier(strategy="uniform", random_state=k) for k in range(30)}
    found = nested(noise, np.zeros((80, 1)), y, outer=4, inner=4, random_state=0)
    assert found.optimism > 0.03
    assert abs(found.mean - 0.5) < 0.15
    assert "rows without a part in the choice" in str(found)

"""Kernels of strings and tokens: their laws, their features, any container, and bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from maxmargin import SVC, LinearSVC, Status
from maxmargin.kernels import (
    RBF,
    Kernel,
    Linear,
    Mismatch,
    Spectrum,
    Subsequence,
    WeightedDegree,
    Words,
    check,
)
from maxmargin.kernels import substrings as substrings_module
from maxmargin.kernels.sequences import as_sequences
from maxmargin.ops.threads import side_by_side
from maxmargin.storage.plain import from_plain, to_plain

COUNTING = [Spectrum(2), Spectrum(3, shortest=1, decay=0.6), Mismatch(2, 1), Words(pattern="[ab]+")]
PAIRED = [Subsequence(2, 0.6), WeightedDegree(3), WeightedDegree(2, shifts=3)]
ALL = [pytest.param(k, id=repr(k)) for k in [*COUNTING, *PAIRED]]
of_letters = st.lists(st.text("abc", max_size=7), min_size=1, max_size=6)


def strings(n, letters="ACGT", longest=30, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), size=m)) for m in rng.integers(0, longest, size=n)]


def labelled(n):
    """Strings of two classes that letters tell apart, not without errors."""
    X = strings(n)
    return X, np.array([x.count("A") > x.count("T") for x in X])


# Laws


@pytest.mark.parametrize("kernel", ALL)
@settings(max_examples=10)
@given(X=of_letters)
def test_symmetric_and_positive_semidefinite(kernel, X):
    K = kernel(X)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(np.diag(K), kernel.diag(X), rtol=1e-13)
    assert check(kernel, X)
    cosines = kernel.normalized()(X)
    assert np.abs(cosines).max() <= 1 + 1e-12
    np.testing.assert_allclose(np.diag(cosines), np.diag(K) > 0, rtol=1e-12)


@pytest.mark.parametrize("kernel", [Spectrum(2), Mismatch(3, 1), Subsequence(2), Subsequence(3)])
@settings(max_examples=10)
@given(X=of_letters)
def test_nothing_changes_when_all_strings_are_reversed(kernel, X):
    reversed_strings = [x[::-1] for x in X]
    np.testing.assert_allclose(kernel(reversed_strings), kernel(X), rtol=1e-12)


def test_places_count_for_the_weighted_degree_kernel():
    assert WeightedDegree(1)(["abb"], ["bab"]).item() == 1.0
    assert WeightedDegree(1)(["bba"], ["bab"]).item() == 1.0
    assert WeightedDegree(1)(["abb"], ["bba"]).item() == 1.0
    assert WeightedDegree(1, shifts=1)(["a"], ["ba"]).item() == 0.25


@settings(max_examples=10)
@given(X=of_letters)
def test_one_kernel_is_a_case_of_another(X):
    np.testing.assert_array_equal(Mismatch(2, 0)(X), Spectrum(2)(X))
    np.testing.assert_allclose(0.25 * Spectrum(1)(X), Subsequence(1, 0.5)(X), rtol=1e-14)
    together = Spectrum(1) + Spectrum(2)
    np.testing.assert_array_equal(together(X), Spectrum(2, shortest=1)(X))
    np.testing.assert_array_equal(together(X), Spectrum(1)(X) + Spectrum(2)(X))
    every_place = WeightedDegree(1, shifts=99)(X, X[:1])
    assert (every_place <= Spectrum(1)(X, X[:1]) + 1e-12).all()


def test_weights_of_shifts_have_no_negative_frequency():
    """The sums of Rogosinski and Szegoe, on which the weighted degree kernel stands."""
    t = np.linspace(0.0, np.pi, 2001)
    terms = np.cos(np.arange(1, 60)[:, None] * t) / np.arange(2, 61)[:, None]
    assert (0.5 + np.cumsum(terms, axis=0)).min() >= -1e-12


def test_the_example_of_lodhi_and_others():
    lam = 0.3
    K = Subsequence(2, lam)(["cat", "car"])
    assert K[0, 1] == pytest.approx(lam**4, rel=1e-14)
    assert K[0, 0] == pytest.approx(2 * lam**4 + lam**6, rel=1e-14)


# Features


@pytest.mark.parametrize("kernel", [*COUNTING, Spectrum(2).normalized(), 2.0 * Spectrum(1) + 1])
@settings(max_examples=10)
@given(X=of_letters, new=st.lists(st.text("abz", max_size=6), min_size=1, max_size=4))
def test_features_have_the_kernel_as_their_dot_product(kernel, X, new):
    step = kernel.features()
    phi = step.fit_transform(X)
    assert phi.format == "csr"
    assert len(step.get_feature_names_out()) == phi.shape[1]
    np.testing.assert_allclose((phi @ phi.T).toarray(), kernel(X), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(step.transform(X).toarray(), phi.toarray())
    np.testing.assert_allclose((phi @ step.transform(new).T).toarray(), kernel(X, new), rtol=1e-12)


def test_features_are_named_by_what_they_count():
    names = Spectrum(2, shortest=1).features().fit(["aba", ""]).get_feature_names_out()
    assert names.tolist() == ["a", "b", "ab", "ba"]
    assert Mismatch(2, 1).features().fit(["aa", "b"]).get_feature_names_out().tolist() == [
        "aa",
        "ab",
        "ba",
    ]
    names = Words(Spectrum(2)).features().fit(["To be, or"]).get_feature_names_out()
    assert names.tolist() == ["be or", "to be"]
    assert Spectrum(2).features().fit([b"ab"]).get_feature_names_out().tolist() == ["ab"]


def test_those_without_a_list_of_features_say_so():
    for kernel in PAIRED:
        with pytest.raises(ValueError, match="no features that could be written out"):
            kernel.features(["ab"])


def test_long_substrings_of_many_letters_are_told_apart(monkeypatch):
    X = strings(12, letters="abcdefgh", longest=40, seed=1)
    new = [X[3][2:], X[5] + "z" + X[6], "abcdefgh" * 3]
    expected = Spectrum(7, shortest=5)(X, new), Spectrum(7, shortest=5)(X)
    monkeypatch.setattr(substrings_module, "_LARGEST", 1 << 14)
    monkeypatch.setattr(substrings_module, "_TABLE", 1 << 7)
    np.testing.assert_array_equal(Spectrum(7, shortest=5)(X, new), expected[0])
    np.testing.assert_array_equal(Spectrum(7, shortest=5)(X), expected[1])
    monkeypatch.undo()
    assert Spectrum(30)(["ab" * 20, "xyz"], ["ab" * 16]).tolist() == [[6.0 * 2 + 5 * 1], [0.0]]


# Whatever holds the items, and however many threads compare them


CONTAINERS = {
    "tuple": tuple,
    "letters": np.array,
    "objects": lambda X: np.array(X, dtype=object),
    "pandas": lambda X: pd.Series(X, index=np.arange(len(X))[::-1]),
    "pandas table": lambda X: pd.DataFrame({"sequence": X}),
    "polars": pl.Series,
    "polars table": lambda X: pl.DataFrame({"sequence": X}),
    "lists of letters": lambda X: [list(x) for x in X],
    "tuples in a series": lambda X: pd.Series([tuple(x) for x in X]),
    "lists in polars": lambda X: pl.Series([list(x) for x in X], dtype=pl.List(pl.String)),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kernel", [Spectrum(2), Mismatch(2, 1), Subsequence(2), WeightedDegree(2)])
def test_any_container_gives_the_same_bits(kernel, container):
    X, new = strings(9, longest=8), ["", "AAX", *strings(3, longest=9, seed=2)]
    hold = CONTAINERS[container]
    np.testing.assert_array_equal(kernel(hold(X), hold(new)), kernel(X, new))


def test_bytes_are_letters_too():
    X = strings(9, longest=8)
    coded = [x.encode() for x in X]
    for kernel in (Spectrum(2), Subsequence(2), Mismatch(2, 1)):
        np.testing.assert_array_equal(kernel(coded), kernel(X))
        np.testing.assert_array_equal(kernel(np.array(coded), coded[:2]), kernel(X, X[:2]))


@pytest.mark.parametrize("kernel", [Spectrum(3, shortest=1, decay=0.3), Subsequence(2), Mismatch()])
def test_threads_do_not_change_a_bit(kernel):
    X = strings(600, longest=14)
    alone = side_by_side(kernel, [X], n_jobs=1)[0]
    np.testing.assert_array_equal(side_by_side(kernel, [X], n_jobs=3)[0], alone)
    np.testing.assert_array_equal(kernel(X, X[:90]), alone[:, :90])


def test_common_and_rare_features_are_the_same_features():
    X = [*strings(40, longest=12), "AAAA", "XYZ"]
    A = Spectrum(2).prepare(X)
    assert A.common.shape[1] > 0
    assert A.rare.shape[1] > 0
    loop = [[sum(x[i : i + 2] == y[j : j + 2] for i in range(len(x) - 1) for j in range(len(y) - 1))
             for y in X[-6:]] for x in X]  # fmt: skip
    np.testing.assert_array_equal(Spectrum(2)(X, X[-6:]), loop)


# In estimators


@pytest.mark.parametrize("kernel", [Spectrum(2), Mismatch(2, 1).normalized(), Subsequence(2)])
def test_a_machine_is_fitted_to_strings_and_asked_about_new_ones(kernel):
    X, y = labelled(60)
    new = [*X[:5], "", "QQQ", "AAAQ"]
    model = SVC(kernel=kernel, tol=1e-6).fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certify(X, y).status is Status.CERTIFIED
    by_hand = kernel(X, new)[model.support_].T @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(new), by_hand, atol=1e-9)
    assert model.decision_function([""])[0] == pytest.approx(model.intercept_[0])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))


def test_searches_and_pipelines_take_strings():
    X, y = labelled(60)
    grid = {"kernel__k": [1, 2], "C": [0.1, 1.0]}
    search = GridSearchCV(SVC(kernel=Spectrum(1)), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    linear = make_pipeline(Spectrum(1).normalized().features(), LinearSVC())
    series = pd.Series(X, index=np.arange(len(X))[::-1])
    scores = cross_val_score(linear, series, y, cv=3)
    np.testing.assert_array_equal(scores, cross_val_score(linear, X, y, cv=3))
    assert scores.mean() > 0.8
    sent = pickle.loads(pickle.dumps(linear.fit(X, y)))
    np.testing.assert_array_equal(sent.decision_function(X), linear.decision_function(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_name_picks_the_column_of_a_table(frame):
    X, y = labelled(40)
    table = frame({"age": np.arange(40.0), "sequence": X})
    kernel = Spectrum(2).restrict("sequence")
    assert repr(kernel) == "Spectrum(k=2).restrict('sequence')"
    np.testing.assert_array_equal(kernel(table), Spectrum(2)(X))
    both = RBF("scale").restrict(["age"]) + kernel
    model = SVC(kernel=both).fit(table, y)
    turned = table[["sequence", "age"]]
    np.testing.assert_array_equal(model.decision_function(turned), model.decision_function(table))
    with pytest.raises(ValueError, match="X has no column 'text'; it has 'age', 'sequence'"):
        Spectrum(2).restrict("text")(table)
    assert Linear().restrict("age")(table)[2, 3] == 6.0


# Bad input


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        ("ACGT", "got a str; put the items into a list first"),
        (b"ACGT", "got a bytes; put the items into a list first"),
        ([], "Found no items"),
        (["a", None], "Item 1 of X is missing \\(None\\); leave it out, or give ''"),
        (["a", float("nan")], "Item 1 of X is missing \\(nan\\)"),
        (pd.Series(["a", pd.NA], dtype="string"), "Item 1 of X is missing \\(<NA>\\)"),
        ([1.5, 2.5], "Item 0 of X is 1.5, which is no string"),
        ([{"a"}, {"b"}], "Item 0 of X is {'a'}, which has no order"),
        ([["a", None]], "X holds the missing token None"),
        ([[["a"]]], "cannot be told apart by a dictionary"),
        (["a", b"a"], "X is made of bytes and text; .* as one kind"),
        (np.array([["a", "b"]]), "takes one column of them, and X has shape \\(1, 2\\)"),
    ],
)
@pytest.mark.parametrize("kernel", [Spectrum(2), Subsequence(2)], ids=repr)
def test_bad_items_are_refused_in_a_sentence(kernel, X, sentence):
    with pytest.raises(ValueError, match=sentence):
        kernel(X)


def test_new_items_of_another_kind_are_refused():
    model = SVC(kernel=Spectrum(1)).fit(["ab", "cd"], [0, 1])
    for new, kinds in [
        ([b"ab"], "bytes, and what it is compared with of text"),
        ([[1]], "numbers"),
    ]:
        with pytest.raises(ValueError, match=f"X is made of {kinds}"):
            model.predict(new)
    with pytest.raises(ValueError, match="Item 0 of X is missing"):
        model.predict([None])
    with pytest.raises(ValueError, match="put the items into a list first"):
        model.predict("ab")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Spectrum(0), "Spectrum needs a whole number >= 1 for k, got 0"),
        (lambda: Spectrum(2.5), "whole number >= 1 for k, got 2.5"),
        (lambda: Spectrum(2, shortest=3), "needs shortest <= k, got shortest=3 and k=2"),
        (lambda: Spectrum(2, decay=0.0), "needs decay > 0"),
        (lambda: Subsequence(2, decay=1.5), "needs 0 < decay <= 1, got 1.5"),
        (lambda: Mismatch(2, 2), "needs m < k, got m=2 and k=2"),
        (lambda: Mismatch(2, 1, alphabet="aab"), "an alphabet of different letters"),
        (lambda: WeightedDegree(2, shifts=-1), "whole number >= 0 for shifts, got -1"),
        (lambda: Words(pattern="("), "Words needs a regular expression for pattern"),
        (lambda: Words()([b"ab"]), "Words takes texts, and X holds bytes"),
        (lambda: Mismatch(12, 6)(["abcdefghijklmnopqrst"]), "too many words"),
    ],
)
def test_what_makes_no_kernel_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_letters_keep_their_numbers():
    known = as_sequences(["ba", "c"])
    assert known.letters == ("a", "b", "c")
    new = as_sequences(["xa", "ca"], known.letters)
    assert new.letters == ("a", "b", "c", "x")
    assert new.codes.tolist() == [3, 0, 2, 0]
    assert new[np.array([1, 1])].codes.tolist() == [2, 0, 2, 0]


def test_long_substrings_that_no_training_item_has_are_looked_for():
    model = SVC(kernel=Spectrum(70)).fit(["ab", "cd"], [0, 1])
    assert set(model.predict(["abc" * 50])) <= {0, 1}
    counts = Spectrum(70).features().fit(["ab", "cd"]).transform(["abc" * 50])
    assert counts.shape == (1, 0)


def test_an_alphabet_may_be_of_bytes():
    K = Mismatch(2, 1, alphabet=b"ACGT")([b"AC", b"AG"])
    np.testing.assert_array_equal(K, Mismatch(2, 1, alphabet="ACGT")(["AC", "AG"]))


def test_letters_outside_the_alphabet_differ_wherever_they_stand():
    kernel = Mismatch(2, 1, alphabet="ab")
    assert kernel(["xa"], ["aa"]).item() == 2.0  # near aa and ba
    assert kernel(["xx"], ["aa"]).item() == 0.0
    assert isinstance(kernel, Kernel)
    assert Mismatch(2, 1).resolved(["abc"]).alphabet == "abc"
    assert Mismatch(2, 1).resolved([["to", "be"]]).alphabet == ("be", "to")


def test_a_model_file_keeps_strings_and_their_kernel():
    X, y = labelled(30)
    for kernel in (Mismatch(2, 1), Words(Spectrum(1), pattern="[ACGT]").normalized()):
        model = SVC(kernel=kernel).fit(X, y)
        again = from_plain(to_plain(model))
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    step = Spectrum(2).normalized().features().fit(X)
    again = from_plain(to_plain(step))
    np.testing.assert_array_equal(again.transform(X).toarray(), step.transform(X).toarray())
    plain = to_plain(step)
    part = plain["has"]["_known"]["has"]["rows"]["has"]["vocabulary"]["has"]["parts"]["of"][0]
    part["has"]["codes"] = part["has"]["codes"][:2]
    with pytest.raises(ValueError, match="substrings of a stored vocabulary do not fit together"):
        from_plain(plain)


def test_long_strings_leave_time_to_look_at_the_clock():
    X = [*strings(6, longest=600, seed=3), "ACGT" * 150]
    y = [0, 1] * 3 + [0]
    model = SVC(kernel=Subsequence(9), time_limit=1e-3)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model.fit(X, y)
    assert model.certificate_.status is Status.TIME_LIMIT


@pytest.mark.parametrize("kernel", [*PAIRED, Mismatch(3, 2)], ids=repr)
def test_work_that_is_cut_is_the_same_work(kernel, monkeypatch):
    X, new = strings(20, seed=4), strings(5, seed=5)
    expected = kernel(X), kernel(X, new), kernel.diag(X)
    for module in ("ops.clock", "kernels.sequences", "kernels.subsequence"):
        monkeypatch.setattr(f"maxmargin.{module}.WORK", 100)
    for found, before in zip((kernel(X), kernel(X, new), kernel.diag(X)), expected, strict=True):
        np.testing.assert_allclose(found, before, rtol=1e-13)


@pytest.mark.parametrize("kernel", [Mismatch(5, 2), Subsequence(9).normalized()], ids=repr)
def test_strings_that_are_not_ready_in_time_leave_a_model_without_support(kernel):
    X = strings(30, letters="ACDEFGHIKLMNPQRSTVWY", longest=90, seed=3)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = SVC(kernel=kernel, time_limit=1e-3).fit(X, [0, 1] * 15)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert len(model.predict(X)) == 30

"""Texts and sequences through the family."""

import numpy as np
import polars as pl
import pytest

from maxmargin.job import Job, family_of, run_job
from maxmargin.job.texts import TextsAsNumbers, read_as_numbers
from maxmargin.storage import load_model, save_model
from maxmargin.tables import Wishes, make_table

GOOD, BAD = ["lovely", "great", "charming"], ["dull", "awful", "boring"]
FILLING = ["film", "plot", "actors", "music", "story", "scene", "ending", "script"]


def reviews(n, seed=0):
    """Texts that say by one word of three what they are, and a number that says nothing."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    texts = [
        " ".join(rng.permutation([rng.choice([BAD, GOOD][each]), *rng.choice(FILLING, 4)]))
        for each in label
    ]
    kind = np.array(["bad", "good"])[label]
    return pl.DataFrame({"text": texts, "size": rng.normal(size=n), "label": kind})


def sites(n, seed=0):
    """Strings whose letter in the middle says what they are."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    letters = rng.choice(list("ACGT"), (n, 21))
    letters[:, 10] = np.where(label, "G", "T")
    return pl.DataFrame({"site": ["".join(each) for each in letters], "y": label})


@pytest.fixture(scope="module")
def table():
    return make_table(reviews(120), Wishes("label"))


QUICK = ["logistic", "svm-linear", "lda", "boosting", "bagging"]


@pytest.mark.parametrize("name", QUICK)
def test_every_kind_of_model_reads_texts(name, table):
    job = Job(models=[name], folds=2, time_budget=None)
    outcome = run_job(job, table)
    assert outcome.winner == name
    assert outcome.test.look.result.value > 0.85


@pytest.mark.parametrize("name", ["svm-linear", "bagging"])
def test_stored_models_of_texts_predict_new_and_empty_ones(name, table, tmp_path):
    model = run_job(Job(models=[name], folds=2, time_budget=None), table).model
    save_model(tmp_path / "m", model)
    texts = ["a lovely film", "unheard-of words", "", None, "AWFUL" * 5000, "boring"]
    rows = pl.DataFrame({"text": texts, "size": [0.0] * len(texts)})
    said = load_model(tmp_path / "m").value.predict(rows)
    assert said.tolist() == model.predict(rows).tolist()
    assert (said[0], said[-1]) == ("good", "bad")


def test_a_quantity_is_told_by_texts():
    frame = reviews(120).with_columns(label=pl.col("text").str.count_matches("lovely|great") * 2.5)
    found = run_job(
        Job(models=["ridge"], folds=2, time_budget=None),
        make_table(frame, Wishes("label", task="regression")),
    )
    assert (found.winner, found.test.look.result.value > 0.7) == ("ridge", True)


def test_rows_of_the_fit_get_values_of_machines_that_had_not_seen_them(table):
    seen, step = read_as_numbers(table)
    noise = np.random.default_rng(7).choice(["bad", "good"], len(table.target))
    learned = step.fit_transform(table.features, noise)
    assert learned.columns == seen.features.columns
    side = np.where(noise == "good", 1.0, -1.0)
    assert abs((learned["text, its words"].to_numpy() * side).mean()) < 0.3
    told = step.fit_transform(table.features, table.target)["text, its words"].to_numpy()
    assert np.corrcoef(told, table.target == "good")[0, 1] > 0.6


def test_numbers_of_texts_have_an_output_for_each_of_many_classes():
    frame = pl.DataFrame({"t": ["red sky", "green sea", "blue ice", "red ice"] * 6})
    labels = np.array(["r", "g", "b", "r"] * 6)
    made = TextsAsNumbers(["t"], ["b", "g", "r"]).fit_transform(frame, labels)
    assert made.width == 2 * 3 + 3
    assert made["t, its words for r"].null_count() == 0


def test_sequences_are_compared_by_string_kernels(tmp_path):
    table = make_table(sites(160), Wishes("y", kind="site=sequence"))
    names = [each.name for each in family_of("classification", (), table)]
    assert {"svm-places", "svm-pieces", "svm-mismatch"} < {*names}
    outcome = run_job(Job(models=["svm-places", "lda"], folds=2, time_budget=None), table)
    assert outcome.winner == "svm-places"
    assert outcome.test.look.result.value > 0.9
    save_model(tmp_path / "m", outcome.model)
    rows = pl.DataFrame({"site": [*sites(5, 1)["site"], "", None, "NNNNN"]})
    said = load_model(tmp_path / "m").value.predict(rows)
    assert said.tolist() == outcome.model.predict(rows).tolist()


def test_a_quantity_is_told_by_sequences():
    frame = sites(120).with_columns(y=pl.col("site").str.slice(10, 1).eq("G") * 3.0)
    table = make_table(frame, Wishes("y", kind="site=sequence", task="regression"))
    found = run_job(Job(models=["svm-places"], folds=2, time_budget=None), table)
    assert found.test.look.result.value > 0.6


def test_without_sequences_nobody_compares_them():
    assert "svm-places" not in [each.name for each in family_of("classification")]

"""Columns of texts and sequences, and what the user says of columns."""

import polars as pl
import pytest

from maxmargin.tables import InputError, Wishes, make_table
from maxmargin.tables.chosen import decide_as
from maxmargin.tables.decision import count_values
from maxmargin.tables.text import MOST_LETTERS

N = 60
TEXTS = [f"number {i} is {'good' if i % 2 else 'bad'} news" for i in range(N)]
GENES = ["".join("ACGT"[(i * j + j * j) % 4] for j in range(1, 20 + i % 3)) for i in range(N)]
FRAME = pl.DataFrame(
    {
        "t": TEXTS,
        "gene": [f"{gene}{'ACGT'[i % 4]}{'ACGT'[i // 4 % 4]}" for i, gene in enumerate(GENES)],
        "zip": [4000 + i % 7 for i in range(N)],
        "when": [f"2024-01-{1 + i % 28:02}" for i in range(N)],
        "y": ["no", "yes"] * (N // 2),
    }
)


def table(*kinds, frame=FRAME):
    return make_table(frame, Wishes("y", kind=kinds))


def treatment(name, *kinds):
    return next(each for each in table(*kinds).columns if each.name == name)


def test_texts_are_told():
    found = treatment("t")
    assert (found.kind, found.role) == ("text", "feature")
    assert found.treatment == "texts, by their words and runs of letters"
    assert table().texts == ["t"]


def test_sequences_are_suggested_and_not_taken():
    found = treatment("gene")
    assert found.role != "feature"
    assert "looks like DNA: --kind gene=sequence" in found.warning


@pytest.mark.parametrize(
    ("kind", "feature"),
    [
        ("gene=sequence", ("gene", "sequence")),
        ("gene=text", ("gene", "text")),
        ("zip=category", ("zip", "category")),
        ("zip=text", ("zip", "text")),
        ("t=category", ("t", "category")),
        ("when=category", ("when", "category")),
        ("when=date", ("when.weekday", "number")),
        ("zip=number", ("zip", "number")),
    ],
)
def test_what_the_user_says_holds(kind, feature):
    found = table(kind)
    assert feature in [(each.name, each.kind) for each in found.schema.features]
    later, _ = found.schema.features_of(FRAME.drop("y"))
    assert later.equals(found.features)


def test_a_kind_may_be_ignore():
    assert treatment("zip", "zip=ignore").treatment == "dropped: as you said"


def test_columns_without_names_have_kinds_by_number():
    frame = FRAME.rename(dict(zip(FRAME.columns, ["c0", "c1", "c2", "c3", "c4"], strict=True)))
    found = make_table(frame, Wishes("4", kind="1=sequence"))
    assert found.sequences == ["c1"]


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        (["t=number"], "holds 'number 0 is bad news' in row 1, where the model"),
        (["t=date"], "cannot be read as dates: it holds 'number 0 is bad news'"),
        (["t=words"], "--kind is COLUMN=KIND with one of text, .* not 't=words'"),
        (["text"], "--kind is COLUMN=KIND"),
        (["tt=text"], "no column 'tt'"),
        (["y=text"], "'y' has another use"),
        (["t=text", "t=ignore"], "'t' has two kinds"),
    ],
)
def test_a_kind_that_does_not_fit_is_one_sentence(kinds, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        table(*kinds)
    assert "\n" not in str(caught.value)


def test_cells_of_ten_megabytes_are_cut_and_told():
    frame = FRAME.with_columns(t=pl.Series([TEXTS[0] + "x" * 10_000_000, *TEXTS[1:]]))
    found = table(frame=frame)
    assert found.features["t"].str.len_chars().max() == MOST_LETTERS
    assert found.columns[0].treatment.endswith("; 1 longer than 10,000 letters are cut")


def test_texts_that_are_gone_in_a_later_file():
    found = table()
    later = FRAME.drop("y").with_columns(t=pl.lit(None, dtype=pl.String))
    assert found.schema.features_of(later)[0]["t"].null_count() == N
    numbers = FRAME.drop("y").with_columns(t=pl.lit(5))
    assert found.schema.features_of(numbers)[0]["t"][0] == "5"


def test_without_any_other_column_sequences_are_still_suggested():
    with pytest.raises(InputError, match="looks like DNA: --kind gene=sequence"):
        make_table(FRAME.select("gene", "y"), Wishes("y"))


def test_the_value_that_is_no_date_is_named():
    frame = pl.DataFrame({"d": ["2024-01-01", "2024-13-45", "2024-01-03"]})
    [facts] = count_values(frame)
    with pytest.raises(InputError, match="it holds '2024-13-45', and dates"):
        decide_as(facts, "date")

"""Text as spreadsheets and programs write it: separators, encodings, quotes, lines, headers."""

import polars as pl
import pytest

from maxmargin.tables import InputError, Reading, read_frame
from maxmargin.tables.frame import read_file

FRAME = pl.DataFrame(
    {
        "name": ["Zoë, of Ärö", 'says "hm"', "x;y|z", None],
        "size": [1234.5, -0.25, None, 7.0],
        "count": [1, 2, None, 10_000],
    }
)
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}


def written(separator=",", decimal="."):
    text = FRAME.with_columns(
        size=pl.col("size").cast(pl.String).str.replace(".", decimal, literal=True)
    )
    return text.write_csv(separator=separator)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("separator", SEPARATORS, ids=SEPARATORS.get)
def test_a_table_is_the_same_in_every_dialect(write, separator, decimal, encoding):
    text = written(separator, decimal).replace("\n", "\r\n")
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path = write((mark + text).encode(encoding), "t.txt")
    assert read_frame(path).equals(FRAME)


@pytest.mark.parametrize("separator", SEPARATORS, ids=SEPARATORS.get)
def test_what_is_said_need_not_be_found_out(write, separator):
    path = write(written(separator).encode("utf-16-le"), "t.dat")
    said = Reading(separator=SEPARATORS[separator], encoding="utf-16-le")
    assert read_frame(path, said).equals(FRAME)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,x\n2,y\n",
        "a,b\r\n1,x\r\n2,y",
        "a,b\r1,x\r2,y\r",
        "\n\na,b\n\n1,x\n  \n2,y\n\n\n",
        "a, b\n1, x\n2, y\n",
        " a , b \n 1 ,x \n2, y\n",
        '"a", "b"\n"1", "x"\n"2", "y"\n',
        "a,b,\n1,x,\n2,y,\n",
        "a,b\n1,x,\n2,y,\n",
        "sep=;\na;b\n1;x\n2;y\n",
        " a   b\n 1\tx\n 2   y  \n",
        "a,b\n1,x\n2,y\n\x1a",
    ],
    ids=[
        *("plain", "windows", "old-mac", "blank-lines", "blanks", "more-blanks", "quotes"),
        *("trailing", "trailing-rows", "sep", "columns-of-blanks", "dos"),
    ],
)
def test_lines_and_blanks_change_nothing(write, text):
    assert read_frame(write(text)).to_dict(as_series=False) == {"a": [1, 2], "b": ["x", "y"]}


def test_row_names_of_r_have_no_header(write):
    frame = read_frame(write('"a" "b"\n"row 1" 1 "x"\n"row 2" 2 "y"\n', "t.txt"))
    assert frame.columns == ["unnamed 0", "a", "b"]
    assert frame.row(0) == ("row 1", 1, "x")


def test_quotes_inside_of_fields_are_letters(write):
    text = 'ham\tthe 5" nail\nspam\t"yes" and "no\nham\tplain\n'
    found = read_file(write(text, "t.txt"), Reading(header=False))
    assert found.frame.get_column("c1").to_list() == ['the 5" nail', '"yes" and "no', "plain"]
    assert found.notes == ("Quotes stand inside of fields: they are read as letters.",)


def test_quoted_fields_hold_separators_and_lines(write):
    text = 'a,b\n"x, ""y""\nz",1\n"n;n",2\n'
    assert read_frame(write(text)).rows() == [('x, "y"\nz', 1), ("n;n", 2)]


def test_without_a_header_columns_are_numbered(write):
    frame = read_frame(write("5,x\n6,y\n"), Reading(header=False))
    assert frame.to_dict(as_series=False) == {"c0": [5, 6], "c1": ["x", "y"]}


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ("5.1,rosy\n4.9,rosy\n4.7,blue\n", True),
        ("x,p\nx,p\ny,q\n", True),
        ("label,0,1,2\n7,0,3,4\n8,0,5,6\n", False),
        ("country,1990,1995,2000\nx,1,2,3\ny,4,5,6\n", False),
        ("a,b\n1,2\n3,4\n", False),
    ],
)
def test_a_header_that_looks_like_data_is_doubted(write, text, doubted):
    notes = read_file(write(text), Reading()).notes
    assert any("--no-header" in note for note in notes) == doubted


def test_an_unknown_target_over_data_gets_the_hint(load):
    with pytest.raises(InputError, match=r"no column 'kind', and its first line, .* --no-header"):
        load("5.1,rosy\n4.9,rosy\n4.7,blue\n", "kind")


def test_a_hint_of_a_separator_that_is_none_is_a_line_of_text(write):
    assert read_frame(write("sep=é,b\n1,2\n")).columns == ["sep=é", "b"]


def test_a_western_encoding_is_told(write):
    notes = read_file(write("a,b\nZo\xeb,1\n".encode("latin-1")), Reading()).notes
    assert notes == ("The file is not in UTF-8: it is read as Windows-1252 (Latin-1).",)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"separator": "::"}, "The separator is one character"),
        ({"decimal": ";"}, "The decimal sign is '.' or ','"),
        ({"thousands": "x"}, "What groups digits by three"),
        ({"decimal": ",", "thousands": ","}, "cannot be both"),
        ({"encoding": "klingon"}, "There is no encoding 'klingon'"),
    ],
)
def test_a_wrong_reading_is_one_sentence(given, sentence):
    with pytest.raises(InputError, match=sentence):
        Reading(**given)

"""Kinds of files: packed text, Parquet, ARFF, rows of LIBSVM."""

import bz2
import gzip
import io
import lzma
from hashlib import sha256

import polars as pl
import pytest

from maxmargin.tables import InputError, Reading, Wishes, load_table, read_frame
from maxmargin.tables.memory import in_container

ROWS = "a,b,y\n1.5,u,no\n2.5,v,yes\n3.5,u,no\n4.5,w,yes\n"
ARFF = r"""% weather
@RELATION 'the weather'
@attribute 'out look' {sunny, 'partly rainy', 'it\'s grey'}
@ATTRIBUTE humidity REAL
@attribute code {1, 2}
@attribute note string

@data
sunny, 85.5, 1, "a, b"
% a comment
'partly rainy', ?, 2, 'c'
'it\'s grey', 70, ?, ?
{1 90, 3 'd, e'}
{0 'partly rainy'}
"""
KEEL = """@relation pima
@attribute Preg real [0.0, 17.0]
@attribute Age integer[21,81]
@attribute Class {tested_positive, tested_negative}
@inputs Preg, Age
@outputs Class
@data
14.0, 38, tested_positive
1.0, 21, tested_negative
"""


def parquet(frame):
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("t.csv", bytes),
        ("t.CSV.GZ", gzip.compress),
        ("t.data.xz", lzma.compress),
        ("t.txt.bz2", bz2.compress),
        ("no ending", bytes),
        ("t.parquet", lambda text: parquet(pl.read_csv(text))),
        ("t.parquet.gz", lambda text: gzip.compress(parquet(pl.read_csv(text)))),
    ],
)
def test_every_packing_reads_the_same(write, name, packed):
    path = write(packed(ROWS.encode()), name)
    table = load_table(path, Wishes("y"))
    assert table.features.rows() == [(1.5, "u"), (2.5, "v"), (3.5, "u"), (4.5, "w")]
    assert table.target.tolist() == ["no", "yes", "no", "yes"]
    assert (table.numbers, table.categories) == (["a"], ["b"])
    assert (table.source, table.digest) == (name, sha256(path.read_bytes()).hexdigest())


def test_a_name_with_a_star_is_one_file(write):
    write(ROWS, "ab.csv")
    assert read_frame(write(ROWS, "a*.csv")).height == 4


class TestArff:
    def test_dense_and_sparse_rows(self, write):
        frame = read_frame(write(ARFF, "w.arff"))
        assert frame.columns == ["out look", "humidity", "code", "note"]
        assert frame.rows() == [
            ("sunny", 85.5, "1", "a, b"),
            ("partly rainy", None, "2", "c"),
            ("it's grey", 70.0, None, None),
            ("sunny", 90.0, "1", "d, e"),
            ("partly rainy", 0.0, "1", None),
        ]

    def test_listed_digits_stay_categories(self, write):
        table = load_table(write(ARFF, "w.arff"), Wishes("humidity", drop="note"))
        assert table.categories == ["out look", "code"]

    def test_types_of_keel(self, write):
        frame = read_frame(write(KEEL, "pima.dat"))
        assert frame.rows() == [(14.0, 38, "tested_positive"), (1.0, 21, "tested_negative")]

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("@relation r\n@data\n1\n", "no @attribute"),
            ("@relation r\n@attribute a real\n@data\n", "holds no rows"),
            ("@relation r\n@attribute a relational\n@data\n1\n", "Line 2 .* is no attribute"),
            ("@relation r\n@attribute a real\n@data\n1\n2,3\n", "Line 5 .* has 2 fields"),
            ("@relation r\n@attribute a real\n@data\n{4 1}\n", "Line 4 .* no column '4'"),
            (f"@relation r\n@attribute a real\n@data\n{{{'9' * 5000} 1}}\n", "Line 4 .* no column"),
            ("@relation r\n@attribute a string\n@data\n{0 'b}\n", "Line 4 .* is not closed"),
            ("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n", "more than one"),
        ],
    )
    def test_bad_arff_is_one_sentence(self, write, text, sentence):
        with pytest.raises(InputError, match=sentence) as caught:
            read_frame(write(text, "r.arff"))
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("between", [" ", "\t "])
    def test_a_long_line_is_read_once_not_once_from_each_of_its_blanks(self, write, between):
        """Minutes would pass otherwise."""
        head, gap = "@relation r\n@attribute a string\n@attribute b string\n@data\n", 300_000
        escaped = "\\'"
        frame = read_frame(write(f"{head}'x, y',a{between * gap}b\n", "r.arff"))
        assert frame["a"].to_list() == ["x, y"]
        assert frame["b"].to_list() == [f"a{between * gap}b"]
        with pytest.raises(InputError, match=r"Line 5 .* a quote that is not closed"):
            read_frame(write(f"{head}{{1 {escaped * gap}}}\n", "s.arff"))


class TestSvmlight:
    def test_zeros_are_written_out(self, write):
        frame = read_frame(write("+1 1:0.5 3:2 # first\n-1 2:1\n", "t.svm"))
        assert frame.columns == ["label", "1", "2", "3"]
        assert frame.rows() == [(1, 0.5, 0.0, 2.0), (-1, 0.0, 1.0, 0.0)]

    def test_content_tells_it_under_any_name(self, write):
        assert read_frame(write("2 1:1\n1 4:1\n", "a9a.t")).columns == ["label", *"1234"]

    def test_columns_that_count_from_zero_and_queries(self, write):
        frame = read_frame(write("0.5 qid:7 0:3\n1 qid:8 1:2\n", "t.libsvm"))
        assert frame.columns == ["label", "qid", "0", "1"]
        assert frame.rows() == [(0.5, 7, 3.0, 0.0), (1.0, 8, 0.0, 2.0)]

    def test_queries_of_some_rows_alone_are_refused(self, write):
        with pytest.raises(InputError, match="qid: in 1 of 2 rows"):
            read_frame(write("0.5 qid:7 0:3\n1 1:2\n", "t.libsvm"))
        frame = read_frame(write("0.5 0:3 # qid:7\n1 1:2\n", "t.libsvm"))
        assert "qid" not in frame.columns

    def test_labels_that_are_infinite_are_none(self, write):
        path = write("1 1:1\n1 1:2\n0 1:3\n0 1:4\ninf 1:5\n", "t.svm")
        assert load_table(path, Wishes("label")).target.tolist() == [1, 1, 0, 0]

    def test_memory_is_estimated_before_zeros_are_written_out(self, write):
        path = write("1 1:1\n2 100000000:1\n", "t.svm")
        with pytest.raises(
            InputError, match=r"needs about 6\.4 GB of memory, and 1\.0 GB are free"
        ):
            read_frame(path, memory=10**9)

    def test_nonsense_is_one_sentence(self, write):
        with pytest.raises(InputError, match="as rows of LIBSVM"):
            read_frame(write("1 2:x\n", "t.svm"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (bytes(100), "neither text nor Parquet"),
        (bytes(range(256)) * 20, "neither text nor Parquet"),
        (b"PK\x03\x04rest", "is a zip archive or a spreadsheet"),
        (b"\x28\xb5\x2f\xfdrest", "is packed by Zstandard"),
        (b"<!DOCTYPE html>\n<html></html>\n", "is a web page: download the table itself"),
        (b'[{"a": 1}]', "is in JSON"),
        (gzip.compress(ROWS.encode() * 50, mtime=0)[:40], "is damaged"),
        (lzma.compress(ROWS.encode() * 50)[:80], "is damaged"),
        (bz2.compress(ROWS.encode() * 50)[:60], "is damaged"),
        (b"PAR1nothing of the kind", "is damaged Parquet"),
        (b"a,y\n", "holds no rows"),
        (b"a,a,b,b,y\n1,2,3,4,5\n", "more than one column of the name 'a', 'b'"),
        (b"a,y\n1,2\n3,4\n5,6,7\n8\n", "Line 4 of .* has 3 fields where the header has 2"),
        (b"a,y\n\n1,2\n\n8\n", "Line 5 of .* has 1 field where the header has 2"),
        (b'a,y\n"1\n2",2\n3\n', "Line 4 of .* has 1 field where"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.dat.gz"])
def test_what_is_no_table_is_one_sentence(write, content, sentence, name):
    with pytest.raises(InputError, match=sentence) as caught:
        read_frame(write(content, name))
    assert "\n" not in str(caught.value)


def test_damaged_parquet_prints_no_trace(write, capfd):
    whole = parquet(pl.read_csv((ROWS + "1.5,u,no\n" * 50).encode()))
    refused = 0
    for place in range(4, len(whole) - 8, 5):
        path = write(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :], "t.parquet")
        try:
            read_frame(path)
        except InputError:
            refused += 1
    assert refused > 10
    assert capfd.readouterr() == ("", "")


def test_text_is_no_parquet(write):
    with pytest.raises(InputError, match="is no Parquet file, as its name says"):
        read_frame(write(ROWS, "t.parquet"))


def test_a_wrong_encoding_is_one_sentence(write):
    with pytest.raises(InputError, match="is not a text in ascii"):
        read_frame(write("a,b\n\xe9,1\n"), Reading(encoding="ascii"))


def test_folders_and_absent_files(tmp_path, write):
    write(ROWS, "passengers.csv")
    with pytest.raises(InputError, match="is a folder: name a file in it"):
        read_frame(tmp_path)
    with pytest.raises(InputError, match=r"There is no file .*: did you mean 'passengers\.csv'"):
        read_frame(tmp_path / "pasengers.csv")
    with pytest.raises(InputError, match=r"There is no file '.*/other/x\.csv'\.$"):
        read_frame(tmp_path / "other" / "x.csv")


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_a_file_larger_than_memory_says_what_it_needs(write, name):
    text = ROWS + "1.5,u,no\n" * 100_000
    content = parquet(pl.read_csv(text.encode())) if name == "t.parquet" else text.encode()
    path = write(gzip.compress(content) if name.endswith("gz") else content, name)
    with pytest.raises(InputError, match=r"needs about [\d.]+ MB of memory, and 1\.0 MB are free"):
        read_frame(path, memory=1_000_000)
    assert read_frame(path, memory=100_000_000).height == 100_004


@pytest.mark.parametrize(
    ("limit", "room"), [("1000", 600), ("max", None), ("300", 0)], ids=["left", "none", "over"]
)
def test_a_container_limits_memory(write, limit, room):
    files = write(limit, "memory.max"), write("400", "memory.current")
    assert in_container(tuple(map(str, files))) == room

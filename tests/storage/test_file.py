"""What goes into a file comes out of it; what is no model is refused in a sentence."""

import hashlib
import json
import os
import struct
import subprocess
import sys
import tracemalloc
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, AdaBoostClassifier
from maxmargin.ensembles.rounds import Stop
from maxmargin.storage import (
    ModelFileError,
    NotPlainError,
    StoredModel,
    WriteError,
    from_plain,
    load_model,
    save_model,
    to_plain,
)
from maxmargin.tables import Feature, Schema

X = np.arange(20.0).reshape(10, 2) % 7
y = np.arange(10) % 3
ARRAYS = [
    *(np.arange(6).astype(kind).reshape(2, 3) for kind in "?bBhHiIlLqQefdgFDG"),
    *(np.arange(6).astype(kind).reshape(2, 3) for kind in (">f8", ">i4", "<u2", ">c16")),
    np.array([0.0, -0.0, np.nan, -np.nan, np.inf, 5e-324, 2.2e-308, 0.1]),
    np.array([1.0]).view(np.uint64).__add__(1).view(np.float64),
    np.frombuffer(b"\x01\x00\x00\x00\x00\x00\xf8\x7f" * 2),  # NaN that says something
    np.array(3.5),
    np.array("word"),
    np.zeros((0, 4)),
    np.zeros((3, 0), dtype="<i2"),
    np.zeros((2, 0, 3), dtype=bool),
    np.array(["a", "", "äöü", "\U0001f600", "\udcff"]),
    np.array(["a", "bc"], dtype=">U4"),
    np.array([b"a", b"\xff\x00z"]),
    np.array(["2020-01-01", "NaT"], dtype="M8[ns]"),
    np.array([1, 2], dtype="m8[s]"),
]
ORDERED = [np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.asfortranarray(np.ones((2, 3, 4)))]
STRIDED = [np.arange(10.0)[::-2], np.arange(12).reshape(3, 4)[:, 1:3], np.broadcast_to(1.5, (2, 2))]
VALUES = [
    None,
    True,
    -(2**70),
    0.1,
    -0.0,
    5e-324,
    float("inf"),
    "ä\udcff\U0001f600\n",
    [1, [2.5, "x"], []],
    ("a", (1,), None),
    {"a": 1, 2: "b", (1, "x"): [None], None: {}},
    {1, 5, 3},
    slice(1, None, 2),
    b"\x00\xff bytes",
    np.float32(0.1),
    np.int8(-3),
    np.str_("word"),
    np.bool_(True),
    np.dtype("<f4"),
    np.float64,
    float,
    Stop.PERFECT,
    Schema((Feature("age", "number", "Age"),), "label", "classification", ("no", "yes")),
]


def there_and_back(value, folder):
    save_model(folder / "model", value)
    return load_model(folder / "model").value


def assert_same_array(one, other):
    assert type(one) is np.ndarray
    assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    assert one.flags.writeable


def name_of(value):
    return f"{type(value).__name__} {getattr(value, 'dtype', '')} {getattr(value, 'shape', '')}"


@pytest.mark.parametrize("array", [*ARRAYS, *ORDERED, *STRIDED], ids=name_of)
def test_an_array_comes_back(array, tmp_path):
    assert_same_array(there_and_back(array, tmp_path), array)


@pytest.mark.parametrize("array", ORDERED, ids=name_of)
def test_columns_stay_columns(array, tmp_path):
    assert there_and_back(array, tmp_path).flags.f_contiguous


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back(value, tmp_path):
    again = there_and_back(value, tmp_path)
    assert type(again) is type(value)
    assert repr(again) == repr(value)


def test_an_array_of_a_file_comes_back(tmp_path):
    mapped = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=(4, 2))
    mapped[:] = np.arange(8.0).reshape(4, 2)
    assert_same_array(there_and_back(mapped, tmp_path), np.asarray(mapped))


def test_an_array_of_objects_comes_back(tmp_path):
    array = np.array([["a", None], [float("nan"), 3]], dtype=object)
    again = there_and_back(array, tmp_path)
    assert again.shape == (2, 2)
    assert repr(again.tolist()) == repr(array.tolist())


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "csc_matrix", "csc_array"])
def test_a_sparse_matrix_comes_back(kind, tmp_path):
    matrix = getattr(sparse, kind)(np.eye(3, 4, 1, dtype=np.float32))
    again = there_and_back(matrix, tmp_path)
    assert type(again) is type(matrix)
    for part in ("data", "indices", "indptr"):
        assert_same_array(getattr(again, part), getattr(matrix, part))


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "csc_matrix", "csc_array"])
@pytest.mark.parametrize(
    "change",
    [
        {"indptr": np.array([0, 3, 6, 0])},  # no entries, says the last, and nobody looks at others
        {"indptr": np.array([0, 2, 1, 3])},
        {"indptr": np.array([1, 2, 3, 3])},
        {"indptr": np.array([0, 1, 2, 4])},
        {"indptr": np.array([0, 1, 2])},
        {"indptr": np.array([0.0, 1.0, 2.0, 3.0])},
        {"indices": np.array([0, 1, 3])},
        {"indices": np.array([0, -1, 2])},
        {"indices": np.array([0, 1])},
        {"indices": np.array([0, 1, 2], dtype=np.uint64)},
        {"data": np.ones((3, 1))},
        {"shape": [3, -3]},
        {"shape": [9, 9]},
        {"shape": [3]},
    ],
    ids=str,
)
def test_entries_that_lie_elsewhere_are_refused(kind, change):
    plain = to_plain(getattr(sparse, kind)(np.eye(3)))
    with pytest.raises(ValueError, match=r"do not fit together|outside of it|to unpack"):
        from_plain({**plain, **change})


def test_records_stay_records(tmp_path):
    bounds = AdaBoostClassifier(n_estimators=3).fit(X, y > 0).bounds_
    again = there_and_back(bounds, tmp_path)
    assert type(again) is np.recarray
    assert again.tobytes() == bounds.tobytes()
    assert again.product.tolist() == bounds.product.tolist()


def test_parts_that_came_later_have_their_defaults():
    history = AdaBoostClassifier(n_estimators=2).fit(X, y > 0).history_
    plain = to_plain(history)
    for line in plain["has"]["rounds"]:
        for name in ("before", "slope", "pull", "cosine", "gap"):
            del line["has"][name]
    again = from_plain(plain)
    assert again.column("error").tolist() == history.column("error").tolist()
    assert np.isnan(again.column("cosine")).all()


@cache
def stumps():
    return AdaBoostClassifier(n_estimators=2).fit(X, y > 0)


@cache
def machine():
    return SVC(solver="coordinate_ascent", kernel="linear").fit(X, y)


DEFAULTED = [
    (lambda: stumps().history_[0], ("round", "seconds", "error", "alpha", "loss", "stop")),
    (lambda: stumps()._stumps[0], ("feature", "threshold", "left", "right")),
    (lambda: machine()._machine, ("offset", "rows")),
    (lambda: machine()._machine.seen, ("shift", "double")),
    (lambda: machine().certificate_, ("allowed", "floor")),
]


@pytest.mark.parametrize(
    ("part", "name"), [(part, name) for part, names in DEFAULTED for name in names]
)
def test_a_part_that_has_a_default_may_not_get_lost(part, name):
    plain = to_plain(part())
    assert from_plain(plain) is not None
    del plain["has"][name]
    with pytest.raises(ValueError, match="other parts than it has"):
        from_plain(plain)


@pytest.mark.parametrize("stated", [7, {"is": "dict", "of": [["predict", 1]]}])
def test_parameters_that_state_no_problem_are_refused(stated):
    plain = to_plain(machine())
    plain["has"]["_stated"] = stated
    with pytest.raises(ValueError, match="other parameters of its problem than there are"):
        from_plain(plain)


@pytest.mark.parametrize("bias", [7, "xx", "free", "none"])
def test_a_bias_that_is_not_the_machine_s_is_refused(bias):
    plain = to_plain(machine())
    assert from_plain(plain).certify(X, y).status.name == "CERTIFIED"
    plain["has"]["_bias"] = bias
    with pytest.raises(ValueError, match="The bias of a stored machine is none"):
        from_plain(plain)


@pytest.mark.parametrize("kind", [float, object, "U3"])
def test_masked_entries_stay_masked(kind, tmp_path):
    array = np.ma.MaskedArray(np.array([1, 2, 3], dtype=kind), mask=[True, False, True])
    again = there_and_back(array, tmp_path)
    assert type(again) is np.ma.MaskedArray
    assert (again.dtype, again.mask.tolist()) == (array.dtype, array.mask.tolist())
    assert again.data.tolist() == array.data.tolist()
    assert again.fill_value == array.fill_value


def test_random_numbers_go_on_where_they_were(tmp_path):
    random = np.random.RandomState(3)
    random.normal(size=7)
    assert (
        there_and_back(random, tmp_path).normal(size=5).tolist() == random.normal(size=5).tolist()
    )


def test_a_pipeline_with_its_schema_comes_back(tmp_path):
    schema = Schema((Feature("a", "number", "a"),), "label", "classification", (0, 1, 2))
    value = {"pipeline": make_pipeline(StandardScaler(), SVC()).fit(X, y), "schema": schema}
    save_model(tmp_path / "model", value, {"accuracy": 0.5, "notes": ["a", None]})
    stored = load_model(str(tmp_path / "model"))
    assert isinstance(stored, StoredModel)
    assert stored.value["schema"] == schema
    assert stored.about == {"accuracy": 0.5, "notes": ["a", None]}
    assert stored.version == 1
    assert {"python", "maxmargin", "numpy", "scipy", "scikit-learn"} == stored.libraries.keys()
    assert stored.value["pipeline"].predict(X).tolist() == value["pipeline"].predict(X).tolist()


def test_what_is_the_same_is_written_once(tmp_path):
    rows = np.arange(100_000.0)
    again = there_and_back([rows, rows, {"again": rows}], tmp_path)
    assert (tmp_path / "model").stat().st_size < 1.01 * rows.nbytes
    assert again[0] is again[1]
    assert again[0] is again[2]["again"]


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in "ab":
        save_model(tmp_path / name, SVC().fit(X, y), {"n": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


# what cannot be written


class Own(np.ndarray):
    """An array that is more than one."""


def looped():
    value = []
    value.append(value)
    return value


def deep():
    value = []
    for _ in range(250):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        lambda: 0,
        SVC(callback=print),
        {"a": object()},
        np.zeros(2).view(Own),
        np.zeros(2, dtype=[("a", int)]),
        np.random.RandomState(np.random.PCG64(0)),
        np.random.default_rng(0),
        object,
        bytearray(b"bytes"),
        looped(),
        deep(),
    ],
    ids=name_of,
)
def test_what_is_not_plain_is_refused_and_nothing_written(value, tmp_path):
    (tmp_path / "model").write_bytes(b"old")
    with pytest.raises(NotPlainError, match=r"^[^\n]*\.$"):
        save_model(tmp_path / "model", value)
    assert (tmp_path / "model").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "about", [{"a": float("nan")}, {"a": {1}}, {"a": np.zeros(2)}, {"a": SVC()}]
)
def test_what_is_said_about_it_is_json(about, tmp_path):
    with pytest.raises(NotPlainError, match=r"^What is said about the model is not plain: .*\.$"):
        save_model(tmp_path / "model", 1, about)


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    save_model(tmp_path / "model", 1)

    def fail(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WriteError, match=r"^Cannot write '.*': no space left on device\.$"):
        save_model(tmp_path / "model", 2)
    assert load_model(tmp_path / "model").value == 1
    assert len(list(tmp_path.iterdir())) == 1


# what cannot be read


def refused(path, said, **options):
    before = sorted(path.parent.iterdir())
    with pytest.raises(ModelFileError, match=rf"^The file '.*' [^\n]*{said}[^\n]*\.$"):
        load_model(path, **options)
    assert sorted(path.parent.iterdir()) == before


def seal(path, text, data=b"", version=1, reserved=0):
    """Write a file whose lengths and digest are right, whatever is in it."""
    length = 64 + len(text) + len(data)
    start = struct.pack("<8sIIQQ", b"\x89MXM\r\n\x1a\n", version, reserved, len(text), length)
    path.write_bytes(start + hashlib.sha256(start + text + data).digest() + text + data)
    return path


def forge(path, value="null", arrays="[]", data=b""):
    text = f'{{"format":"maxmargin model","libraries":{{}},"about":{{}},"value":{value},'
    return seal(path, f'{text}"arrays":{arrays}}}'.encode("latin-1"), data)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


@pytest.mark.parametrize(
    "content", [b"", b"\x89MXM", b"PK\x03\x04" * 40, b"\x80\x04c" * 30, bytes(64)]
)
def test_junk_is_no_model(content, path):
    path.write_bytes(content)
    refused(path, "is no model of maxmargin")


def test_what_is_not_there_is_said(path):
    refused(path, "does not exist")


def test_what_is_no_file_is_not_opened(path):
    os.mkfifo(path)
    refused(path, "is not an ordinary file")
    refused(path.parent, "is not an ordinary file")


def test_every_damage_is_noticed(path):
    save_model(path, SVC().fit(X, y))
    content = path.read_bytes()
    for place in range(0, len(content), 17):
        path.write_bytes(content[:place])
        refused(path, "")
        changed = bytearray(content)
        changed[place] ^= 0x10
        path.write_bytes(changed)
        refused(path, "")
    path.write_bytes(content + b"\0")
    refused(path, "is damaged: it has")


def test_a_newer_format_says_so(path):
    refused(seal(path, b"{}", version=2), "is of version 2 of the format.* update maxmargin")


def test_an_older_or_another_head_is_refused(path):
    refused(seal(path, b"{}", version=0), "is damaged")
    refused(seal(path, b"{}", reserved=1), "is damaged")


def test_a_file_that_is_too_long_is_not_read(path):
    save_model(path, np.zeros(1000))
    refused(path, "needs .* bytes of memory, more than max_bytes=1,000", max_bytes=1000)
    assert load_model(path, max_bytes=10_000).value.shape == (1000,)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("[" * 300 + "]" * 300, "levels deep"),
        ("[" * 1_000_000, "levels deep"),
        ('"' + '\\"' * 1_000_000, "cannot be read"),
        ("NaN", "NaN is no number"),
        ("-Infinity", "-Infinity is no number"),
        ("1e999", "beyond the range"),
        ("9" * 5000, "5,000 digits"),
        ('{"is":"tuple","is":"set"}', "given twice"),
        ("{", "cannot be read"),
        ("\x00", "cannot be read"),
        ('"\xff"', "cannot be read"),
        ('{"is":"array","of":0}', "asks for an array"),
        ('{"is":"array","of":-1}', "asks for an array"),
        ('{"is":"array","of":true}', "asks for an array"),
        ('{"is":"array","of":[0]}', "asks for an array"),
        ('{"is":"array"}', "asks for an array"),
        ('{"of":1}', "no name of what it is"),
        ('{"is":"posix.system","given":{"command":"true"}}', "There is no 'posix.system'"),
        ('{"is":"dtype","of":"O,O"}', "There is no type"),
        ('{"is":"type","of":"|V9"}', "There is no type"),
        ('{"is":"number","of":"text"}', "Something else"),
        ('{"is":"objects","shape":[-1,2],"of":[1,2,3]}', "holds no model"),
        ('{"is":"set","of":[[]]}', "is damaged"),
        ('{"is":"masked","data":[],"mask":[],"fill":0}', "Something else"),
        ('{"is":"float","of":"x"}', "holds no model"),
        ('{"is":"maxmargin.tables.schema.Feature","has":{}}', "other parts"),
    ],
    ids=lambda text: text[:40],
)
def test_a_description_that_is_none_is_refused(value, said, path):
    refused(forge(path, value), said)


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"{}", b'{"arrays":[]}', b'{"arrays":{},"value":1}', b"null"],
    ids=str,
)
def test_other_json_is_refused(text, path):
    refused(seal(path, text), "has a description")


def test_another_format_is_refused(path):
    text = b'{"format":"x","libraries":{},"about":{},"value":1,"arrays":[]}'
    refused(seal(path, text), "none of a model")


@pytest.mark.parametrize(
    ("dtype", "shape", "said"),
    [
        ("|O", [1], "which none may have"),
        ("<f8,<f8", [1], "which none may have"),
        ("|V8", [1], "which none may have"),
        ("<U0", [10**18], "which none may have"),
        ("f8", [1], "which none may have"),
        (["<f8"], [1], "which none may have"),
        ("<f8", [-1], "which none may have"),
        ("<f8", [1.0], "which none may have"),
        ("<f8", [True], "which none may have"),
        ("<f8", 1, "which none may have"),
        ("<f8", [1] * 40, "which none may have"),
        ("<f8", [10**18], "not as long as it says"),
        ("<f8", [2**63, 2**63], "not as long as it says"),
        ("<f8", [9], "not as long as it says"),
        ("<f8", [0, 2**62, 2**62], "not as long|has an array"),
        ("<M8[xx]", [8], "unknown here"),
        ("|b1", [64], "neither false nor true"),
        ("<U16", [1], "letters that do not exist"),
        (">U16", [1], "letters that do not exist"),
    ],
    ids=str,
)
def test_an_array_that_is_none_is_refused(dtype, shape, said, path):
    entry = json.dumps([{"dtype": dtype, "shape": shape}])
    refused(forge(path, '{"is":"array","of":0}', entry, b"\xff" * 64), said)


def test_arrays_without_a_type_are_refused(path):
    refused(forge(path, arrays='[{"shape":[1]}]'), "without a type or a shape")
    refused(forge(path, arrays="[3]"), "without a type or a shape")


def test_a_bomb_takes_no_memory(path):
    forge(path, '{"is":"array","of":0}', '[{"dtype":"<f8","shape":[30000000]}]')
    tracemalloc.start()
    refused(path, "not as long as it says")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**23


def test_a_long_description_is_not_read(path):
    seal(path, b" " * (2**25 + 1))
    refused(path, "its description cannot have")


def change(path, edit):
    """Change the description of a file that is otherwise right."""
    content = path.read_bytes()
    end = 64 + struct.unpack_from("<Q", content, 16)[0]
    description = json.loads(content[64:end])
    edit(description)
    seal(path, json.dumps(description).encode(), content[end:])


@pytest.mark.parametrize(
    "name", ["predict", "fit", "C", "__class__", "__dict__", "not a name", "coef_"]
)
def test_parts_that_are_none_are_refused(name, path):
    save_model(path, SVC().fit(X, y))
    change(path, lambda told: told["value"]["has"].update({name: 1}))
    refused(path, f"cannot have '{name}' as a fitted part")


def test_parameters_that_are_none_are_refused(path):
    save_model(path, SVC().fit(X, y))
    change(path, lambda told: told["value"]["given"].update(evil=1))
    refused(path, "unexpected keyword argument 'evil'")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("rows", {"is": "tuple", "of": []}),
        ("n_rows", "many"),
        ("n_rows", 1),
        ("n_rows", True),
        ("by_pairs", 1),
        ("seen", {"is": "maxmargin.kernels.dot.Linear", "given": {}}),
        ("offset", None),
        ("support", []),
    ],
    ids=str,
)
def test_parts_of_other_types_are_refused(part, value, path):
    save_model(path, SVC().fit(X, y))
    change(path, lambda told: told["value"]["has"]["_machine"]["has"].update({part: value}))
    refused(path, "cannot have a|do not fit together|as many support vectors")


@pytest.mark.parametrize("place", [-1, 625, 2**40], ids=str)
def test_random_numbers_from_elsewhere_are_refused(place, path):
    save_model(path, np.random.RandomState(0))

    def move(told):
        state = dict(told["value"]["of"]["of"])
        dict_of_state = state["state"]["of"]
        next(pair for pair in dict_of_state if pair[0] == "pos")[1] = place

    change(path, move)
    refused(path, "RandomState do not fit together")


def test_another_release_of_scikit_learn_is_said(path):
    save_model(path, StandardScaler().fit(X))
    change(path, lambda told: told["libraries"].update({"scikit-learn": "0.24.1"}))
    with pytest.warns(
        UserWarning, match=r"scikit-learn 0\.24\.1 wrote, and this is .*fit it again\."
    ):
        load_model(path)
    save_model(path, SVC().fit(X, y))
    change(path, lambda told: told["libraries"].update({"scikit-learn": "0.24.1"}))
    assert load_model(path).value.predict(X).shape == y.shape


def test_a_model_of_another_release_says_so(path):
    save_model(path, SVC().fit(X, y))

    def age(told):
        told["libraries"]["maxmargin"] = "9.1"
        told["value"]["has"]["_machine"]["has"]["speed"] = 1

    change(path, age)
    refused(path, r"other parts than it has; maxmargin 9\.1 wrote it, and this is")


def test_damage_at_random_never_ends_a_process():
    script = Path(__file__).with_name("fuzz.py")
    run = subprocess.run(
        [sys.executable, str(script), "0", "12"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    counts = json.loads(run.stdout)
    assert counts["refused"] > counts["used"] > 0
    assert not any(outcome.startswith("refused by") for outcome in counts)


def test_models_are_read_by_the_older_names_of_their_parts():
    plain = to_plain(machine())
    seen = plain["has"]["_machine"]["has"]["seen"]
    assert seen["is"] == "maxmargin.svm.training.KernelView"
    seen["is"] = "maxmargin.svm.training.Seen"
    again = from_plain(plain)
    np.testing.assert_array_equal(again.decision_function(X), machine().decision_function(X))

import errno
import json
import os
import re
import subprocess
import sys
from importlib import metadata

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import maxmargin.job.result
from maxmargin.cli import app
from maxmargin.job.folder import NAMES, Folder
from maxmargin.job.request import Request, command_of
from maxmargin.tables import InputError

PanicException = type("PanicException", (BaseException,), {})
HOSTILE = "[red]<script>\u202eowned[/nope]"


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def complaint(result, code: int = 2) -> str:
    """Return the one line on stderr, having checked that it is the only one."""
    assert result.exit_code == code, result.output
    lines = [line for line in result.stderr.splitlines() if "..." not in line]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("maxmargin: ")
    return lines[0]


def write_points(path, target="label", labels=("no", "yes"), n=40):
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal() + 3 * (i % 2)},{rng.normal()},{labels[i % 2]}" for i in range(n)]
    path.write_text("\n".join([f"x1,x2,{target}", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--target", "lable", "did you mean 'label'"),
        ("--models", "svm-rfb", "did you mean 'svm-rbf'"),
        ("--metric", "acuracy", "did you mean 'accuracy'"),
        ("--test-size", "1.5", "--test-size is"),
        ("--test-size", "nan", "--test-size is"),
        ("--test-size", "0.02", "cannot be split"),
        ("--folds", "0", "--folds is 2 or more"),
        ("--folds", "30", "too few for 30 folds"),
        ("--time-budget", "soon", "--time-budget is a time"),
        ("--class-weight", "heavy", "--class-weight is balanced or none"),
        ("--seed", "-1", "--seed is"),
        ("--drop", "x3", "no column 'x3'"),
        ("--separator", "::", "separator is one character"),
        ("--out", "points.csv", "which is a file"),
        ("--repeat", "points.csv", "leave --target out"),
    ],
)
def test_bad_options_are_one_sentence(tmp_path, option, value, words):
    file = write_points(tmp_path / "points.csv")
    before = file.read_bytes()
    given = {"--target": "label", "--models": "lda", option: value}
    result = run("fit", file, *(word for pair in given.items() for word in pair))
    assert words in complaint(result)
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["points.csv"]


def write_table(path, **changes):
    """Forty rows with a day, a number that may be a time, and two classes."""
    rows = np.arange(40)
    columns = {
        "day": [f"2024-01-{i % 28 + 1:02}" for i in rows],
        "x": np.round(np.sin(rows), 3),
        "y": np.array(["no", "yes"])[rows % 2],
    }
    lines = zip(*(columns | changes).values(), strict=True)
    text = [",".join(columns | changes), *(",".join(map(str, line)) for line in lines)]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "changes", "words"),
    [
        (["--time-budget", "0s"], {}, "--time-budget is a time"),
        (["--time-budget", "1 fortnight"], {}, "--time-budget is a time"),
        (["--time", "day"], {"day": ["2024-13-77"] * 20 + ["soon"] * 20}, "'day'"),
        (["--kind", "day=date"], {"day": ["2024-13-77"] * 20 + ["soon"] * 20}, "'day'"),
        (["--positive", "perhaps"], {}, "'perhaps'"),
        (["--time", "day"], {"day": ["2024-01-01"] * 40}, "'day'"),
        (["--time", "day"], {"day": ["", *["2024-01-02"] * 39]}, "'day'"),
        (["--cost", "missed=-1,false=1"], {}, "--cost"),
        (["--cost", "missed=cheap"], {}, "--cost"),
        (["--interval", "90%"], {}, "--interval is for quantities"),
        (["--explain", "-1"], {}, "--explain is a number of columns"),
        ([], {"y": ["no"] * 40}, "'y'"),
        (["--task", "classification"], {"y": [f"c{i}" for i in range(40)]}, "'y'"),
        (["--kind", "x=words"], {}, "--kind"),
    ],
)
def test_bad_wishes_are_one_sentence_and_nothing_is_written(tmp_path, options, changes, words):
    file = write_table(tmp_path / "table.csv", **changes)
    said = complaint(run("fit", file, "--target", "y", "--models", "lda", *options))
    assert words in said
    assert [each.name for each in tmp_path.iterdir()] == ["table.csv"]


def test_cells_of_ten_megabytes_are_no_obstacle(tmp_path):
    texts = ["long " * 2_000_000, *(f"row {i} of all" for i in range(39))]
    file = write_table(tmp_path / "table.csv", x=texts)
    result = run("fit", file, "--target", "y", "--models", "lda", "--drop", "x", "--folds", "2")
    assert result.exit_code == 0


@pytest.mark.parametrize("leads_to", ["nowhere.csv", "link.csv"])
def test_a_link_that_leads_nowhere_is_called_one(tmp_path, leads_to):
    (tmp_path / "link.csv").symlink_to(leads_to)
    said = complaint(run("fit", "link.csv", "--target", "y"))
    assert said.endswith("There is no file behind the link 'link.csv'.")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.csv", None, "There is no file"),
        ("empty.csv", b"", "is empty"),
        ("head.csv", b"a,y\n", "no rows"),
        ("one.csv", b"a,y\n1,no\n2,no\n", "one class"),
        ("noise.csv", np.random.default_rng(1).bytes(3000), "noise.csv"),
        ("noise.parquet", np.random.default_rng(1).bytes(3000), "noise.parquet"),
        ("twice.csv", b"a,a,y\n1,2,no\n2,3,yes\n", "'a'"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "compare"])
def test_bad_files_are_one_sentence(tmp_path, command, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert words in complaint(run(command, name, "--target", "y"))
    assert not (tmp_path / f"maxmargin-{name.partition('.')[0]}").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["predict", "absent.maxmargin", "points.csv"],
        ["evaluate", "absent.maxmargin", "points.csv"],
        ["info", "absent.maxmargin"],
        ["fit", "--target", "label"],
        ["fit", "--repeat", "absent.json"],
    ],
)
def test_what_is_not_there_is_one_sentence(tmp_path, words):
    write_points(tmp_path / "points.csv")
    complaint(run(*words))


def test_a_file_of_a_similar_name_is_hinted_at(tmp_path):
    write_points(tmp_path / "points.csv")
    assert "did you mean 'points.csv'" in complaint(run("fit", "pionts.csv", "--target", "y"))


def test_a_model_file_that_is_none_is_one_sentence(tmp_path):
    file = write_points(tmp_path / "points.csv")
    for command in (["predict", file, file], ["evaluate", file, file], ["info", file]):
        assert "points.csv" in complaint(run(*command))


def test_a_run_file_that_is_none_is_one_sentence(tmp_path):
    (tmp_path / "run.json").write_text("[]")
    assert "is no run.json" in complaint(run("fit", "--repeat", "run.json"))
    (tmp_path / "run.json").write_text('{"format": "maxmargin run", "version": 1}')
    assert "damaged" in complaint(run("fit", "--repeat", "run.json"))


class TestFolder:
    def test_something_else_in_the_folder_is_never_replaced(self, tmp_path):
        file = write_points(tmp_path / "points.csv")
        out = tmp_path / "out"
        out.mkdir()
        (out / "report.html").write_text("mine")
        result = run("fit", file, "--target", "label", "--out", out)
        assert "is not from a run of this command" in complaint(result)
        assert (out / "report.html").read_text() == "mine"

    def test_a_text_beside_an_earlier_run_is_never_replaced(self, tmp_path):
        file = write_points(tmp_path / "points.csv")
        (tmp_path / "run.json").write_text('{"format": "maxmargin run"}')
        (tmp_path / "report.md").write_text("mine")
        result = run("fit", file, "--target", "label", "--out", tmp_path)
        assert "'report.md'" in complaint(result)
        assert (tmp_path / "report.md").read_text() == "mine"

    def test_the_table_itself_is_never_replaced(self, tmp_path):
        (tmp_path / "run.json").write_text('{"format": "maxmargin run"}')
        file = write_points(tmp_path / "predictions.csv")
        before = file.read_bytes()
        result = run("fit", file, "--target", "label", "--out", tmp_path)
        assert "would replace" in complaint(result)
        assert file.read_bytes() == before

    def test_all_files_or_none(self, tmp_path):
        folder = Folder(tmp_path / "deep" / "out")

        def fill(names):
            with folder.filling() as part:
                for name in names:
                    (part / name).write_text("new")

        with pytest.raises(OSError, match="Cannot write"):
            fill(NAMES[:2])
        assert list(tmp_path.iterdir()) == []
        fill(NAMES)
        assert sorted(each.name for each in folder.path.iterdir()) == sorted(NAMES)

    def test_what_was_there_is_kept_when_writing_fails(self, tmp_path):
        for name in NAMES:
            (tmp_path / name).write_text("old")
        folder = Folder(tmp_path)

        def run_out_of_space():
            with folder.filling() as part:
                (part / NAMES[0]).write_text("new")
                raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="no space"):
            run_out_of_space()
        assert {path.read_text() for path in tmp_path.iterdir()} == {"old"}

    def test_a_folder_that_cannot_be_written_to_is_refused_before_the_work(
        self, tmp_path, monkeypatch
    ):
        file = write_points(tmp_path / "points.csv")
        monkeypatch.setattr("os.access", lambda _, mode: mode != os.W_OK | os.X_OK)
        monkeypatch.setattr(maxmargin.job.result, "run_job", lambda *_: pytest.fail("worked"))
        result = run("fit", file, "--target", "label", "--out", "new")
        assert "choose another --out" in complaint(result, code=1)


def test_an_interrupt_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    file = write_points(tmp_path / "points.csv")
    monkeypatch.setattr(maxmargin.job.result, "run_job", interrupt)
    assert "Interrupted" in complaint(run("fit", file, "--target", "label", "--json"), code=130)
    assert [each.name for each in tmp_path.iterdir()] == ["points.csv"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (ImportError("libjpeg.so: failed to map segment from shared object"), "not enough memory"),
        (RuntimeError("can't start new thread"), "not enough memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "not enough memory"),
        (PanicException("memory allocation of 8 bytes failed"), "not enough memory"),
        (PanicException("odd"), "A fault of maxmargin"),
        (TypeError("odd"), "A fault of maxmargin"),
        (ValueError("no memory allocation"), "A fault of maxmargin"),
    ],
)
def test_what_else_goes_wrong_is_one_sentence_too(tmp_path, monkeypatch, error, words):
    def fail(*_):
        raise error

    file = write_points(tmp_path / "points.csv")
    monkeypatch.setattr(maxmargin.job.result, "run_job", fail)
    assert words in complaint(run("fit", file, "--target", "label", "--json"), code=1)


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_a_model_missing_by_our_fault_is_named_everywhere(tmp_path, monkeypatch, command):
    def fail(*_):
        raise TypeError("odd")

    file = write_points(tmp_path / "points.csv")
    monkeypatch.setattr("maxmargin.svm.search_cv.watch", fail)
    options = ["--target", "label", "--models", "lda,svm-linear", "--folds", "2"]
    result = run(command, file, *options, *(["--out", "out"] if command == "fit" else []))
    assert result.exit_code == 1
    assert "linear SVM: TypeError: odd" in result.stdout
    last = result.stderr.splitlines()[-1]
    assert last.startswith("maxmargin: A fault of maxmargin")
    assert "linear SVM: TypeError: odd" in last
    if command == "fit":
        assert "A fault of maxmargin" not in (tmp_path / "out" / "predictions.csv").read_text()
        record = json.loads((tmp_path / "out" / "run.json").read_text())
        assert any("linear SVM" in note for note in record["notes"])
        assert "fault of maxmargin" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_hostile_names_are_escaped_everywhere(tmp_path):
    file = write_points(tmp_path / "[bold]<b>.csv", target=HOSTILE, labels=(HOSTILE, "yes"))
    options = ["--models", "lda", "--folds", "2", "--out", "out"]
    result = run("fit", file, "--target", HOSTILE, *options)
    assert result.exit_code == 0, result.output
    assert "[bold]<b>.csv" in result.stdout
    assert "\u202e" not in result.stdout + result.stderr
    assert "<script>" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "\x1b" not in complaint(run("fit", file, "--target", HOSTILE + "\x1b[2J"))


def test_compare_shows_models_and_leaves_no_file(tmp_path):
    file = write_points(tmp_path / "points.csv")
    result = run("compare", file, "--target", "label", "--models", "lda", "--folds", "2", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout.splitlines()[-1])
    assert [each["name"] for each in told["models"]] == ["lda", "baseline"]
    assert told["verdict"]["test"] == "5x2cv F"
    assert told["sought"] == "yes"
    assert [each.name for each in tmp_path.iterdir()] == ["points.csv"]


def test_a_metric_of_one_class_is_told_with_the_class(tmp_path):
    file = write_points(tmp_path / "points.csv")
    words = ["--target", "label", "--models", "lda", "--folds", "2", "--metric", "f1"]
    assert "F1 of yes" in run("compare", file, *words).stdout


def test_version():
    result = run("--version")
    assert result.stdout.strip() == f"maxmargin {metadata.version('maxmargin')}"


@pytest.mark.parametrize("command", ["fit", "predict", "evaluate", "compare", "info", "demo"])
def test_help_tells_of_exit_codes(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Exit codes: 0 done" in result.stdout
    told = " ".join(result.stdout.split())
    assert "1 a file could not be written" in told
    assert "2 something about the input that you can put right" in told


@pytest.mark.parametrize("words", [["--help"], ["fit", "absent.csv", "--target", "y"]])
def test_help_and_a_wrong_name_load_nothing_heavy(words):
    code = (
        "import sys; from maxmargin.cli import app\n"
        f"app({words!r}, standalone_mode=False)\n"
        "names = {'numpy', 'sklearn', 'polars', 'matplotlib', 'numba', 'scipy'}\n"
        "heavy = names & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class TestRequest:
    def test_every_option_arrives(self, tmp_path):
        request = Request.of(
            {
                "file": "a.csv",
                "target": "y",
                "models": "lda, knn",
                "metric": "f1",
                "test_size": 0.3,
                "folds": 4,
                "time_budget": "2m",
                "class_weight": "balanced",
                "drop": ("b",),
                "id": ("k",),
                "group": "g",
                "task": "classification",
                "missing": ("none",),
                "separator": "tab",
                "encoding": "latin-1",
                "decimal": ",",
                "no_header": True,
                "seed": 7,
                "jobs": 2,
            }
        )
        job, wishes, reading = request.job, request.wishes, request.reading
        assert (job.models, job.metric, job.test_size, job.folds) == (("lda", "knn"), "f1", 0.3, 4)
        assert (job.time_budget, job.class_weight) == (120.0, "balanced")
        assert (job.seed, job.n_jobs) == (7, 2)
        assert (wishes.drop, wishes.id, wishes.group) == (("b",), ("k",), "g")
        assert (reading.separator, reading.encoding, reading.decimal) == ("\t", "latin-1", ",")
        assert (reading.header, reading.missing) == (False, ("none",))

    def test_the_command_is_what_was_typed(self):
        given = {"file": "my data.csv", "target": "y", "drop": ("a", "b"), "seed": 3, "jobs": 2}
        typed = "maxmargin fit --target=y --drop=a --drop=b --seed=3 -- 'my data.csv'"
        assert command_of(given) == typed

    def test_a_damaged_record_is_refused(self):
        with pytest.raises(InputError, match="damaged"):
            Request.again({"source": {"wishes": {}}}, job=None)


def test_a_quantity_is_told_by_its_errors(tmp_path):
    rows = "".join(f"{i % 7}.5,{2 * (i % 7)}.25\n" for i in range(40))
    (tmp_path / "quantity.csv").write_text(f"x,y\n{rows}")
    options = ["--target", "y", "--task", "regression", "--models", "ridge", "--folds", "2"]
    result = run("fit", "quantity.csv", *options)
    assert result.exit_code == 0, result.output
    found = re.search(r"root mean squared error (\S+)", result.stdout)
    assert float(found[1].rstrip(",").replace("\N{MINUS SIGN}", "-")) < 0.1
    assert "R² " in result.stdout
    assert "AUC" not in result.stdout


def test_large_numbers_are_all_written_out(tmp_path):
    rows = "".join(f"{i % 13},{300_000 + 1000 * (i % 13) + i % 3}\n" for i in range(40))
    (tmp_path / "quantity.csv").write_text(f"x,y\n{rows}")
    options = ["--target", "y", "--task", "regression", "--models", "ridge", "--folds", "2"]
    result = run("fit", "quantity.csv", *options, "--metric", "neg_mean_absolute_error")
    assert result.exit_code == 0, result.output
    assert "mean absolute error" in result.stdout
    assert "neg_" not in result.stdout
    assert re.search(r"row \d+: 3\d\d,\d{3}, predicted 3\d\d,\d{3}\n", result.stdout)


def test_a_model_that_is_no_better_than_guessing_is_said_to_be(tmp_path):
    rng = np.random.default_rng(3)
    rows = "".join(f"{rng.normal()},{'ab'[i % 2]}\n" for i in range(40))
    (tmp_path / "noise.csv").write_text(f"x,y\n{rows}")
    result = run("fit", "noise.csv", "--target", "y", "--models", "lda", "--folds", "2")
    assert "That may be no better than guessing." in result.stdout


def test_a_score_without_an_interval_is_told_alone(tmp_path):
    rng = np.random.default_rng(3)
    rows = "".join(f"{rng.normal()},{'rare' if i % 20 == 0 else 'usual'}\n" for i in range(60))
    (tmp_path / "rare.csv").write_text(f"x,y\n{rows}")
    options = ["--target", "y", "--models", "lda", "--folds", "2", "--out", "out"]
    fitted = run("fit", "rare.csv", *options, "--test-size", "0.1", "--metric", "f1_macro")
    info = run("info", "out/model.maxmargin")
    for told in (fitted, info):
        assert told.exit_code == 0, told.output
        assert re.search(r"(1\.000|100\.0 %)(\n| on)", told.stdout)
        assert not re.search(r"\bnan\b", told.stdout)
    assert "That may be no better than guessing." in fitted.stdout


def test_predictions_that_a_spreadsheet_would_run_are_defused(tmp_path):
    labels = ("=cmd|'/C calc'!A0", "@SUM(1;=2)")
    rng = np.random.default_rng(0)
    lines = ["id,a,label"]
    lines += [f"+run{i},{rng.normal() + 3 * (i % 2)},{labels[i % 2]}" for i in range(40)]
    (tmp_path / "points.csv").write_text("\n".join(lines))
    words = ["fit", "points.csv", "--target", "label", "--models", "lda", "--folds", "2"]
    words += ["--id", "id", "--json"]
    for out, options in ("safe", []), ("bare", ["--raw"]):
        result = run(*words, "--out", out, *options)
        assert result.exit_code == 0, result.output
    safe, bare = (pl.read_csv(tmp_path / out / "predictions.csv") for out in ("safe", "bare"))
    assert set(bare["truth"]) == set(labels)
    assert set(safe["truth"]) == {"'=cmd|'/C calc'!A0", "'@SUM(1;'=2)"}
    assert all(name.startswith("'+run") for name in safe["id"])
    again = run("fit", "--repeat", "bare/run.json", "--raw", "--out", "again", "--json")
    assert again.exit_code == 0, again.output
    first, second = (tmp_path / out / "predictions.csv" for out in ("bare", "again"))
    assert first.read_bytes() == second.read_bytes()
    model = "safe/model.maxmargin"
    assert "\n1,'" in run("predict", model, "points.csv").stdout
    assert "\n1,+run0,=cmd" in run("predict", model, "points.csv", "--raw").stdout
    said = json.loads(run("predict", model, "points.csv", "--json").stdout)["predictions"]
    assert {each["prediction"] for each in said} == set(labels)


def test_too_small_a_limit_of_memory_is_one_sentence(tmp_path):
    write_points(tmp_path / "points.csv")
    words = f"ulimit -v 900000; {sys.executable} -m maxmargin fit points.csv --target label"
    done = subprocess.run(
        ["bash", "-c", words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("maxmargin: ulimit -v allows 0.9 GB of memory, and at least")
    assert done.stderr.count("\n") == 1

"""The real command in a process of its own, on small tables of the kinds that people have."""

import gzip
import json
import lzma
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

COMMAND = [sys.executable, "-c", "from maxmargin.cli import main; main()"]
QUICK = ["--models", "lda", "--folds", "2", "--json"]
NAMES = {"report.html", "report.md", "model.maxmargin", "predictions.csv", "run.json"}


def command(*words: object, **options):
    typed = [*COMMAND, *map(str, words)]
    return subprocess.run(typed, capture_output=True, text=True, check=False, **options)


def columns(n: int) -> pl.DataFrame:
    """Two numbers and a category, of which the first says what the class is."""
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "size": (rng.normal(size=n) + 3.0 * (np.arange(n) % 2)).round(3),
            "weight": (rng.normal(size=n) * 10 + 1234.5).round(2),
            "colour": rng.choice(["red", "green", "blue"], n),
        }
    )


def frame(n: int = 60, labels=("no", "yes")) -> pl.DataFrame:
    return columns(n).with_columns(pl.Series("y", [labels[i % len(labels)] for i in range(n)]))


def comma_decimals(folder: Path) -> list[object]:
    text = frame().write_csv(separator=";").replace(".", ",")
    (folder / "deutsch.csv").write_bytes(text.replace("green", "grün").encode("latin-1"))
    return ["deutsch.csv", "--target", "y"]


def utf16(folder: Path) -> list[object]:
    (folder / "wide.txt").write_text(frame().write_csv(separator="\t"), encoding="utf-16")
    return ["wide.txt", "--target", "y"]


def gaps(folder: Path) -> list[object]:
    holes = pl.int_range(pl.len()) % 4 == 0
    holed = [pl.when(~holes).then(pl.col(name)) for name in ("weight", "colour")]
    table = frame().with_columns(holed)
    with gzip.open(folder / "gaps.csv.gz", "wt") as file:
        file.write(table.write_csv(null_value="NA"))
    return ["gaps.csv.gz", "--target", "y"]


def parquet_with_dates(folder: Path) -> list[object]:
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)
    frame().with_columns(days.alias("day")).write_parquet(folder / "dates.parquet")
    return ["dates.parquet", "--target", "y"]


def quantity(folder: Path) -> list[object]:
    table = columns(60).with_columns((pl.col("size") * 2.0 + 0.25).alias("y"))
    table.write_csv(folder / "quantity.tsv", separator="\t")
    return ["quantity.tsv", "--target", "y", "--models", "ridge"]


def many_classes(folder: Path) -> list[object]:
    table = columns(104).with_columns(pl.Series("letter", [i % 26 for i in range(104)]))
    table.write_csv(folder / "letters.csv")
    return ["letters.csv", "--target", "letter", "--task", "classification"]


def svmlight(folder: Path) -> list[object]:
    rows = [f"{'+1' if y == 'yes' else '-1'} 1:{a} 2:{b}" for a, b, _, y in frame().rows()]
    (folder / "rows.svm").write_text("\n".join(rows) + "\n")
    return ["rows.svm", "--target", "label"]


def arff(folder: Path) -> list[object]:
    head = "@relation r\n@attribute size numeric\n@attribute colour {red,green,blue}\n"
    body = "".join(f"{a},{c},{y}\n" for a, _, c, y in frame().rows())
    (folder / "rows.arff").write_text(f"{head}@attribute y {{no,yes}}\n@data\n{body}")
    return ["rows.arff", "--target", "y"]


def no_header(folder: Path) -> list[object]:
    with lzma.open(folder / "bare.data.xz", "wt") as file:
        file.write(frame().write_csv(include_header=False))
    return ["bare.data.xz", "--no-header", "--target", "c3"]


def unequal_with_ids(folder: Path) -> list[object]:
    table = frame(90, labels=("rare", *["usual"] * 9)).with_columns(
        pl.Series("key", [f"k{i:03d}" for i in range(90)]),
        pl.Series("house", [i // 3 for i in range(90)]),
        pl.lit("same").alias("constant"),
    )
    table = table.with_columns(pl.when(pl.int_range(90) >= 4).then(pl.col("y")))
    table.write_csv(folder / "unequal.csv")
    return ["unequal.csv", "--target", "y", "--id", "key", "--drop", "constant"]


TABLES = {
    each.__name__: each
    for each in (
        comma_decimals,
        utf16,
        gaps,
        parquet_with_dates,
        quantity,
        many_classes,
        svmlight,
        arff,
        no_header,
        unequal_with_ids,
    )
}
EXPECTED = {
    "quantity": {"metric": "r2"},
    "unequal_with_ids": {"metric": "balanced_accuracy", "n_test": 18},
    "many_classes": {"n_classes": 26, "n_test": 21},
}


@pytest.mark.parametrize("kind", TABLES)
def test_fit_on_tables_of_every_kind(kind, tmp_path):
    words = TABLES[kind](tmp_path)
    done = command("fit", *[*QUICK, *words], "--test-size", 0.2, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    told, expected = json.loads(done.stdout.splitlines()[-1]), EXPECTED.get(kind, {})
    assert {each.name for each in (tmp_path / "out").iterdir()} == NAMES
    results = told["results"]
    assert results["metric"] == expected.get("metric", "accuracy")
    assert all(each["status"] == "done" for each in results["models"])
    assert results["test"]["look"] == 1
    assert len(results["test"]["labels"]) == expected.get(
        "n_classes", 0 if kind == "quantity" else 2
    )
    predictions = pl.read_csv(tmp_path / "out" / "predictions.csv")
    assert len(predictions) == expected.get("n_test", 12)
    assert {"row", "truth", "prediction"} <= set(predictions.columns)
    assert ("key" in predictions.columns) == (kind == "unequal_with_ids")
    if kind not in ("many_classes", "unequal_with_ids"):
        assert results["test"]["score"]["value"] > max(0.6, results["test"]["baseline"])


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A table, and the folder of a job on it."""
    folder = tmp_path_factory.mktemp("fitted")
    frame().write_csv(folder / "data.csv")
    words = ["fit", "data.csv", "--target", "y", "--models", "lda,svm-linear", "--folds", "2"]
    done = command(*words, "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done


def test_the_words_of_a_fit(fitted):
    folder, done = fitted
    for words in (
        "data.csv: 60 rows, predicting y (2 classes)",
        "a category of 3 values",
        "majority class",
        "relative gap",
        "has the best mean; against",
        "On 12 test rows: accuracy",
        "guessing: 50.0 %",
        "average precision of yes ",
        "report.html, report.md, model.maxmargin, predictions.csv, run.json",
    ):
        assert words in done.stdout
    assert "linear SVM ..." in done.stderr
    assert "ertified" not in done.stdout
    assert str(folder / "out") in done.stdout


def test_a_repeat_gives_the_same_bits(fitted):
    folder, _ = fitted
    done = command("fit", "--repeat", "out/run.json", "--out", "again", "--jobs", 1, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "same numbers, bit for bit" in done.stdout
    for name in ("predictions.csv", "model.maxmargin"):
        assert (folder / "out" / name).read_bytes() == (folder / "again" / name).read_bytes()
    first, second = (json.loads((folder / f / "run.json").read_text()) for f in ("out", "again"))
    assert first["results"] == second["results"]
    assert first["splits"] == second["splits"]


def test_a_full_disk_leaves_nothing_half_written(tmp_path):
    frame().write_csv(tmp_path / "data.csv")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))

    words = ["fit", "data.csv", "--target", "y", *QUICK, "--out", "out"]
    done = command(*words, cwd=tmp_path, preexec_fn=small_files)
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith("maxmargin: Cannot write")
    assert "Traceback" not in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["data.csv"]


def test_ctrl_c_ends_with_the_models_that_are_done(tmp_path):
    frame(400).write_csv(tmp_path / "data.csv")
    words = ["fit", "data.csv", "--target", "y", "--models", "lda,boosting", "--out", "out"]
    work = subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    seen = ""
    for line in work.stderr:
        seen += line
        if "boosted stumps" in line:
            break
    time.sleep(0.3)
    work.send_signal(signal.SIGINT)
    out, err = work.communicate(timeout=120)
    assert work.returncode == 0, seen + err
    assert "boosted stumps: Ctrl-C came first" in out
    assert "Ctrl-C ended the work early" in out
    assert {each.name for each in (tmp_path / "out").iterdir()} == NAMES

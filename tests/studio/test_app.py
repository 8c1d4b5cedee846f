"""Routes: files, models, and sentences for what is wrong."""

import json
from pathlib import Path

import pytest

from maxmargin.datasets import heart_path
from maxmargin.job import fit
from maxmargin.studio import tables


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    result = fit(heart_path(), "AHD", models="lda", folds=2, time_budget=None)
    result.save(folder / "out")
    return folder / "out" / "model.maxmargin"


def _upload(client, path, name=None):
    status, found = client.post(f"/api/files?name={name or path.name}", path.read_bytes())
    assert status == 200
    return found["file"]


def test_a_scene_comes_back_with_its_number(client):
    scene = {"points": [[0, 0, 0], [1, 1, 1]], "model": {"kind": "svc"}}
    status, found = client.post("/api/play", {"scene": scene, "page": "a", "number": 7})
    assert (status, found["number"]) == (200, 7)
    assert found["certificate"]["status"] == "CERTIFIED"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000])
def test_what_is_no_object_is_a_sentence(client, body):
    status, found = client.post("/api/play", body)
    assert status == 400
    assert "JSON" in found["error"] or "object" in found["error"]


def test_a_table_is_described(client):
    key = _upload(client, Path(heart_path()))
    found = json.loads(client.ask(f"/api/tables/{key}").body)
    assert found["rows"] == 303
    assert "AHD" in [column["name"] for column in found["columns"]]


def test_two_columns_become_points(client):
    key = _upload(client, Path(heart_path()))
    names = {"file": key, "first": "Age", "second": "Chol", "label": "AHD"}
    status, found = client.post("/api/points", names)
    assert status == 200
    assert {row[2] for row in found["points"]} == {0, 1}
    assert client.post("/api/points", {**names, "label": "RestBP"})[1]["error"].endswith("at most.")
    assert "no column" in client.post("/api/points", {**names, "first": "x"})[1]["error"]


def test_names_only_label_files(client, tmp_path):
    status, found = client.post("/api/files?name=..%2F..%2Fetc%2Fpasswd%3Cb%3E", b"a,b\n1,2\n")
    assert status == 200
    assert "/" not in found["label"]
    assert "<" not in found["label"]


def test_files_beside_the_studio_are_opened_by_bare_names(client, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    (tmp_path / "secret.key").write_text("no")
    listed = json.loads(client.ask("/api/beside").body)["files"]
    assert [each["name"] for each in listed] == ["t.csv"]
    assert client.post("/api/files/beside", {"name": "t.csv"})[0] == 200
    for name in ("../t.csv", "/etc/passwd", "", "none.csv"):
        status, found = client.post("/api/files/beside", {"name": name})
        assert (status, found["error"]) == (400, "There is no such file beside the studio.")


def test_a_broken_table_is_a_sentence(client):
    key = client.post("/api/files?name=a.parquet", b"\x00\x01 no table")[1]["file"]
    answer = client.ask(f"/api/tables/{key}")
    assert answer.status == 400
    assert "error" in json.loads(answer.body)


def test_a_model_answers_rows_and_files(client, stored):
    key = _upload(client, stored)
    found = json.loads(client.ask(f"/api/models/{key}").body)
    assert (found["target"], found["classes"]) == ("AHD", ["No", "Yes"])
    row = {field["column"]: field["usual"] for field in found["fields"]}
    status, said = client.post(f"/api/models/{key}/predict", {"row": row})
    assert status == 200
    assert said["prediction"] in ("No", "Yes")
    assert sum(share for _, share in said["probabilities"]) == pytest.approx(1.0)
    assert len(said["reasons"]) > 0
    file = _upload(client, Path(heart_path()))
    status, said = client.post(f"/api/models/{key}/score", {"table": file})
    assert (status, said["rows"]) == (200, 303)
    assert said["csv"].count("\n") == 304


def test_no_model_is_a_sentence(client):
    key = client.post("/api/files?name=m.maxmargin", b"no model")[1]["file"]
    answer = client.ask(f"/api/models/{key}")
    assert answer.status == 400
    assert json.loads(answer.body)["error"]


@pytest.mark.parametrize(
    "options", [{"time_budget": "1m; rm"}, {"out": "/tmp"}, {"models": "--help"}, {"seed": "-1"}]
)
def test_options_of_the_command_are_few_and_checked(client, options):
    key = _upload(client, Path(heart_path()))
    given = {"file": key, "target": "AHD", "options": options}
    status, found = client.post("/api/jobs", given)
    assert status == 400
    assert "cannot be" in found["error"]


def test_options_are_written_as_the_command_takes_them():
    assert tables.written({"time_budget": "30s", "seed": ""}) == ["--time-budget=30s"]


def test_files_of_no_job_are_refused(client):
    for path in ("/api/jobs/x/events", "/api/jobs/x/files/run.json", "/api/tables/x"):
        assert client.ask(path).status == 400

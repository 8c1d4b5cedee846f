"""A table's job from the file to the model, and a job that is cancelled."""

import json

import pytest

pytestmark = pytest.mark.browser


def _job(screen, budget="30s"):
    screen.room("Tables")
    screen.page.get_by_label("Or a file beside the studio").select_option("Heart.csv")
    screen.page.get_by_label("Column to predict").select_option("AHD")
    screen.page.locator("#budget").select_option(budget)
    screen.press("Run the main job")
    screen.page.locator("#job-columns tbody tr").first.wait_for()


def test_the_main_job_runs_to_its_report_and_its_model(screen, tmp_path):
    page = screen.page
    _job(screen)
    assert "a category of 3 values" in page.locator("#job-columns").inner_text()
    page.locator("#job-scores tbody tr").first.wait_for()
    page.wait_for_function("() => document.getElementById('job-share').value > 0.1")
    page.locator("#job-done").wait_for(timeout=100_000)
    assert page.locator("#job-answer").inner_text().startswith("The best: ")
    assert page.frame_locator("#report").locator("h1").first.inner_text()
    found = {}
    for name in ("run.json", "model.maxmargin", "predictions.csv"):
        with page.expect_download() as saved:
            page.get_by_role("link", name=name).click()
        found[name] = saved.value.path().read_bytes()
    assert json.loads(found["run.json"])["results"]["winner"]
    (tmp_path / "mine.maxmargin").write_bytes(found["model.maxmargin"])
    page.locator("#model-file").set_input_files(tmp_path / "mine.maxmargin")
    page.locator("#model-view").wait_for()
    _a_row_is_predicted(screen)
    _a_file_is_scored(screen)


def _a_row_is_predicted(screen):
    page = screen.page
    page.wait_for_function(
        "() => document.getElementById('prediction').innerText.startsWith('AHD: ')"
    )
    assert page.locator("#reasons .bar").count() > 3
    before = page.locator("#probabilities").inner_text()
    page.get_by_label("Ca", exact=True).fill("3")
    page.wait_for_function(
        "old => document.getElementById('probabilities').innerText !== old", arg=before
    )


def _a_file_is_scored(screen):
    page = screen.page
    page.get_by_label("A table to score").set_input_files(screen.folder / "Heart.csv")
    page.get_by_text("303 rows are predicted").wait_for()
    assert "of them agree with the labels" in page.locator("#score-said").inner_text()
    with page.expect_download() as saved:
        screen.press("Download the predictions")
    assert len(saved.value.path().read_text().splitlines()) == 304


def test_a_cancelled_job_keeps_what_is_done(screen):
    page = screen.page
    _job(screen, "10m")
    page.wait_for_function("() => document.querySelectorAll('#job-scores tbody tr').length >= 2")
    screen.press("Cancel", exact=True)
    page.locator("#job-done").wait_for(timeout=100_000)
    assert page.locator("#job-step").inner_text() == "Cancelled; what was done is kept."
    screen.press("Open the model")
    page.locator("#model-view").wait_for()
    page.wait_for_function(
        "() => document.getElementById('prediction').innerText.startsWith('AHD: ')"
    )

"""What nobody should give the studio: each is a sentence, and the page lives on."""

import http.client
import os
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=window.hacked=1>"


def _says(screen, words):
    screen.page.locator("#said", has_text=words).wait_for()


def _beside(screen, name):
    screen.room("Tables")
    screen.page.get_by_label("Or a file beside the studio").select_option(name)


def test_a_large_file_is_refused_and_a_sample_offered(screen):
    page = screen.page
    screen.room("Tables")
    page.locator("#table-file").set_input_files(screen.folder / "large.csv")
    _says(screen, "larger than 64 MB")
    _beside(screen, "large.csv")
    page.get_by_text("large.csv has 2.0 GB").wait_for()
    screen.press("Take a sample")
    page.locator("#table-name", has_text="sample of large.csv").wait_for()


@pytest.mark.parametrize("name", ["broken.parquet", "none.maxmargin"])
def test_a_broken_file_is_a_sentence(screen, name):
    page = screen.page
    if name.endswith("maxmargin"):
        screen.room("A model")
        page.locator("#model-file").set_input_files(screen.folder / name)
        _says(screen, "is no")
        assert page.locator("#model-view").is_hidden()
    else:
        _beside(screen, name)
        _says(screen, name)
        assert page.locator("#table-view").is_hidden()


def test_markup_in_names_and_cells_stays_text(screen):
    page = screen.page
    body = (screen.folder / "hostile.csv").read_bytes()
    given = {"name": f"{HOSTILE}.csv", "mimeType": "text/csv", "buffer": body}
    screen.room("Tables")
    page.locator("#table-file").set_input_files(given)
    page.locator("#table-view").wait_for()
    assert page.locator("#table-head img, #table-name img").count() == 0
    assert HOSTILE in page.locator("#table-head").inner_text()
    assert "20 rows" not in page.locator("#table-name").inner_text()
    page.locator("#target").select_option(HOSTILE)
    screen.room("Playground")
    page.get_by_role("button", name="Two columns of a file").click()
    page.locator("#columns-file").set_input_files(given)
    page.locator("#columns-first option").first.wait_for(state="attached")
    assert HOSTILE in page.locator("#columns-first").inner_text()
    page.get_by_role("button", name="Draw").click()
    _says(screen, "two columns of numbers")


def test_a_broken_scene_is_a_sentence(screen, studio):
    scene = {"name": "s.json", "mimeType": "application/json", "buffer": b'{"maxmargin": 3}'}
    screen.page.locator("#scene-file").set_input_files(scene)
    _says(screen, "This is no scene")
    screen.page.goto(studio.root + "#scene=%%%")
    _says(screen, "cannot be read")


def test_ten_tabs_live_side_by_side(chromium, studio):
    context = chromium.new_context()
    pages = [context.new_page() for _ in range(10)]
    for page in pages:
        page.goto(studio.address, wait_until="commit")
    for page in pages:
        page.locator(".certificate .good").wait_for(timeout=60_000)
    assert all(page.locator(".certificate .good").count() == 1 for page in pages)
    context.close()


def _children(pid):
    """Return the processes that a process has started, and theirs."""
    own = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in own] + [far for child in own for far in _children(int(child))]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_the_page_outlives_a_crash_of_its_fits(screen, studio):
    children = _children(studio.process.pid)
    assert children
    for child in children:
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
            os.kill(child, signal.SIGKILL)
    screen.page.get_by_role("combobox", name="Set").select_option("rings")
    screen.page.locator(".certificate", has_text="ended its process").wait_for()
    screen.page.get_by_role("combobox", name="Set").select_option("moons")
    screen.page.locator(".certificate .good").wait_for()


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 403),
        ("/api/scenes", {}, 403),
        ("/?token=wrong", {}, 403),
        ("/TOKEN", {"Origin": "http://example.org"}, 403),
        ("/TOKEN", {"Host": "example.org"}, 421),
        ("/TOKEN", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("/static/../../../pyproject.toml", {"Cookie": "TOKEN"}, 404),
        ("/static/%2e%2e/%2e%2e/guard.py", {"Cookie": "TOKEN"}, 404),
        ("/api/play", {"Cookie": "TOKEN", "Content-Length": str(1 << 40)}, 413),
    ],
)
def test_strangers_are_refused(studio, path, headers, status):
    parts = urlsplit(studio.address)
    token = parts.query.removeprefix("token=")
    given = {k: v.replace("TOKEN", f"maxmargin-{parts.port}={token}") for k, v in headers.items()}
    line = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    line.putrequest("GET", path.replace("TOKEN", f"?{parts.query}"), skip_host="Host" in given)
    for name, value in given.items():
        line.putheader(name, value)
    line.endheaders()
    assert line.getresponse().status == status
    line.close()


def test_a_page_from_elsewhere_reaches_nothing(chromium, studio):
    context = chromium.new_context()
    page = context.new_page()
    page.goto(studio.address)
    page.goto("data:text/html,<h1>elsewhere</h1>")
    ask = "address => fetch(address).then(() => 'answered', () => 'refused')"
    assert page.evaluate(ask, studio.root + "api/scenes") == "refused"
    call = """address => new Promise(done => {
        const socket = new WebSocket(address);
        socket.onopen = () => done('opened');
        socket.onerror = () => done('refused');
    })"""
    assert page.evaluate(call, studio.root.replace("http", "ws")) == "refused"
    context.close()

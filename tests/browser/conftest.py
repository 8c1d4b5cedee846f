"""The studio in a real browser: the command in a process, Chromium without a window."""

import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from maxmargin.datasets import heart_path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
SLOW = 30_000
"""Milliseconds that a busy machine may take."""
LARGE = 2 << 30
HOSTILE = "<img src=x onerror=window.hacked=1>"


@dataclass(frozen=True)
class Studio:
    """A studio at work."""

    address: str
    folder: Path
    process: subprocess.Popen

    @property
    def root(self):
        return self.address.split("?", maxsplit=1)[0]


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("beside")
    fill(folder)
    command = [sys.executable, "-m", "maxmargin", "studio", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline().strip() for _ in range(2)]
        yield Studio(lines[1], folder, process)
        process.terminate()


def fill(folder):
    """Put tables beside the studio: a good one, and every kind of bad one."""
    shutil.copy(heart_path(), folder / "Heart.csv")
    (folder / "broken.parquet").write_bytes(b"PAR1" + bytes(range(256)) * 9)
    (folder / "none.maxmargin").write_bytes(b"this is no model")
    row = f'"{HOSTILE}",1.5,yes\nplain,2.5,no\n'
    (folder / "hostile.csv").write_text(f'"{HOSTILE}",b,label\n' + row * 20)
    with (folder / "large.csv").open("wb") as file:
        file.write(b"a,b,label\n" + b"1,2,yes\n3,4,no\n" * 500_000)
        file.truncate(LARGE)  # the rest is a hole, which takes no room on the disk


class Screen:
    """A page of the studio, and what a reader sees in it."""

    def __init__(self, page, folder):
        self.page, self.folder = page, folder

    def fits(self, pane=0):
        """Return how many models a pane has drawn."""
        return int(self.page.locator("#panes canvas").nth(pane).get_attribute("data-fits") or 0)

    def fitted(self, before=0, pane=0):
        """Wait until a pane has drawn one more model."""
        canvas = "document.querySelectorAll('#panes canvas')[k]"
        ask = f"([k, n]) => Number({canvas}?.dataset.fits || 0) > n"
        self.page.wait_for_function(ask, arg=[pane, before])

    @contextmanager
    def refit(self):
        """Wait at the end until a model is drawn that was not there at the start."""
        before = self.fits()
        yield
        self.fitted(before)

    def choose(self, label, value):
        """Choose from a list of the playground, and wait for the model."""
        with self.refit():
            self.page.get_by_role("combobox", name=label, exact=True).select_option(value)

    @property
    def status(self):
        """What the certificate says."""
        return self.page.locator(".certificate .status").first.inner_text()

    @property
    def certificate(self):
        """The certificate's numbers, by their names."""
        names = self.page.locator(".certificate dt").all_inner_texts()
        return dict(zip(names, self.page.locator(".certificate dd").all_inner_texts(), strict=True))

    def scene(self):
        """Save the scene, and read it."""
        with self.page.expect_download() as saved:
            self.page.get_by_role("button", name="Save the scene").click()
        return json.loads(saved.value.path().read_text())

    def press(self, name, **more):
        """Press a button."""
        self.page.get_by_role("button", name=name, **more).click()

    def room(self, name):
        """Open a room by its tab."""
        self.page.get_by_role("tab", name=name).click()


@pytest.fixture
def screen(chromium, studio):
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    page, failures = context.new_page(), []
    page.set_default_timeout(SLOW)
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(studio.address)
    found = Screen(page, studio.folder)
    found.fitted()
    yield found
    assert not failures
    assert page.evaluate("window.hacked") is None
    context.close()

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from maxmargin.ops.compiler import loop_cache
from maxmargin.ops.compiler.loop_cache import LoopFiles, is_private, private_folder, stamp_of

LOOP = """
from helping import FACTOR, help_a_little
from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def grow(x):
    return FACTOR * x + help_a_little(x)
"""
HELP = """
from maxmargin.ops.loop import njit

FACTOR = 2.0


@njit(nogil=True)
def help_a_little(x):
    return 1.0
"""
USE = """
import os, sys
from numba.core import event
import numpy as np


class Count(event.Listener):
    done = 0

    def on_start(self, event):
        Count.done += event.data["dispatcher"].py_func.__name__ == "grow"

    def on_end(self, event):
        pass


event.register("numba:compile", Count())
{before}
import growing
assert growing.grow(3.0) == {expected}, growing.grow(3.0)
print(Count.done, growing.grow.stats.cache_path)
"""


class Place:
    """A package with a loop, the user's folders, and whether those can be written."""

    def __init__(self, folder, *, open_package=False):
        self.sources, self.temporary = folder / "sources", folder / "temporary"
        self.sources.mkdir()
        self.temporary.mkdir(mode=0o700)
        (self.sources / "growing.py").write_text(LOOP)
        (self.sources / "helping.py").write_text(HELP)
        self.beside = self.sources / "__pycache__"
        if not open_package:  # no folder can be made where a file is, whoever asks
            self.beside.write_text("")
        self.closed = folder / "file"
        self.closed.write_text("")

    def use(self, before="", expected=7.0, **environment):
        """Run the loop in a process; return compilations, the folder and what was said."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "MAXMARGIN_"))}
        homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), str(self.closed / "home"))
        places = {"PYTHONPATH": str(self.sources), "TMPDIR": str(self.temporary)}
        done = subprocess.run(
            [sys.executable, "-B", "-c", USE.format(before=before, expected=expected)],
            env={**kept, **homes, **places, **environment},
            cwd=self.sources,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        count, _, folder = done.stdout.strip().partition(" ")
        return int(count), folder, done.stderr

    def files(self):
        return sorted(self.beside.glob("*.nbc"))


@pytest.fixture
def closed(tmp_path):
    return Place(tmp_path)


@pytest.fixture
def open_place(tmp_path):
    place = Place(tmp_path, open_package=True)
    assert place.use()[0] == 1
    return place


def test_without_a_writable_folder_loops_are_kept_in_a_private_one(closed):
    count, folder, said = closed.use()
    own = closed.temporary / f"maxmargin-{os.geteuid()}"
    assert count == 1
    assert Path(folder).parent == own
    assert stat.S_IMODE(own.lstat().st_mode) == 0o700
    assert said.count("\n") == 1
    assert str(own) in said
    assert closed.use() == (0, folder, "")


def plant_a_link(own):
    own.with_name("elsewhere").mkdir(mode=0o700)
    own.symlink_to(own.with_name("elsewhere"))


def plant_an_open_folder(own):
    own.mkdir()
    own.chmod(0o777)


def plant_a_file(own):
    own.write_text("")


@pytest.mark.parametrize(
    "plant",
    [
        plant_a_link,
        pytest.param(plant_an_open_folder, marks=pytest.mark.sweep),
        pytest.param(plant_a_file, marks=pytest.mark.sweep),
    ],
)
def test_a_folder_that_another_could_have_planted_is_not_used(closed, plant):
    own = closed.temporary / f"maxmargin-{os.geteuid()}"
    plant(own)
    count, folder, said = closed.use()
    assert (count, folder) == (1, "None")
    assert said.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in said
    assert not list(closed.temporary.rglob("*.nbc"))


def test_without_user_ids_as_on_windows_there_is_no_private_folder(monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    assert private_folder() is None


def test_a_folder_of_another_user_is_not_private(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    assert is_private(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert not is_private(tmp_path)


@pytest.mark.parametrize(("mode", "found"), [(0o777, False), (0o1777, True), (0o755, True)])
def test_a_folder_in_which_others_can_rename_is_not_used(tmp_path, monkeypatch, mode, found):
    place = tmp_path / "temporary"
    place.mkdir()
    place.chmod(mode)
    monkeypatch.setattr(loop_cache.tempfile, "gettempdir", lambda: str(place))
    monkeypatch.setattr(loop_cache, "_tell", lambda _: None)
    assert (private_folder() is not None) == found


@pytest.mark.sweep
def test_without_a_home_nothing_is_read_below_the_current_folder(closed):
    planted = {"HOME": "~", "XDG_CACHE_HOME": ""}
    _, folder, _ = closed.use(**planted)
    assert Path(folder).is_absolute()
    assert not (closed.sources / "~").exists()


def test_where_nothing_can_be_kept_a_fit_still_runs(closed):
    no_folder = "import tempfile; tempfile.gettempdir = lambda: (_ for _ in ()).throw(OSError())"
    count, folder, said = closed.use(no_folder)
    assert (count, folder) == (1, "None")
    assert said.count("\n") == 1
    assert closed.use(no_folder, MAXMARGIN_QUIET="1")[2] == ""


NO_FOLDER_BESIDE = """
from numba.core import caching
for kind in caching.CacheImpl._locator_classes:
    if "InTree" in kind.__name__:
        kind.from_function = classmethod(lambda *_: None)
"""


READ_ONLY = """
import os
from numba.core import caching
for kind in caching.CacheImpl._locator_classes:
    kind.from_function = classmethod(lambda *_: None)
"""


def test_a_folder_that_an_image_brings_along_is_read_where_nothing_can_be_written(closed):
    baked = {"NUMBA_CACHE_DIR": str(closed.sources / "baked")}
    assert closed.use(**baked)[0] == 1
    no_folder = "import tempfile; tempfile.gettempdir = lambda: (_ for _ in ()).throw(OSError())"
    for before in (READ_ONLY, f"{READ_ONLY}\n{no_folder}"):
        assert closed.use(before, **baked)[0::2][0] == 0


@pytest.mark.sweep
def test_code_beside_a_package_that_became_read_only_is_read(open_place):
    count, folder, _ = open_place.use(NO_FOLDER_BESIDE)
    assert count == 0
    assert Path(folder).is_relative_to(open_place.temporary)


DAMAGES = {
    "empty": lambda content: b"",
    "garbage": lambda content: b"garbage" * 100,
    "cut": lambda content: content[: len(content) // 2],
    "one bit": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "foreign pickle": lambda content: b"cos\nsystem\n(S'touch ran'\ntR.",
    "header alone": lambda content: content[:40],
}


@pytest.mark.parametrize(
    "name",
    [name if name == "cut" else pytest.param(name, marks=pytest.mark.sweep) for name in DAMAGES],
)
def test_a_damaged_file_is_compiled_again_and_replaced(open_place, name):
    (file,) = open_place.files()
    file.write_bytes(DAMAGES[name](file.read_bytes()))
    count, _, said = open_place.use()
    assert count == 1
    assert said.count("\n") == 1
    assert "compiling" in said
    assert open_place.use()[0::2] == (0, "")
    assert [each.name for each in open_place.files()] == [file.name]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_is_damaged_is_never_unpickled(tmp_path, monkeypatch, damage):
    said = []
    monkeypatch.setattr(loop_cache, "_tell", said.append)
    key = ("types", "processor", "code")
    files = LoopFiles([tmp_path], "base", is_private)
    files.save(key, {"some": "code"})
    assert files.load(key) == {"some": "code"}
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    monkeypatch.setattr(loop_cache.pickle, "loads", None)
    assert files.load(key) is None
    assert len(said) == 1


def test_what_another_source_or_processor_left_is_not_used(tmp_path):
    key = ("types", "processor", "code")
    files = LoopFiles([tmp_path], "base", is_private)
    files.save(key, "old")
    assert files.load(("types", "processor", "other code")) is None
    assert files.load(("types", "another processor", "code")) is None
    assert (
        LoopFiles([tmp_path], "base", test_a_folder_of_another_user_is_not_private).load(key)
        is None
    )
    files.save(("types", "processor", "other code"), "new")
    assert len(list(tmp_path.iterdir())) == 1
    files.flush()
    assert not list(tmp_path.iterdir())


@pytest.mark.sweep
def test_intact_files_of_foreign_code_are_replaced_too(open_place, tmp_path):
    (file,) = open_place.files()
    content = file.read_bytes()
    seal, _, _ = loop_cache._cut(content)
    data = b"cnowhere\nnothing\n."
    digest = loop_cache._DIGEST(seal + data).digest()
    file.write_bytes(loop_cache._MAGIC + seal + digest + data)
    assert open_place.use()[0] == 1
    assert open_place.use()[0::2] == (0, "")


@pytest.mark.parametrize(
    "what", ["return 1.0", pytest.param("FACTOR = 2.0", marks=pytest.mark.sweep)]
)
def test_code_is_compiled_again_after_a_change_of_what_it_calls(open_place, what):
    source = open_place.sources / "helping.py"
    source.write_text(HELP.replace(what, what[:-3] + "3.0"))
    expected = 10.0 if what.startswith("FACTOR") else 9.0
    assert open_place.use(expected=expected)[0] == 1
    assert len(open_place.files()) == 1


def test_a_full_disk_ends_no_fit(tmp_path):
    place = Place(tmp_path, open_package=True)
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
    count, _, said = place.use(full)
    assert count == 1
    assert said.count("\n") == 1
    assert "cannot be kept" in said
    assert not place.files()
    assert not list(place.beside.glob("*.tmp.*"))


@pytest.mark.sweep
def test_two_processes_at_once_leave_whole_files(tmp_path):
    place = Place(tmp_path, open_package=True)
    script = USE.format(before="", expected=7.0)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    started = [
        subprocess.Popen(
            [sys.executable, "-B", "-c", script],
            env={**kept, "PYTHONPATH": str(place.sources)},
            stdout=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]
    assert [each.wait() for each in started] == [0, 0]
    assert place.use()[0] == 0


@pytest.mark.parametrize(
    "change",
    [
        "from numba.core import caching; caching.FunctionCache = None",
        pytest.param(
            "from numba.core import caching; del caching.CompileResultCacheImpl",
            marks=pytest.mark.sweep,
        ),
    ],
)
def test_another_release_of_numba_has_its_own_cache_or_none(tmp_path, change):
    place = Place(tmp_path, open_package=True)
    assert place.use(f"import numba; {change}")[0] == 1


def test_loops_are_compiled_where_numba_is_told_not_to(tmp_path):
    place = Place(tmp_path, open_package=True)
    assert place.use(NUMBA_DISABLE_JIT="1")[0] == 1


def test_a_disk_that_fails_is_no_error_in_this_process(tmp_path):
    files = LoopFiles([tmp_path / "missing"], "base", is_private)
    assert files.load(("types", "processor", "code")) is None
    assert len(stamp_of(is_private)) == 32

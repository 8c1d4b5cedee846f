import os
from pathlib import Path

import pytest

from maxmargin.report import WriteError, check_destination, write_atomically


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_it_writes_and_leaves_nothing_else(tmp_path):
    write_atomically(tmp_path / "report.html", "é")
    assert (tmp_path / "report.html").read_bytes() == "é".encode()
    assert names(tmp_path) == ["report.html"]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failure):
    path = tmp_path / "report.html"
    path.write_text("old")

    def fail(_descriptor: int) -> None:
        raise failure

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((WriteError, KeyboardInterrupt)):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["report.html"]


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WriteError, match=r"^Cannot write '.*': no space left on device\.$"):
        write_atomically(tmp_path / "report.html", "new")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(WriteError, match="does not exist; create it first"):
        check_destination(tmp_path / "absent" / "report.html")


def test_a_closed_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(WriteError, match="does not let you write"):
        check_destination(tmp_path / "report.html")


@pytest.mark.parametrize("place", [".", os.devnull])
def test_what_is_no_file_is_not_replaced(tmp_path, place):
    with pytest.raises(WriteError, match="not an ordinary file"):
        check_destination(tmp_path / place)


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("old")
    link.symlink_to(real)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_undecodable_names_do_not_break_the_file(tmp_path):
    write_atomically(tmp_path / "report.html", "from \udcff.csv")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == r"from \udcff.csv"

import os
import subprocess
import sys
from pathlib import Path

import pytest

from maxmargin.inputs.opening import open_ordinary, read_ordinary
from maxmargin.job.record import read_record
from maxmargin.storage import load_model
from maxmargin.tables import read_frame
from maxmargin.tables.file import digest
from maxmargin.tables.tu_dortmund import read_graphs
from maxmargin.vision import Cascade
from maxmargin.vision.backgrounds import _lines
from maxmargin.vision.checkpoint import _content
from maxmargin.vision.picture_file import read_grey, read_picture
from maxmargin.vision.positives import _annotated

READERS = {
    "bare": open_ordinary,
    "tables": read_frame,
    "digest": digest,
    "graphs": read_graphs,
    "models": load_model,
    "records": read_record,
    "cascades": Cascade.from_opencv,
    "images": read_picture,
    "greys": read_grey,
    "annotations": lambda path: list(_annotated(path)),
    "lists": _lines,
    "checkpoints": _content,
}


def device(folder):
    return "/dev/zero"


def link_to_a_device(folder):
    (folder / "link.csv").symlink_to("/dev/zero")
    return folder / "link.csv"


def pipe(folder):
    os.mkfifo(folder / "pipe.csv")
    return folder / "pipe.csv"


@pytest.mark.parametrize("make", [device, link_to_a_device, pipe])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_no_reader_opens_what_may_never_end(tmp_path, make, read):
    path = Path(make(tmp_path))
    with pytest.raises((OSError, ValueError)) as refused:
        read(path)
    assert "\n" not in str(refused.value)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(OSError, match="it is a folder"):
        open_ordinary(tmp_path)


def test_no_more_is_read_than_was_allowed(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"x" * 10)
    assert read_ordinary(file, 10) == b"x" * 10
    with pytest.raises(OSError, match="longer than max_bytes=9"):
        read_ordinary(file, 9)


def test_a_file_that_does_not_tell_its_length_is_bounded_too():
    with pytest.raises(OSError, match="longer than max_bytes=10"):
        read_ordinary(Path("/proc/self/status"), 10)


def test_the_command_refuses_a_device_in_one_sentence(tmp_path):
    words = [sys.executable, "-m", "maxmargin", "fit", "/dev/zero", "--target", "a"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no ordinary file" in done.stderr


def test_images_are_of_formats_that_start_no_program(tmp_path):
    (tmp_path / "image.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    with pytest.raises(ValueError, match="cannot be read as an image"):
        read_picture(tmp_path / "image.png")


def test_limits_can_be_raised_and_lowered(tmp_path):
    (tmp_path / "cascade.xml").write_text("<opencv_storage/>")
    with pytest.raises(ValueError, match="longer than max_bytes=4"):
        Cascade.from_opencv(tmp_path / "cascade.xml", max_bytes=4)
    (tmp_path / "image.png").write_bytes(b"12345")
    with pytest.raises(ValueError, match="longer than max_bytes=4"):
        read_picture(tmp_path / "image.png", max_bytes=4)
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="of memory"):
        read_frame(tmp_path / "table.csv", memory=4)

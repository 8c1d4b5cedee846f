"""The folder that a job leaves behind: five files, all of them or none."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from maxmargin.inputs.opening import open_ordinary
from maxmargin.tables import InputError

FILES: Final = {
    "report": "report.html",
    "report_markdown": "report.md",
    "model": "model.maxmargin",
    "predictions": "predictions.csv",
    "run": "run.json",
}
NAMES: Final = tuple(FILES.values())
MODEL: Final = FILES["model"]
_HEAD = 200  # bytes
_MARK = '"format": "maxmargin run"'  # as job.record writes it
MARKDOWN_MARK = "<!-- A report of maxmargin -->"


@dataclass(frozen=True)
class Folder:
    """Where the five files go.

    Parameters
    ----------
    path : Path
        Made if it is not there. Of a folder that is, only the files of an earlier run are replaced.
    """

    path: Path

    def check(self, *inputs: Path) -> None:
        """Refuse before the work what would fail after it.

        Parameters
        ----------
        *inputs : Path
            Files that must not be replaced.
        """
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"--out names {str(self.path)!r}, which is a file: choose a folder.")
        there = [name for name in NAMES if os.path.lexists(self.path / name)]
        odd = [name for name in there if not (self.path / name).is_file()]
        text = FILES["report_markdown"]
        if text in there and text not in odd and not _begins(self.path / text, MARKDOWN_MARK):
            odd = [text]
        if odd or (there and not _begins(self.path / FILES["run"], _MARK)):
            raise InputError(
                f"{(odd or there)[0]!r} in {str(self.path)!r} is not from a run of this command:"
                " choose another --out."
            )
        for file in inputs:
            if file.exists() and any(file.samefile(self.path / name) for name in there):
                raise InputError(f"--out would replace {str(file)!r} itself: choose another one.")
        self._check_access()

    def _check_access(self) -> None:
        nearest = next(each for each in (self.path, *self.path.absolute().parents) if each.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
            raise OSError(f"Cannot write to {str(nearest)!r}: choose another --out.")

    @contextmanager
    def filling(self) -> Iterator[Path]:
        """Give an empty folder to write the files to; at the end they are moved to their places.

        Yields
        ------
        Path
            If anything goes wrong it disappears, and what was there before is still there.
        """
        made = [each for each in (self.path, *self.path.absolute().parents) if not each.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            part = self.path / f".maxmargin-{secrets.token_hex(8)}.part"
            part.mkdir()
            try:
                yield part
                for name in NAMES:
                    (part / name).stat()  # all of them are there before the first is moved
                for name in NAMES:
                    (part / name).replace(self.path / name)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        except BaseException as error:
            for folder in made:
                _remove_if_empty(folder)
            if isinstance(error, OSError) and error.strerror:
                raise OSError(
                    f"Cannot write to {str(self.path)!r}: {error.strerror.lower()}."
                ) from error
            raise


def _begins(path: Path, mark: str) -> bool:
    """Whether a file begins as one of this command does, whichever release wrote it."""
    try:
        with open_ordinary(path) as file:
            return mark in file.read(_HEAD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return False


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return

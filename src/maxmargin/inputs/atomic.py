"""Writing a file so that readers see either all of it or nothing."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class WriteError(OSError):
    """A file could not be written; nothing was left behind."""


def check_destination(path: Path) -> None:
    """Refuse early what could not be written later.

    Parameters
    ----------
    path : Path
        Where a file is to go.

    Raises
    ------
    WriteError
        When the folder does not exist or is closed, or something that is no file is in the way.

    Examples
    --------
    >>> check_destination(Path("no such folder/report.html"))
    Traceback (most recent call last):
    maxmargin.inputs.atomic.WriteError: Cannot write 'no such folder/report.html': ...
    """
    folder = path.parent
    if not folder.is_dir():
        raise _refusal(path, f"the folder {str(folder)!r} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise _refusal(path, f"the folder {str(folder)!r} does not let you write; choose another")
    if path.exists() and not path.is_file():
        raise _refusal(path, "something that is not an ordinary file has that name")


def write_atomically(path: Path, text: str) -> None:
    """Write text as UTF-8: the whole of it, or nothing.

    Parameters
    ----------
    path : Path
        Where the file goes; a file of that name is replaced only once the new one is complete.
    text : str
        Its contents.

    Raises
    ------
    WriteError
        When it cannot be written; whatever was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "note.txt", "done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['note.txt']
    """
    # Names from a file system may hold undecodable bytes, which are no valid UTF-8.
    content = text.encode("utf-8", errors="backslashreplace")
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces another when the block ends without an error.

    Parameters
    ----------
    path : Path
        Where the file goes.

    Yields
    ------
    file : binary file
        It is invisible until it is complete.

    Raises
    ------
    WriteError
        When it cannot be written; whatever was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "note.bin") as file:
    ...         _ = file.write(b"done")
    ...     (Path(folder) / "note.bin").read_bytes()
    b'done'
    """
    check_destination(path)
    target = path.resolve()  # a link stays a link
    part = target.with_name(f".maxmargin-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise _refusal(path, (error.strerror or str(error)).lower()) from error
    finally:
        part.unlink(missing_ok=True)


def _refusal(path: Path, why: str) -> WriteError:
    return WriteError(f"Cannot write {str(path)!r}: {why}.")

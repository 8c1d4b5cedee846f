"""The one way to open a file that was named: an ordinary one, and no more of it than was allowed.

A device such as ``/dev/zero`` never ends, a pipe may never begin, and a link may lead to either.
The errors are OSErrors whose ``strerror`` is the end of a sentence that begins with the file's
name.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_PIECE = 1 << 20
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_ordinary(path: Path) -> BufferedReader:
    """Open an ordinary file for reading.

    Parameters
    ----------
    path : Path
        A link is followed.

    Returns
    -------
    file : binary file

    Raises
    ------
    OSError
        If it cannot be read, is a folder, a device, a pipe or a socket.

    Examples
    --------
    >>> open_ordinary(Path("/dev/null"))
    Traceback (most recent call last):
    OSError: [Errno 22] it is no ordinary file but a device, a pipe or a socket; ...
    """
    _check_ordinary(path.stat().st_mode)  # before: opening a device may do something
    number = os.open(path, _FLAGS)  # a pipe that takes its place does not make us wait
    try:
        _check_ordinary(os.fstat(number).st_mode)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def _check_ordinary(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(
            errno.EINVAL,
            "it is no ordinary file but a device, a pipe or a socket; copy it to one first",
        )


def read_ordinary(path: Path, max_bytes: int) -> bytes:
    """Read all of an ordinary file of bounded length.

    Parameters
    ----------
    path : Path
    max_bytes : int
        The longest that is read, also if it grows meanwhile or does not tell its length.

    Returns
    -------
    content : bytes

    Raises
    ------
    OSError
        As ``open_ordinary``, or because it is longer.

    Examples
    --------
    >>> from maxmargin.datasets import heart_path
    >>> len(read_ordinary(heart_path(), 1 << 20)) > 10_000
    True
    """
    pieces, left = [], max_bytes + 1
    with open_ordinary(path) as file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise _too_long(max_bytes)
        while left and (piece := file.read(min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
    if not left:
        raise _too_long(max_bytes)
    return b"".join(pieces)


def _too_long(max_bytes: int) -> OSError:
    return OSError(errno.EFBIG, f"it is longer than max_bytes={max_bytes:,}")

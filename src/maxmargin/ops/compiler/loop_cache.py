"""Where compiled loops are kept for later processes: Numba's cache without its three ways to fail.

Numba keeps compiled code beside the source or, if that folder is read-only, in the user's cache
folder. Its own cache ends a fit with an error if neither can be written, if a file is damaged, or
if the disk is full. Here instead:

- The third place is a private folder in the system's folder for temporary files. Reading a cached
  file runs code, so a folder that another user could have put there is refused. Without any place
  each process compiles for itself.
- A file holds one compiled signature with its digest. One that is cut, empty or foreign is never
  unpickled: the loop is compiled again and the file replaced. Two processes that write at once
  write the same file, each in one step; with Numba's shared index one could name the other's code.
- What cannot be written is not kept, and the fit goes on.
- Code that lies beside a read-only package, or in a ``NUMBA_CACHE_DIR`` that cannot be written, is
  still read: an image warmed by its builder stays warm for its users.

A release of Numba whose caches work differently inside gets its own cache back, or none.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import stat
import tempfile
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numba
from numba import config

from maxmargin.ops.compiler.plain import is_plain
from maxmargin.progress.audience import announce

_MAGIC: Final = b"maxmargin loop 1\n"
_DIGEST = hashlib.sha256
_SIZE: Final = _DIGEST().digest_size
_CONSTANTS: Final = (bool, int, float, str, bytes, tuple)
_CHOOSE: Final = "set NUMBA_CACHE_DIR to a folder that you can write to"


def keep(loop: Any) -> Any:
    """Attach the cache to a loop; return the loop.

    Parameters
    ----------
    loop : dispatcher
        As ``numba.njit`` makes it, without a cache of its own.

    Returns
    -------
    loop : dispatcher
        Compiled in every process anew if there is no place to keep it.
    """
    for give in (_give_numbas,) if is_plain() else (_give_ours, _give_numbas):
        try:
            give(loop)
        except MemoryError:
            raise
        except Exception:  # whatever another release of Numba raises
            continue
        return loop
    _tell(f"Compiled loops cannot be kept, so every process compiles them again: {_CHOOSE}")
    return loop


def _give_ours(loop: Any) -> None:
    loop._cache = _cache_kind()(loop.py_func)


def _give_numbas(loop: Any) -> None:
    loop.enable_caching()


@cache
def _tell(line: str) -> None:
    """Print a line once in a process."""
    announce(line, always=True)


# the private folder


def private_folder() -> Path | None:
    """Return the user's own folder for compiled loops among temporary files; make it if missing.

    Returns
    -------
    folder : Path or None
        None if there is no such place, or if another user could read or write what is in it.
    """
    try:
        folder = Path(tempfile.gettempdir()).resolve() / f"maxmargin-{os.geteuid()}"
        if not all(map(_cannot_be_replaced, folder.parents)):
            return None
        if _make_private(folder):
            _tell(f"Compiled loops are kept in {str(folder)!r}; to choose another, {_CHOOSE}")
    except (OSError, AttributeError):  # no temporary files; no user ids, as on Windows
        return None
    return folder if is_private(folder) else None


def _make_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True


def is_private(folder: Path) -> bool:
    """Whether a folder is a real one, the user's, and closed to all others."""
    found = folder.lstat()
    closed = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    return closed and found.st_uid == os.geteuid()


def _cannot_be_replaced(folder: Path) -> bool:
    """Whether no other user but root can rename what lies in a folder."""
    found = folder.stat()
    guarded = not found.st_mode & 0o022 or bool(found.st_mode & stat.S_ISVTX)
    return guarded and found.st_uid in {0, os.geteuid()}


class _PrivateLocator:
    """Numba's way to ask for a folder: the last one that it tries."""

    def __init__(self, function: Any, source: str, folder: Path) -> None:
        self._line, self._source, self._folder = function.__code__.co_firstlineno, source, folder

    @classmethod
    def from_function(cls, function: Any, source: str) -> _PrivateLocator | None:
        """Return a locator if there is such a folder and a file that the loop is from."""
        folder = private_folder() if Path(source).is_file() else None
        return None if folder is None else cls(function, source, folder)

    def get_cache_path(self) -> str:
        """Return the folder, one for each folder of sources."""
        place = _DIGEST(str(Path(self._source).resolve().parent).encode()).hexdigest()[:16]
        return str(self._folder / place)

    def get_source_stamp(self) -> bytes:
        """Return what changes when the source does."""
        return _DIGEST(Path(self._source).read_bytes()).digest()

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name apart."""
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """Make the folder, or raise OSError."""
        Path(self.get_cache_path()).mkdir(mode=0o700, exist_ok=True)


def baked_folder(function: Any) -> Path:
    """Return where the builder of an image may have left compiled loops of a function.

    Below ``NUMBA_CACHE_DIR`` if that is set, otherwise beside the source. Both are read even if
    nothing can be written there.
    """
    source = function.__code__.co_filename
    if not config.CACHE_DIR:
        return Path(source).parent / "__pycache__"
    from numba.core import caching  # noqa: PLC0415

    return Path(caching.UserProvidedCacheLocator(function, source).get_cache_path())


class _BakedLocator(_PrivateLocator):
    """A folder that can be read alone: the last resort."""

    @classmethod
    def from_function(cls, function: Any, source: str) -> _BakedLocator | None:
        """Return a locator if there is such a folder."""
        folder = baked_folder(function)
        return cls(function, source, folder) if folder.is_dir() else None

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Leave it as it is."""


# the files


class LoopFiles:
    """One file for each compiled signature of a function.

    Parameters
    ----------
    folders : sequence of Path
        The first is written to, all are read.
    base : str
        How names begin.
    function : callable
        What is compiled.
    """

    def __init__(self, folders: list[Path], base: str, function: Any) -> None:
        self._folders, self._base, self._function = folders, base, function

    def load(self, key: Any) -> Any:
        """Return what was saved, or None if it is not there, is stale or is damaged."""
        for folder in self._folders:
            try:
                content = (folder / self._name(key)).read_bytes()
            except OSError:
                continue
            data = self._opened(content, key, folder)
            if data is not None:
                return data
        return None

    def _opened(self, content: bytes, key: Any, folder: Path) -> Any:
        seal, digest, data = _cut(content)
        if not content.startswith(_MAGIC) or _DIGEST(seal + data).digest() != digest:
            tell_damaged(folder)
            return None
        return pickle.loads(data) if seal == self._seal(key) else None

    def save(self, key: Any, data: Any) -> None:
        """Write what a compilation gave, all of it or nothing."""
        from numba.core import caching  # noqa: PLC0415

        payload, seal = caching.dumps(data), self._seal(key)
        path = self._folders[0] / self._name(key)
        part = path.with_name(f"{path.name}.tmp.{secrets.token_hex(8)}")
        try:
            part.write_bytes(_MAGIC + seal + _DIGEST(seal + payload).digest() + payload)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def flush(self) -> None:
        """Forget all of the function."""
        for path in self._folders[0].glob(f"{self._base}.*.nbc"):
            path.unlink(missing_ok=True)

    def _name(self, key: Any) -> str:
        """Name a file by the types and the processor, so that a new source replaces the old."""
        kind = repr(key[:2]) + ("checked" if config.BOUNDSCHECK else "")
        return f"{self._base}.{_DIGEST(kind.encode()).hexdigest()[:16]}.nbc"

    def _seal(self, key: Any) -> bytes:
        """Compute what must be the same for a file to be used."""
        stamp = stamp_of(self._function)
        return _DIGEST(repr((numba.__version__, stamp, key)).encode()).digest()


def _cut(content: bytes) -> tuple[bytes, bytes, bytes]:
    first, second = len(_MAGIC) + _SIZE, len(_MAGIC) + 2 * _SIZE
    return content[len(_MAGIC) : first], content[first:second], content[second:]


def tell_damaged(folder: Path) -> None:
    """Warn once that files of a folder are damaged."""
    _tell(f"Damaged files of compiled loops in {str(folder)!r} are replaced: compiling them again")


# what compiled code depends on


def stamp_of(function: Any) -> bytes:
    """Return a digest of all that is compiled into a loop: its source and that of what it calls.

    Numba looks at the loop's own file alone. After an upgrade that changes another file it would go
    on with the old code of loops that were inlined from there.
    """
    files: set[Path] = set()
    values: set[str] = set()
    _gather(function, files, values, set())
    texts = [_digest_of(file) for file in sorted(files)]
    return _DIGEST(repr((texts, sorted(values))).encode()).digest()


def _gather(function: Any, files: set[Path], values: set[str], seen: set[int]) -> None:
    """Collect source files, and the constants that are frozen into compiled code."""
    if id(function) in seen:
        return
    seen.add(id(function))
    files.add(Path(function.__code__.co_filename))
    values.add(function.__code__.co_code.hex())
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        inner = getattr(value, "py_func", getattr(value, "_defn", value))
        if isinstance(inner, FunctionType) and (inner is not value or _is_ours(inner.__module__)):
            _gather(inner, files, values, seen)
        elif isinstance(value, ModuleType) and _is_ours(value.__name__):
            files.add(Path(str(value.__file__)))
        elif isinstance(value, _CONSTANTS):
            values.add(f"{name}={value!r}")


def _is_ours(module: str) -> bool:
    return module.startswith("maxmargin.")


def _names(code: CodeType) -> set[str]:
    """List the names that a function and those within it ask for."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


@cache
def _digest_of(file: Path) -> str:
    try:
        return _DIGEST(file.read_bytes()).hexdigest()
    except OSError:  # a package in an archive
        return ""


# Numba's cache, with these


def _locators() -> list[Any]:
    """List Numba's ways to find a folder, then ours.

    Without a home Numba's way to the user's folder leads below the current directory, which may be
    another user's.
    """
    from numba.core import caching  # noqa: PLC0415

    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~")  # noqa: PTH111 (it may fail)
    known = Path(home).is_absolute()
    theirs = caching.CacheImpl._locator_classes
    usual = [each for each in theirs if known or "UserWide" not in each.__name__]
    return [*usual, _PrivateLocator, _BakedLocator]


@cache
def _cache_kind() -> Any:
    """Derive our cache of a function from Numba's, now that a failure ends nothing."""
    from numba.core import caching  # noqa: PLC0415

    class Impl(caching.CompileResultCacheImpl):
        """What is written of a compiled function, and where."""

        _locator_classes = _locators()

    class LoopCache(caching.FunctionCache):
        """Numba's cache of a function, but never the end of a fit."""

        _impl_class = Impl

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            folders = [Path(self._cache_path), baked_folder(function)]
            self._cache_file = LoopFiles(folders, self._impl.filename_base, function)

        def load_overload(self, signature: Any, context: Any) -> Any:
            """Return a compiled function, or None."""
            try:
                return super().load_overload(signature, context)
            except MemoryError:
                raise
            except Exception:  # whatever linking an intact file of foreign code may raise
                tell_damaged(Path(self._cache_path))
                return None

        def save_overload(self, signature: Any, data: Any) -> None:
            """Keep a compiled function if that can be done."""
            try:
                super().save_overload(signature, data)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                _tell(f"Compiled loops cannot be kept in {self._cache_path!r}: {reason}")

    return LoopCache

"""Whether memory ran out: libraries say so in other ways than MemoryError."""

from __future__ import annotations

import errno
import os
from typing import Final

_WORDS: Final = (
    "allocate memory",
    "allocation failed",
    "can't start new thread",
    "failed to map segment",
    "failed to spawn thread",
    "memory allocation",
    "out of memory",
    "unable to allocate",
)
_BASE: Final = 5 << 28  # bytes of addresses that libraries take before any work, and for each core
_EACH: Final = 1 << 27


def lacks_memory(error: BaseException) -> bool:
    """Whether an error, or what it came of, is a lack of memory.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    bool

    Examples
    --------
    >>> lacks_memory(MemoryError())
    True
    >>> lacks_memory(ImportError("lib.so: failed to map segment from shared object"))
    True
    >>> lacks_memory(ValueError("Unknown label 'out of memory'"))
    False
    """
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    # A ValueError repeats what stands in a file, which may be any words.
    foreign = isinstance(error, ImportError | OSError | RuntimeError | SystemError)
    said = str(error).lower() if foreign or _is_panic(error) else ""
    cause = error.__cause__
    return any(words in said for words in _WORDS) or (cause is not None and lacks_memory(cause))


def _is_panic(error: BaseException) -> bool:
    """Whether compiled code of another language gave up."""
    return type(error).__name__ == "PanicException"


def missing_addresses() -> tuple[int, int] | None:
    """Compare the limit of addresses (``ulimit -v``) with what libraries need to start.

    Below it some of them end the process themselves, with many words or with none.

    Returns
    -------
    pair of int or None
        Bytes that are allowed and bytes that are needed; None if they suffice.
    """
    try:
        import resource  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return None
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    needed = _BASE + _EACH * (os.cpu_count() or 1)
    return (allowed, needed) if allowed != resource.RLIM_INFINITY and allowed < needed else None

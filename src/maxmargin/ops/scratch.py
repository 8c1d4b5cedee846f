"""Memory that is used again and again: touched for the first time it costs page faults."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Scratch:
    """An array of a fixed size for each thread that asks.

    Examples
    --------
    >>> scratch = Scratch(3, float)
    >>> scratch.memory() is scratch.memory()
    True
    """

    def __init__(self, size: int, dtype: DTypeLike) -> None:
        self._size, self._dtype, self._own = size, dtype, threading.local()

    def memory(self) -> NDArray[Any]:
        """Return this thread's."""
        if not hasattr(self._own, "memory"):
            self._own.memory = np.empty(self._size, self._dtype)
        memory: NDArray[Any] = self._own.memory
        return memory

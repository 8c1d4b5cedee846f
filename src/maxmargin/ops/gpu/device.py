"""Which card a fit runs on, and the errors for one that is not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

INSTALL: Final = "install it with pip install 'maxmargin[gpu]'"
OWN_USE: Final = 256 << 20
"""Bytes that CUDA and torch need for themselves."""

_stand_in: ContextVar[bool] = ContextVar("stand_in", default=False)


class NoCardError(RuntimeError):
    """A card was asked for and cannot be had."""


class CardMemoryError(MemoryError):
    """The memory of a card is too small for a fit."""


def find_device(name: str) -> Any:
    """Return torch's device for "cuda" or "cuda:1".

    Raises
    ------
    NoCardError
        If torch is missing or was built without CUDA, or if there is no such card.
    """
    if _stand_in.get():
        return _torch(name).device("cpu")
    torch = _torch(name)
    if torch.version.cuda is None:
        raise NoCardError(
            f"device={name!r} needs torch with CUDA, and torch {torch.__version__} was built "
            f"without it; {INSTALL}, or use device='cpu'."
        )
    if not torch.cuda.is_available():
        raise NoCardError(
            f"device={name!r} found no CUDA card, or its driver is too old; use device='cpu'."
        )
    number, count = torch.device(name).index or 0, torch.cuda.device_count()
    if number >= count:
        raise NoCardError(f"device={name!r} does not exist: this machine has {count} card(s).")
    return torch.device("cuda", number)


def card_is_there() -> bool:
    """Return whether a fit with ``device="cuda"`` could begin."""
    try:
        find_device("cuda")
    except NoCardError:
        return False
    return True


def card_name(name: str) -> str:
    """Return what the maker calls the card of a device such as "cuda:1"."""
    device = find_device(name)
    if device.type == "cpu":
        return "torch's CPU device in place of a card"
    return str(_torch(name).cuda.get_device_name(device))


def _torch(name: str) -> Any:
    try:
        import torch  # noqa: PLC0415  (takes a second, and only fits on a card need it)
    except ImportError:
        raise NoCardError(f"device={name!r} needs torch; {INSTALL}.") from None
    return torch


def free_memory(device: Any) -> int:
    """Return how many bytes a fit may use on a device."""
    import torch  # noqa: PLC0415

    if device.type == "cpu":
        return 1 << 30
    reserved = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return max(0, int(torch.cuda.mem_get_info(device)[0]) + int(reserved) - OWN_USE)


@contextmanager
def stand_in() -> Iterator[None]:
    """Let torch's CPU device stand in for a card: for tests on machines without one."""
    token = _stand_in.set(True)
    try:
        yield
    finally:
        _stand_in.reset(token)


@contextmanager
def out_of_memory_explained(setting: str) -> Iterator[None]:
    """Turn torch's error about a full card into a sentence that names a setting."""
    import torch  # noqa: PLC0415

    try:
        yield
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        raise CardMemoryError(
            f"The memory of the card is full; {setting}, or use device='cpu'."
        ) from None

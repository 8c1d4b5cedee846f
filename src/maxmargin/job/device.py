"""Where models run that can run on a card: ``--device``, checked before anything is read."""

from __future__ import annotations

import re
from typing import Any, Final

from maxmargin.kernels.on_device import CARD
from maxmargin.tables import InputError

_KNOWN: Final = re.compile(r"auto|cpu|cuda(:\d{1,3})?")


def check_device(name: str) -> None:
    """Refuse a device that is not known or not there.

    Parameters
    ----------
    name : str
    """
    if not isinstance(name, str) or _KNOWN.fullmatch(name) is None:
        raise InputError(f"--device is auto, cpu, cuda, or a card such as cuda:1; not {name!r}.")
    if name.startswith("cuda"):
        try:
            CARD.device.find_device(name)
        except CARD.device.NoCardError as error:
            raise InputError(str(error)) from None


def card_of(name: str) -> str | None:
    """Return the card on which models may run, as its maker calls it.

    Parameters
    ----------
    name : str
        What was asked for.

    Returns
    -------
    str or None
        None where everything runs on the CPU.

    Examples
    --------
    >>> card_of("cpu") is None
    True
    """
    if name == "cpu" or (name == "auto" and not CARD.device.card_is_there()):
        return None
    found: str = CARD.device.card_name("cuda" if name == "auto" else name)
    return found


def move_to_cpu(model: Any) -> None:
    """Have a fitted model predict on the CPU: who reads its file may have no card.

    Parameters
    ----------
    model : estimator
        One that knows no device stays as it is. A fitted model inside of it moves too.
    """
    placed = [name for name in model.get_params() if name.rpartition("__")[2] == "device"]
    model.set_params(**dict.fromkeys(placed, "cpu"))
    if hasattr(model, "model_"):
        move_to_cpu(model.model_)

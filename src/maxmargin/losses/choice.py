"""A loss by its name."""

from __future__ import annotations

from typing import Any

from maxmargin.losses.amounts import Gamma, Tweedie
from maxmargin.losses.base import Loss
from maxmargin.losses.margin import (
    Exponential,
    Hinge,
    Logistic,
    MarginLoss,
    ModifiedHuber,
    Squared,
    SquaredHinge,
    ZeroOne,
)
from maxmargin.losses.regression import (
    AbsoluteError,
    Huber,
    Insensitive,
    Poisson,
    Quantile,
    SquaredError,
    SquaredInsensitive,
)

_KNOWN: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        ZeroOne(),
        Hinge(),
        SquaredHinge(),
        Logistic(),
        Exponential(),
        Squared(),
        ModifiedHuber(),
        SquaredError(),
        AbsoluteError(),
        Huber(),
        Quantile(),
        Insensitive(),
        SquaredInsensitive(),
        Poisson(),
        Gamma(),
        Tweedie(),
    )
}

LABEL_LOSSES = tuple(name for name, loss in _KNOWN.items() if isinstance(loss, MarginLoss))
NUMBER_LOSSES = tuple(name for name in _KNOWN if name not in LABEL_LOSSES)


def named(loss: str | Loss) -> Loss:
    """Return the loss of that name, or the loss itself.

    Parameters
    ----------
    loss : str or Loss
        ``"zero_one"``, ``"hinge"``, ``"squared_hinge"``, ``"logistic"``, ``"exponential"``,
        ``"squared"``, ``"modified_huber"``; for targets that are numbers ``"squared_error"``,
        ``"absolute_error"``, ``"huber"``, ``"quantile"``, ``"insensitive"``,
        ``"squared_insensitive"``, ``"poisson"``, ``"gamma"``, ``"tweedie"``; or any :class:`Loss`.

    Returns
    -------
    Loss
        A value that can be shared.

    Examples
    --------
    >>> from maxmargin import losses
    >>> losses.named("squared_hinge")
    SquaredHinge()
    >>> losses.named("log_loss")
    Traceback (most recent call last):
        ...
    ValueError: There is no loss named 'log_loss': choose one of 'zero_one', 'hinge',
    'squared_hinge', 'logistic', 'exponential', 'squared', 'modified_huber', 'squared_error',
    'absolute_error', 'huber', 'quantile', 'insensitive', 'squared_insensitive', 'poisson',
    'gamma', 'tweedie', or give a Loss.
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss in _KNOWN:
        return _KNOWN[loss]
    raise _refusal(loss)


def _refusal(loss: Any) -> Exception:
    if isinstance(loss, str):
        listed = ", ".join(repr(name) for name in _KNOWN)
        return ValueError(
            f"There is no loss named {loss!r}: choose one of {listed}, or give a Loss."
        )
    if isinstance(loss, type) and issubclass(loss, Loss):
        return TypeError(f"A loss is a value, not a class: give {loss.__name__}() instead.")
    return TypeError(f"A loss is a name or a Loss such as Hinge(). Got {loss!r} instead.")

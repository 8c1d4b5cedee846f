"""Tests of the engine of a card, on torch's CPU device where no card is there.

They are collected only where torch is installed: ``make test-gpu`` installs it.
"""

import os
from importlib.util import find_spec

import pytest

from maxmargin.ops.gpu import device

if find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    import torch

    if not torch.cuda.is_available():  # Triton's programs then run in its interpreter
        os.environ.setdefault("TRITON_INTERPRET", "1")


@pytest.fixture
def card():
    """A device: a card, or torch's CPU device in its place."""
    if device.card_is_there():
        yield device.find_device("cuda")
        return
    with device.stand_in():
        yield device.find_device("cuda")

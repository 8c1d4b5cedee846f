"""How compiled loops come by a row of a kernel matrix."""

from __future__ import annotations

from typing import Final

GIVEN: Final = 0
"""Rows are stored or, where one is not, whoever calls has to bring it."""
COPIED: Final = 1
"""From a larger matrix that is stored."""
DOT: Final = 2
"""From vectors: their dot products,"""
POWER: Final = 3
"""(gamma <x, y> + coef0) ** degree,"""
RADIAL: Final = 4
"""or exp(-gamma |x - y|^2)."""

"""Numbers that loops and those who call them agree on."""

from __future__ import annotations

from typing import Final

import numpy as np

# How a row of a kernel matrix is come by

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

# How many values of them are evaluated at a time: few enough for the cache of one core to keep
# them until they are used, enough for a matrix product to run at full speed. Ranges of columns are
# fixed, and many, so that as many threads as there are find about the same to do.

TILE_ROWS: Final = 96
TILE_COLUMNS: Final = 256

# How rows lie in memory for their products

SLIVER: Final = 12
"""Rows side by side on one hand,"""
PANEL: Final = 128
"""and so many bytes of them on the other."""

# How often SMO and Newton's steps take turns on a small problem, at most

TURNS: Final = 11

# How sorted rows of a column are stored

ROW: Final = np.uint32(0x7FFFFFFF)
"""The bits of a row's number;"""
LAST: Final = np.uint32(0x80000000)
"""the other bit says that the next value differs."""
TOGETHER: Final = 4
"""Runs that are read at once."""

BUCKETS: Final = 1 << 11
"""Of a digit, by which they are sorted."""

# What a scan of them adds up

PAIR, SIGNED, UNIT = 0, 1, 2
"""Weights of a pull: beside it, its size, or 1."""
ERROR, GINI = 0, 1
"""Criteria of several classes."""
CODES: Final = 256
"""Of a pattern of eight cells."""

# Losses of the margin that compiled loops know

HINGE, SQUARED_HINGE, LOGISTIC = 0, 1, 2

# What Newton's method remembers of a problem between two calls

WIDTH, DAMPING, PRIMAL, DUAL, IDLE = 0, 1, 2, 3, 4
"""Of the smoothed hinge; the damping; the best values so far; steps since the last better one."""

# What dual coordinate descent knows of a row, side by side in one line of the cache

DUAL_ALPHA, DUAL_LABEL, DUAL_DIAGONAL, DUAL_UPPER, DUAL_CURVATURE, DUAL_INVERSE = range(6)
"""alpha_i, t_i, d_i, u_i, |x_i|^2 + d_i and what 1 is over that; 0 where that is infinite."""
DUAL_LINE: Final = 8
"""Numbers from one row's to the next."""

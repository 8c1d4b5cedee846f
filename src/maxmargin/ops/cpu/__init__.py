"""Numba loops: arrays and scalars in, outputs last, no Python objects."""

from maxmargin.ops import compiling as compiling  # before any of them is compiled

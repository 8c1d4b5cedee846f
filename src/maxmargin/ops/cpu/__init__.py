"""Numba loops: arrays and scalars in, outputs last, no Python objects."""

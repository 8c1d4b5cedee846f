"""Algorithms of the box QP: the duals of kernel machines."""

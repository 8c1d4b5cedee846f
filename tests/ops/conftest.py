"""Numba's own cache serves portable loops, so ours is not tested with them."""

from maxmargin.ops.compiler.plain import is_plain

collect_ignore = ["test_loop_cache.py"] if is_plain() else []

"""Ask for memory before it is needed.

Rows in the order of a column, or in random order, are spread over an array that the cache of a core
may not hold and that is no stream to foresee. Their numbers are known in advance, so their values
can be on the way while others are added.
"""

from maxmargin.ops.compiler.instruction import prefetch

__all__ = ["prefetch"]

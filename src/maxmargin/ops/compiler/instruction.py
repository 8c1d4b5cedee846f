"""The instructions that loops are written with: LLVM's, or portable ones."""

from maxmargin.ops.compiler import portable
from maxmargin.ops.compiler.plain import is_plain

if is_plain():
    chosen = portable
else:
    from maxmargin.ops.compiler import llvm as chosen  # type: ignore[no-redef]

add_products = chosen.add_products
call = chosen.call
larger = chosen.larger
look = chosen.look
power_of_two = chosen.power_of_two
prefetch = chosen.prefetch
size = chosen.size
smaller = chosen.smaller
take_next = chosen.take_next

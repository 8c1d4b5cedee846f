"""Sums of a matrix product that stay in registers, written as LLVM's instructions.

The registers are named by hand, because LLVM finds no such block of them by itself: as many sums as
there is room for beside what is being read. ``cpu/product.py`` says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from maxmargin.ops.kinds import PANEL, SLIVER

_INT = ir.IntType(64)


@intrinsic
def add_products(
    _context: Any,
    A: Any,
    _a: Any,
    B: Any,
    _b: Any,
    C: Any,
    _c: Any,
    _stride: Any,
    _depth: Any,
    _fresh: Any,
) -> Any:
    """Add a sliver times a panel to the sums in a tile, or begin them where they are fresh.

    They are so many columns deep and begin at A[a], B[b] and C[c]; a stride leads from one row of
    the tile to the next.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = zip(signature.args[:6:2], args[:6:2], args[1:6:2], strict=True)
        A, B, C = (
            builder.gep(context.make_array(kind)(context, builder, value).data, [place])
            for kind, value, place in arrays
        )
        number = context.get_data_type(signature.args[0].dtype)
        block = _Block(builder, _registers(context), number, signature.args[0].dtype.bitwidth // 8)
        block.cover(A, B, C, *args[6:])
        return context.get_dummy_value()

    whole = types.int64
    return types.none(A, whole, B, whole, C, whole, whole, whole, types.boolean), codegen


@dataclass(frozen=True)
class _Registers:
    """What a processor sums in: registers of so many bytes, for so many rows, fused or not."""

    size: int
    rows: int
    fused: bool


def _registers(context: Any) -> _Registers:
    """Look at what loops are compiled for: there are 32 registers, or 16."""
    triple, _, features = context.codegen().magic_tuple()
    found = set(features.split(","))
    if triple.startswith(("aarch64", "arm64")):
        return _Registers(16, SLIVER, True)
    if "+avx512f" in found:
        return _Registers(64, SLIVER, True)
    if {"+avx2", "+fma"} <= found:
        return _Registers(32, SLIVER // 2, True)
    return _Registers(16, SLIVER // 2, False)


@dataclass(frozen=True)
class _Block:
    """Writes the code of blocks of sums: some rows of a sliver by two registers of a panel."""

    builder: Any
    registers: _Registers
    number: Any
    item: int

    @property
    def lanes(self) -> int:
        """Numbers in a register."""
        return self.registers.size // self.item

    @property
    def vector(self) -> Any:
        """The type of a register."""
        return ir.VectorType(self.number, self.lanes)

    def cover(self, A: Any, B: Any, C: Any, stride: Any, depth: Any, fresh: Any) -> None:
        """Add all products of a sliver and a panel, block after block."""
        rows, columns = self.registers.rows, 2 * self.lanes
        for i, j in product(range(0, SLIVER, rows), range(0, PANEL // self.item, columns)):
            corner = self._place(self._place(C, i, stride), j)
            self._add(self._place(A, i), self._place(B, j), corner, stride, depth, fresh)

    def _add(self, A: Any, B: Any, C: Any, stride: Any, depth: Any, fresh: Any) -> None:
        """Load the sums of a block, add the products of all columns, and store them."""
        builder = self.builder
        places = [
            self._place(self._place(C, r, stride), h * self.lanes)
            for r, h in product(range(self.registers.rows), range(2))
        ]
        zero = ir.Constant(self.vector, None)
        begun = [builder.select(fresh, zero, self._load(place)) for place in places]
        before, body, after = builder.block, *(builder.append_basic_block() for _ in range(2))
        builder.branch(body)
        builder.position_at_end(body)
        k, sums = builder.phi(_INT), [builder.phi(self.vector) for _ in places]
        added = self._plus_column(sums, self._place(A, SLIVER, k), B, k)
        following = builder.add(k, _INT(1))
        for phi, first, then in zip(
            [k, *sums], [_INT(0), *begun], [following, *added], strict=True
        ):
            phi.add_incoming(first, before)
            phi.add_incoming(then, body)
        builder.cbranch(builder.icmp_signed("<", following, depth), body, after)
        builder.position_at_end(after)
        for value, place in zip(added, places, strict=True):
            builder.store(value, self._as_vector(place), align=self.item)

    def _plus_column(self, sums: list[Any], A: Any, B: Any, k: Any) -> list[Any]:
        """Add the products of one column to all sums of a block."""
        line = self._place(B, PANEL // self.item, k)
        two = [self._load(self._place(line, h * self.lanes)) for h in range(2)]
        added: list[Any] = []
        for r in range(self.registers.rows):  # read as late as that, they share one register
            one = self._spread(self._place(A, r))
            added += [self._fused(one, two[h], sums[2 * r + h]) for h in range(2)]
        return added

    def _fused(self, a: Any, b: Any, total: Any) -> Any:
        """Return a b + total, rounded once where the processor can do so."""
        builder, vector = self.builder, self.vector
        if not self.registers.fused:
            return builder.fadd(builder.fmul(a, b), total)
        name = f"llvm.fma.v{self.lanes}f{8 * self.item}"
        known = builder.module.globals.get(name)
        fma = known or ir.Function(builder.module, ir.FunctionType(vector, [vector] * 3), name)
        return builder.call(fma, [a, b, total])

    def _place(self, base: Any, steps: int, stride: Any = None) -> Any:
        """Go on from a place by so many steps, of 1 or of a stride."""
        by = _INT(steps) if stride is None else self.builder.mul(stride, _INT(steps))
        return self.builder.gep(base, [by])

    def _as_vector(self, place: Any) -> Any:
        return self.builder.bitcast(place, self.vector.as_pointer())

    def _load(self, place: Any) -> Any:
        return self.builder.load(self._as_vector(place), align=self.item)

    def _spread(self, place: Any) -> Any:
        """Read one number into all places of a register."""
        empty, first = ir.Constant(self.vector, ir.Undefined), ir.IntType(32)(0)
        one = self.builder.insert_element(empty, self.builder.load(place), first)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(one, one, zeros)

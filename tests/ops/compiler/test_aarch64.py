"""The product of kernel values, compiled for ARM: its sums stay in NEON's registers."""

import re

import pytest
from llvmlite import binding, ir

from maxmargin.ops.compiler.register_block import _Block, _Registers
from maxmargin.ops.kinds import SLIVER


def assembly_of(number, item):
    """Write a sliver times a panel into a function, and compile it for aarch64."""
    pointer, whole = number.as_pointer(), ir.IntType(64)
    module = ir.Module()
    kind = ir.FunctionType(ir.VoidType(), [pointer] * 3 + [whole, whole, ir.IntType(1)])
    function = ir.Function(module, kind, "product")
    builder = ir.IRBuilder(function.append_basic_block())
    _Block(builder, _Registers(16, SLIVER, True), number, item).cover(*function.args)
    builder.ret_void()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple("aarch64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="generic", opt=3)
    parsed = binding.parse_assembly(str(module))
    parsed.verify()
    return machine.emit_assembly(parsed)


@pytest.mark.parametrize(
    ("number", "item", "lanes"),
    [(ir.FloatType(), 4, "4s"), (ir.DoubleType(), 8, "2d")],
    ids=["single", "double"],
)
def test_sums_are_fused_and_stay_in_registers(number, item, lanes):
    text = assembly_of(number, item)
    fused = re.findall(rf"\bfmla\s+v\d+\.{lanes}", text)
    assert len(fused) >= 2 * SLIVER
    loops = re.findall(r"^\.LBB0_\d+:.*?\bb\.\w+\s+\.LBB0_\d+", text, re.DOTALL | re.MULTILINE)
    inner = [loop for loop in loops if "fmla" in loop]
    assert inner
    for loop in inner:  # nothing is stored or taken from the stack between two columns
        assert not re.search(r"\bst[rp]\s+q|\[sp", loop)

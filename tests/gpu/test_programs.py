"""The Triton programs make the steps and sums of plain code, and compile for cards."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from maxmargin.ops.gpu import fused, smo

pytest.importorskip("triton")

COMPILE = """
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from maxmargin.ops.gpu import fused, programs

def compiled(program, types, constants, **options):
    names = list(types)
    numbers = {(names.index(name),): value for name, value in constants.items()}
    source = ASTSource(fn=program, signature=types, constexprs=numbers)
    return triton.compile(source, target=GPUTarget("cuda", %d, 32), options=options)

pairs = dict(K="*fp32", F="*fp64", beta="*fp64", lower="*fp64", upper="*fp64", group="*i32",
             steps="*i32", flattest="*fp64", tol="fp32", fraction="fp32", most="i32",
             q="constexpr", GROUPS="constexpr")
for groups in (1, 2):
    found = compiled(programs.ascend_pairs, pairs, dict(q=2048, GROUPS=groups), num_warps=16)
    assert found.asm["ptx"]
radial = dict(X="*fp32", x="*fp32", Z="*fp32", z="*fp32", w="*fp32", out="*fp64", rate="fp32",
              n="i32", m="i32", d="constexpr", ROWS="constexpr", OTHERS="constexpr",
              COLUMNS="constexpr")
for d, tile in ((54, fused.NARROW_TILE), (784, fused.WIDE_TILE)):
    rows, others, columns, warps = tile
    sizes = dict(d=d, ROWS=rows, OTHERS=others, COLUMNS=columns)
    assert compiled(programs.add_radial, radial, sizes, num_warps=warps, num_stages=2).asm["ptx"]
print("compiled")
"""


def _problem(groups, C):
    r = np.random.default_rng(0)
    X, t = r.normal(size=(24, 3)), np.where(r.random(24) < 0.5, 1.0, -1.0)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1))
    lower, upper = np.where(t > 0, 0.0, -C), np.where(t > 0, C, 0.0)
    beta = np.where(t > 0, 0.5, -0.5) if groups else np.zeros(24)
    F = -K @ beta if groups else t
    of = torch.tensor((t < 0).astype(np.int64)) if groups else None
    box = torch.tensor(lower), torch.tensor(upper)
    return torch.tensor(K), torch.tensor(F), torch.tensor(beta), box, of


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # Triton's interpreter works in NumPy
@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_the_program_makes_the_steps_of_the_loop(groups, C):
    problem = (*_problem(groups, C), 1e-3, 1e-6, 10)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    K, F, beta, box, of = (
        tuple(each.to(device) for each in part) if isinstance(part, tuple)
        else part if part is None else part.to(device)
        for part in problem[:5]
    )  # fmt: skip
    found, steps, flattest = smo.ascend_by_program(K, F, beta, box, of, *problem[5:])
    wanted, known, curvature = smo.ascend_by_loop(*problem)
    assert steps == known > 5
    assert np.allclose(found.cpu(), wanted, atol=1e-12)
    assert flattest == pytest.approx(curvature)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("columns", [3, 70])
def test_the_program_sums_radial_values(columns):
    r = torch.Generator().manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    X = torch.randn(150, columns, generator=r).to(device) / columns**0.5
    Z, w = X[:90].contiguous(), torch.randn(90, generator=r, dtype=torch.float64).to(device)
    x, z = (X * X).sum(1), (Z * Z).sum(1)
    found = fused.sums_by_program(X, x, Z, z, w, 0.7)
    wanted = torch.exp(-0.7 * torch.cdist(X.double(), Z.double()) ** 2) @ w
    assert (found - wanted).abs().max() < 2e-5


@pytest.mark.parametrize("capability", [80, 90])
def test_the_programs_compile_for_cards(capability):
    code = COMPILE % capability
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(filter(None, sys.path))}
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.stdout.strip() == "compiled", done.stderr[-2000:]

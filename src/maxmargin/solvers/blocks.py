"""The Gram matrix of one problem that lies in memory, in two by two blocks of larger arrays.

A problem of two classes sees four parts of a matrix that many such problems share: each class
against itself, and the two against each other. They are read where they lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.cpu.smo import smo_pairs, smo_single, take_rows, times
from maxmargin.ops.cpu.square import solve_square
from maxmargin.problems import BoxQP
from maxmargin.solvers.run import Limits

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Matrix = NDArray[Any]

_WORK = 1 << 24  # variables looked at before the clock is asked: less than a tenth of a second


@dataclass(frozen=True)
class Aims:
    """How far SMO and Newton go: violations at which they hand over, or are done."""

    first: float
    enough: float
    exact: float
    rounds: int = 10


@dataclass(frozen=True)
class Blocks:
    """K as [[K00, K01], [K10, K11]]: four arrays, and where in each of them a block begins."""

    arrays: tuple[Matrix, Matrix, Matrix, Matrix]
    at: NDArray[np.int64]
    split: int
    size: int

    @classmethod
    def of(cls, matrix: Matrix) -> Blocks:
        """Take a matrix of one piece."""
        return cls((matrix,) * 4, np.zeros((2, 2, 2), np.int64), len(matrix), len(matrix))

    @classmethod
    def within(cls, matrix: Matrix, first: tuple[int, int], second: tuple[int, int]) -> Blocks:
        """Take the rows and columns of two ranges of a larger matrix."""
        starts, split = (first[0], second[0]), first[1] - first[0]
        at = np.array([[[row, column] for column in starts] for row in starts])
        return cls((matrix,) * 4, at, split, split + second[1] - second[0])

    @classmethod
    def joined(cls, first: Matrix, across: Matrix, second: Matrix) -> Blocks:
        """Put together the matrices of two sets of rows and the one between them."""
        arrays = first, across, np.ascontiguousarray(across.T), second
        return cls(arrays, np.zeros((2, 2, 2), np.int64), len(first), len(first) + len(second))

    def __len__(self) -> int:
        return self.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the kernel values."""
        return self.arrays[0].dtype

    def rows(self, variables: Index) -> Vector:
        """Copy some rows, in double precision."""
        out = np.empty((len(variables), self.size))
        take_rows(*self.arrays, self.at, self.split, variables, out)
        return out

    def times(self, beta: Vector) -> Vector:
        """K beta, summed in double precision."""
        out = np.empty(self.size)
        times(*self.arrays, self.at, self.split, beta, out)
        return out

    def solve(
        self, problem: BoxQP, beta: Vector, F: Vector, aims: Aims, most: int, limits: Limits
    ) -> tuple[int, float]:
        """Optimise beta and F = p - K beta in place, by SMO and Newton in turn.

        Returns the steps of SMO, at most so many, and the smallest curvature met.
        """
        box = problem.lower, problem.upper, problem.bias
        made, flattest, chunk = 0, np.inf, max(1, _WORK // max(1, self.size))
        while made < most and not limits.clock.over():
            some = min(chunk, most - made)
            how = aims.first, aims.enough, aims.exact, aims.rounds, some
            steps, flat, _ = solve_square(*self.arrays, self.at, self.split, beta, F, *box, *how)
            made, flattest = made + int(steps), min(flattest, float(flat))
            if steps < some:
                break
        return made, flattest

    def ascend(
        self, problem: BoxQP, beta: Vector, F: Vector, target: float, most: int, limits: Limits
    ) -> tuple[int, float]:
        """Optimise beta and F = p - K beta in place by SMO until the violation is at the target.

        Returns the steps made, at most so many, and the smallest curvature met.
        """
        smo = smo_pairs if problem.bias else smo_single
        made, flattest, chunk = 0, np.inf, max(1, _WORK // max(1, self.size))
        while made < most and not limits.clock.over():
            some = min(chunk, most - made)
            steps, flat = smo(
                *self.arrays,
                self.at,
                self.split,
                beta,
                F,
                problem.lower,
                problem.upper,
                target,
                some,
            )
            made, flattest = made + int(steps), min(flattest, float(flat))
            if steps < some:
                break
        return made, flattest

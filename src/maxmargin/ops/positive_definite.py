"""Invert a positive definite matrix, or its factor, in place, without the interpreter's lock.

SciPy's wrappers of LAPACK hold the lock, so several threads would invert one matrix after the
other. Its Cython interface (``scipy.linalg.cython_lapack``, public) has the addresses of the same
routines; called through ctypes they release it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_lapack

_LETTER = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}


@cache
def _routine(name: str, letters: int = 1) -> Callable[..., None]:
    """Return a LAPACK routine of some letters, a size, a matrix, its stride and an error number."""
    capsule = cython_lapack.__pyx_capi__[name]
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    number = ctypes.POINTER(ctypes.c_int)
    given: list[Any] = [*[ctypes.c_char_p] * letters, number, ctypes.c_void_p, number, number]
    kind = ctypes.CFUNCTYPE(None, *given)
    routine: Callable[..., None] = kind(pointer_of(capsule, name_of(capsule)))
    return routine


def invert(A: NDArray[Any]) -> bool:
    """Replace a symmetric matrix by its inverse; False, and rubbish in A, if it is not definite.

    Parameters
    ----------
    A : ndarray of shape (n, n), float32 or float64, C-contiguous

    Returns
    -------
    bool
        The whole inverse is written, both triangles.

    Examples
    --------
    >>> A = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> invert(A), A.round(3).tolist()
    (True, [[0.375, -0.25], [-0.25, 0.5]])
    """
    if not _in_place(A, ("potrf", b"L"), ("potri", b"L")):
        return False
    _mirror(A)
    return bool(np.isfinite(A.diagonal()).all())


def invert_factor(A: NDArray[Any]) -> bool:
    """Replace a symmetric matrix by an upper triangle V with V V' = its inverse.

    A third cheaper than ``invert``. False, and rubbish in A, if it is not definite.

    Examples
    --------
    >>> A = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> invert_factor(A), (A @ A.T).round(3).tolist()
    (True, [[0.375, -0.25], [-0.25, 0.5]])
    """
    if not _in_place(A, ("potrf", b"L"), ("trtri", b"L", b"N")):
        return False
    for row in range(1, len(A)):
        A[row, :row] = 0.0
    return bool(np.isfinite(A.diagonal()).all())


def _in_place(A: NDArray[Any], *steps: tuple[Any, ...]) -> bool:
    """Run routines on a matrix, each with its letters; False where one of them fails."""
    if A.dtype not in _LETTER or not A.flags.c_contiguous:
        raise TypeError("a C-contiguous matrix of float32 or float64 is needed.")
    size, failed = ctypes.c_int(len(A)), ctypes.c_int(0)
    n = ctypes.byref(size)
    for name, *letters in steps:
        routine = _routine(_LETTER[A.dtype] + name, len(letters))
        routine(*letters, n, A.ctypes.data, n, ctypes.byref(failed))
        if failed.value != 0:
            return False
    return True


def _mirror(A: NDArray[Any], block: int = 256) -> None:
    """Copy the triangle that LAPACK wrote to the other one; its lower is our upper."""
    for first in range(0, len(A), block):
        rows = slice(first, first + block)
        A[first + block :, rows] = A[rows, first + block :].T
        corner = A[rows, rows]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T

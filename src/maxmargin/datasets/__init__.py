"""Small classic data that ship with the package, and generators of toy problems.

>>> from maxmargin.datasets import load_mixture
>>> X, y = load_mixture(return_X_y=True)
>>> X.shape
(200, 2)
"""

from maxmargin.datasets.generators import make_overlapping, make_rings, make_separable, make_xor
from maxmargin.datasets.heart import heart_path, load_heart
from maxmargin.datasets.lectures import load_going_to_class, load_ten_points
from maxmargin.datasets.mixture import load_mixture

__all__ = [
    "heart_path",
    "load_going_to_class",
    "load_heart",
    "load_mixture",
    "load_ten_points",
    "make_overlapping",
    "make_rings",
    "make_separable",
    "make_xor",
]

"""Strings of letters, told apart by what stands where: kernels of sequences, straight into SVC."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from maxmargin import SVC, plots
from maxmargin.kernels import Mismatch, Spectrum, Subsequence, WeightedDegree

rng = np.random.default_rng(0)


def site(motif, slack):
    """Random letters with a motif near the middle, one letter of which is wrong now and then."""
    letters = rng.choice(list("ACGT"), size=30)
    place = 12 + rng.integers(-slack, slack + 1)
    letters[place : place + len(motif)] = list(motif)
    letters[rng.integers(30)] = "A"
    return "".join(letters)


X = [site(motif, 2) for motif in ("GTAAGT", "CAGGTC") for _ in range(150)]
y = np.repeat(["donor", "other"], 150)
kernels = [
    Spectrum(3),
    Mismatch(4, 1),
    Subsequence(3, decay=0.5),
    WeightedDegree(4),
    WeightedDegree(4, shifts=3),
]
for kernel in kernels:
    scores = cross_val_score(SVC(kernel=kernel.normalized()), X, y, cv=5)
    print(f"{kernel!r:38} accuracy {scores.mean():.3f}")

_, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained")
plots.gram(WeightedDegree(4, shifts=3).normalized(), X, y, ax=left)
plots.telling_substrings(SVC(kernel=Spectrum(3).normalized()).fit(X, y), count=16, ax=right)
plt.show()

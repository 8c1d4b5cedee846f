"""Tell short texts apart: whose function is it, NumPy's or SciPy signal's, by one line about it."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import scipy.signal
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from maxmargin import SVC, LinearSVC, plots
from maxmargin.kernels import Spectrum, Subsequence, Words


def first_lines(module):
    """Take the first whole sentence that a module says of each of its functions."""
    functions = [f for name, f in sorted(vars(module).items()) if callable(f) and name[0] != "_"]
    texts = [(inspect.getdoc(f) or "").split("\n\n") for f in functions]
    found = (" ".join(part.split()) for text in texts for part in text[:3] if part.endswith("."))
    return sorted({line for line in found if 20 < len(line) < 120})


texts = [first_lines(module) for module in (np, scipy.signal)]
X, y = texts[0] + texts[1], np.repeat(["numpy", "signal"], [len(part) for part in texts])
letters = Spectrum(5, shortest=3).normalized()
kernels = [Words(), Words(Subsequence(2)), letters]
print(f"{len(X)} lines, {np.mean(y == 'numpy'):.0%} of them NumPy's")
for kernel in kernels:
    scores = cross_val_score(SVC(kernel=kernel.normalized(), C=10), X, y, cv=5)
    print(f"{kernel!r:55} {scores.mean():.3f}")

linear = make_pipeline(letters.features(), LinearSVC(C=10)).fit(X, y)
print(f"the same features, and a linear model: {cross_val_score(linear, X, y, cv=5).mean():.3f}")
plots.telling_substrings(linear, count=24)
plt.show()

"""Kernels of what is no vector: the Gram matrices of words and of molecules, and their machines."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC, plots
from maxmargin.kernels import Graph, Spectrum, WeisfeilerLehman, check

words = ["banana", "bananas", "ananas", "bandana", "cherry", "cherries", "sherry", "merry"]
rings = [Graph([(i, (i + 1) % n) for i in range(n)]) for n in (4, 5, 6, 7)]
stars = [Graph([(0, i) for i in range(1, n)]) for n in (4, 5, 6, 7)]
two = Spectrum(2).normalized()
common = Spectrum(2)(["banana"], ["ananas"])[0, 0]
print(f"banana and ananas share {common:.0f} pairs of equal pieces: 2 an x 2 an + 2 na x 2 na")

_, axes = plt.subplots(1, 2, figsize=(10.4, 4.4), layout="constrained")
problems = {
    "words": (words, two, ["banana"] * 4 + ["cherry"] * 4),
    "graphs": (rings + stars, WeisfeilerLehman(2).normalized(), ["ring"] * 4 + ["star"] * 4),
}
for ax, (name, (items, kernel, y)) in zip(axes, problems.items(), strict=True):
    model = SVC(kernel=kernel, C=10.0).fit(items, y)
    right = np.mean(model.predict(items) == np.array(y))
    psd = check(kernel, items).psd
    print(f"{name}: {kernel!r}, a kernel on these: {psd}, {right:.0%} right")
    plots.gram(kernel, items, y, ax=ax)
plt.show()

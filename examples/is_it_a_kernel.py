"""Is it a kernel? Eigenvalues of Gram matrices, three of which have a negative one."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.kernels import RBF, Constant, Linear, check, counterexamples, exp
from maxmargin.plots import palette

for example in counterexamples():
    result = check(example.kernel, example.X)
    z = result.witness
    print(f"{example.name:20s} {result}")
    print(f"{'':20s} z'Kz = {z @ example.kernel(example.X) @ z:.4f}")

rows = np.random.default_rng(0).normal(size=(16, 2))
made = {
    "3 k + 1": 3.0 * RBF(gamma=1.0) + Constant(1.0),
    "k1 k2": RBF(gamma=1.0) * Linear(),
    "exp(<x, y>)": exp(Linear()),
}
for name, kernel in made.items():
    print(f"{name:20s} {check(kernel, rows)}; by the rules: {kernel.psd}")

fig, ax = plt.subplots(figsize=(8.6, 4.2), layout="constrained")
grams = {e.name: e.kernel(e.X) for e in counterexamples()} | {n: k(rows) for n, k in made.items()}
for place, K in enumerate(grams.values()):
    values = np.linalg.eigvalsh(K) / np.abs(K).max()
    colours = [palette.CLASSES[int(value < -1e-12)] for value in values]
    ax.scatter(np.full(len(values), place), values, c=colours, s=46, marker="_", linewidths=2)
ax.axhline(0.0, color=palette.CHANCE, lw=1.0, ls=":")
ax.set_yscale("symlog", linthresh=1e-3)
ax.set_xticks(range(len(grams)), grams, fontsize=9)
ax.set_ylabel("eigenvalues of K over its largest entry")
plt.show()

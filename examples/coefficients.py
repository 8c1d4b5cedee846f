"""What an error of a weak learner makes of its vote, of the weights and of the loss."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plots
from maxmargin.boosting import alpha_of_error
from maxmargin.plots import palette

print("error   alpha       Z   right x   wrong x")
for e in (0.01, 0.1, 0.3, 0.45, 0.5):
    alpha, z = alpha_of_error(e), 2 * np.sqrt(e * (1 - e))
    down, up = np.exp(-alpha) / z, np.exp(alpha) / z
    print(f"{e:5.2f} {alpha:7.4f} {z:7.4f} {down:9.4f} {up:9.4f}")

_, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.2), layout="constrained")
plots.alphas(ax=left)
e = np.linspace(0.005, 0.5, 200)
right.plot(e, 1 / (2 * (1 - e)), color=palette.TEST, lw=2, label="told right: 1 / (2(1 − e))")
right.plot(e, 1 / (2 * e), color=palette.TRAIN, lw=2, ls="--", label="told wrong: 1 / (2e)")
right.plot(e, 2 * np.sqrt(e * (1 - e)), color=palette.INK, lw=2, ls=":", label="Z = 2√(e(1 − e))")
right.set(xlabel="weighted error e", ylabel="factor of a weight", ylim=(0, 6), xlim=(0, 0.5))
right.spines[["top", "right"]].set_visible(False)
right.legend(frameon=False)
plt.show()

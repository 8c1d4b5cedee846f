"""What minimises the expected loss where a class has probability eta has the Bayes rule's sign."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plots
from maxmargin.losses import named
from maxmargin.plots import palette

names = ["hinge", "squared", "exponential", "logistic"]
eta = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
print("eta         " + "".join(f"{p:8.1f}" for p in eta))
for name in names:
    print(f"{name:12}" + "".join(f"{f:8.3f}" for f in named(name).population_minimiser(eta)))

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
f = np.linspace(-2.5, 2.5, 501)
for k, name in enumerate(names):
    loss, style = named(name), {"color": palette.CURVES[k], "ls": palette.DASHES[k]}
    left.plot(f, loss.expected(f, 0.7), lw=2, label=name.replace("_", " "), **style)
    best = loss.population_minimiser(0.7)
    left.plot(best, loss.expected(best, 0.7), "o", color=palette.CURVES[k], ms=8)
left.set(xlabel="prediction f", ylabel="expected loss", ylim=(0, 4))
left.set_title("class +1 has probability 0.7: every least is at f > 0")
left.axvline(0.0, color=palette.CHANCE, lw=0.8)
left.legend(frameon=False, loc="upper center")
plots.population_minimisers(names, ax=right)
right.set_title("the minimiser against the probability")
plt.show()

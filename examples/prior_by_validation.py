"""The width of the prior chosen on validation rows, and the test rows opened once."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

from maxmargin import LinearClassifier
from maxmargin.evaluation import TestVault
from maxmargin.plots import palette

X, y = make_classification(400, 60, n_informative=6, class_sep=0.7, flip_y=0.1, random_state=2)
vault = TestVault(X, y, test_size=0.25, random_state=0)  # its rows are not looked at
half = len(vault.y) // 2
train, validate = (vault.X[:half], vault.y[:half]), (vault.X[half:], vault.y[half:])

alphas = np.logspace(
    -5, 2, 22
)  # variance of the prior N(0, alpha I): the penalty is |w|^2 / 2 alpha
losses = []
for alpha in alphas:
    model = LinearClassifier(C=alpha, tol=1e-6).fit(*train)
    losses.append([log_loss(part[1], model.predict_proba(part[0])) for part in (train, validate)])
best = int(np.argmin(losses, axis=0)[1])
print(f"alpha = {alphas[best]:.2g} has the least loss on validation rows, {losses[best][1]:.3f}")
print(f"without a prior to speak of, alpha = {alphas[-1]:g}: {losses[-1][1]:.3f}, "
      f"while the training rows cost {losses[-1][0]:.3f}")  # fmt: skip
final = LinearClassifier(C=alphas[best] * half / len(vault.y)).fit(vault.X, vault.y)
look = vault.score(final, reason="alpha was chosen by validation")
print(look)
for k, name in enumerate(("training rows", "validation rows")):
    style = {"color": (palette.TRAIN, palette.TEST)[k], "ls": palette.DASHES[k], "lw": 2}
    plt.semilogx(alphas, np.array(losses)[:, k], label=name, **style)
plt.axvline(alphas[best], color=palette.CHANCE, lw=1)
plt.gca().set(xlabel="variance alpha of the prior", ylabel="mean log loss")
plt.legend(frameon=False)
plt.show()

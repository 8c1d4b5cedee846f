"""The training error says almost nothing: it falls while the true error rises."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import SVC
from maxmargin.datasets import load_mixture
from maxmargin.plots import palette

mixture = load_mixture()
X, y, truth = mixture.data, mixture.target, mixture.grid_probability
gammas = np.logspace(-1.5, 2.5, 17)
training, risk = [], []
for gamma in gammas:
    model = SVC(gamma=gamma, C=10.0).fit(X, y)
    wrong = np.where(model.predict(mixture.grid) == 1, 1 - truth, truth)
    training.append(1 - model.score(X, y))
    risk.append(mixture.grid_marginal @ wrong)  # the expected risk, since p(x, y) is known here

bayes = mixture.grid_marginal @ np.minimum(truth, 1 - truth)
print("    gamma   training error   true error")
for i in range(0, len(gammas), 4):
    print(f"{gammas[i]:9.3f} {training[i]:12.3f} {risk[i]:14.3f}")
best = int(np.argmin(risk))
print(f"least true error {risk[best]:.3f} at gamma = {gammas[best]:.2f}; Bayes {bayes:.3f}")
print(f"least training error {min(training):.3f}, where the true error is {risk[-1]:.3f}")
plt.semilogx(gammas, training, "o-", color=palette.TRAIN, label="training error")
plt.semilogx(gammas, risk, "^--", color=palette.TEST, label="true error")
plt.axhline(bayes, color=palette.BAYES, ls="-.", lw=1.2, label="Bayes error")
plt.gca().set(xlabel="gamma of the radial kernel", ylabel="error", ylim=(0, None))
plt.legend(frameon=False)
plt.show()

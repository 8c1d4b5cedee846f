"""k chosen by leave-one-out, for all k from one table of neighbours."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from maxmargin.datasets import load_mixture
from maxmargin.neighbors import KNeighborsClassifierCV, KNeighborsRegressorCV
from maxmargin.plots import palette

mixture = load_mixture()
X, y, truth = mixture.data, mixture.target, mixture.grid_probability
chosen = KNeighborsClassifierCV(100).fit(X, y)
ks = chosen.cv_results_["param_n_neighbors"]
error = 1.0 - chosen.cv_results_["mean_test_score"]
spread = chosen.cv_results_["std_test_score"] / np.sqrt(len(y))
said = [KNeighborsClassifier(k).fit(X, y).predict(mixture.grid) for k in ks]
test = [mixture.grid_marginal @ np.where(each == 1, 1.0 - truth, truth) for each in said]
print(f"classes: k = {chosen.n_neighbors_}, leave-one-out error {1 - chosen.best_score_:.3f}, "
      f"test error {test[chosen.best_index_]:.3f} (at best {min(test):.3f})")  # fmt: skip

random = np.random.default_rng(0)
x = np.sort(random.uniform(0.0, 10.0, 120))
z = np.sin(x) + 0.3 * random.normal(size=120)
curve = KNeighborsRegressorCV(60).fit(x[:, None], z)
print(f"numbers: k = {curve.n_neighbors_}, leave-one-out mean square {-curve.best_score_:.3f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.4), layout="constrained")
left.fill_between(ks, error - spread, error + spread, color=palette.REGIONS[0], lw=0)
left.plot(ks, error, color=palette.CURVES[0], label="leave-one-out, ± one standard error")
left.plot(ks, test, color=palette.CURVES[1], ls="--", label="test")
left.axvline(chosen.n_neighbors_, color=palette.CHANCE, ls=":", label=f"k = {chosen.n_neighbors_}")
left.set(xscale="log", xlabel="k", ylabel="error", ylim=(0.12, 0.42), title="classes: the mixture")
left.legend(framealpha=1.0, edgecolor="none")
right.scatter(x, z, s=12, color=palette.CHANCE)
right.plot(x, curve.predict(x[:, None]), color=palette.CURVES[0], label=f"k = {curve.n_neighbors_}")
right.set(xlabel="x", ylabel="y", title="numbers: a noisy sine")
right.legend(frameon=False)
plt.show()

"""One coefficient a round, or all of them again after each round: loss, bound and test error."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_hastie_10_2

from maxmargin.boosting import AdaBoostClassifier
from maxmargin.plots import palette

X, y = make_hastie_10_2(1000, random_state=0)
X_new, y_new = make_hastie_10_2(10_000, random_state=1)
stage = AdaBoostClassifier(n_estimators=300).fit(X, y)
joint = AdaBoostClassifier(n_estimators=100, corrective=True).fit(X, y)
print("coefficients of the last round:", joint.optimality_)

errors = {name: 1 - np.array(list(model.staged_score(X_new, y_new)))
          for name, model in (("stage", stage), ("joint", joint))}  # fmt: skip
loss = joint.history_.column("loss")
bound = np.maximum(0.0, loss - joint.history_.column("gap"))
print("rounds  loss: stagewise  jointly  no vote as heavy has less  test error: stagewise  jointly")
for m in (1, 10, 30, 100, 300):
    both = m <= len(joint)
    numbers = f"{loss[m - 1]:.4f} {bound[m - 1]:26.4f}" if both else f"{'':33s}"
    more = f"{errors['joint'][m - 1]:.3f}" if both else ""
    one = stage.bounds_["product"][m - 1]
    print(f"{m:6d} {one:16.4f}   {numbers} {errors['stage'][m - 1]:22.3f} {more:>8s}")
alive = np.count_nonzero(joint.alphas_)
print(f"{alive} of {len(joint)} coefficients above 0, the largest {joint.alphas_.max():.2f};")
print(f"one by one the largest of as many is {stage.alphas_[:100].max():.2f}")

_, (left, right) = plt.subplots(1, 2, figsize=(10.6, 4.2), layout="constrained")
left.plot(np.arange(1, 301), stage.bounds_["product"], color=palette.TEST, label="stagewise")
left.plot(np.arange(1, len(loss) + 1), loss, "--", color=palette.TRAIN, label="jointly")
left.set(xlabel="rounds", ylabel="mean exponential loss", ylim=(0, 1), xscale="log")
right.plot(np.arange(1, 301), errors["stage"], color=palette.TEST, label="stagewise")
right.plot(np.arange(1, len(loss) + 1), errors["joint"], "--", color=palette.TRAIN, label="jointly")
right.set(xlabel="rounds", ylabel="test error", ylim=(0, None), xscale="log")
[ax.legend(frameon=False) for ax in (left, right)]
plt.show()

"""AdaBoost against LPBoost, which fits all coefficients anew in every round and knows the end."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from maxmargin.boosting import AdaBoostClassifier, LPBoostClassifier, soft_margin
from maxmargin.plots import palette

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X[:, :10], y, test_size=0.5, random_state=0)
stage = AdaBoostClassifier(n_estimators=300).fit(X, y)
joint = LPBoostClassifier(nu=0.1).fit(X, y)

print("          rounds  stumps  soft margin  test error")
for name, model in (("AdaBoost", stage), ("LPBoost", joint)):
    margin, error = soft_margin(model.margins(X, y), nu=0.1), 1 - model.score(X_test, y_test)
    print(f"{name:8s} {len(model.history_):7d} {len(model):7d} {margin:12.4f} {error:11.3f}")
print(f"{joint.stop_.sentence} Gap {joint.optimality_.gap:.0e}.")

counts = np.array([1, 2, 3, 5, 8, 12, 20, 30, 45, 60])
stops = [lambda made, last=m: made.round == last for m in counts]
short = [LPBoostClassifier(nu=0.1, callback=stop).fit(X, y) for stop in stops]
rounds, value = np.arange(1, len(joint.history_) + 1), -joint.history_.column("loss")
_, (left, right) = plt.subplots(1, 2, figsize=(10.6, 4.2), layout="constrained")
margins = [soft_margin(stage.margins(X, y, rounds=m), nu=0.1) for m in rounds]
left.plot(rounds, margins, color=palette.TEST, label="AdaBoost")
left.plot(rounds, value, "--", color=palette.TRAIN, label="LPBoost")
bound = value + joint.history_.column("gap")
left.plot(rounds, bound, ":", color=palette.INK, label="no vote has more")
left.set(xlabel="rounds", ylabel="mean of the smallest tenth of the margins", ylim=(-0.5, 0.7))
errors = 1 - np.array(list(stage.staged_score(X_test, y_test)))[:60]
right.plot(np.arange(1, 61), errors, color=palette.TEST, label="AdaBoost")
joint_errors = [1 - model.score(X_test, y_test) for model in short]
right.plot(counts, joint_errors, "s--", color=palette.TRAIN, label="LPBoost")
right.set(xlabel="rounds", ylabel="test error", ylim=(0, None))
for ax in (left, right):
    ax.legend(frameon=False)
plt.show()

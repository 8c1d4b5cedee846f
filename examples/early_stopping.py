"""What early stopping saves on noisy labels: AdaBoost to the end, and stopped in time."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.evaluation import round_errors


def sample(random, n=300, flipped=0.2):
    """Draw five normal columns and the sign of their sum, with some of the labels flipped."""
    X = random.normal(size=(n, 5))
    return X, np.sign(X.sum(axis=1)) * np.where(random.uniform(size=n) < flipped, -1, 1)


X, y = sample(np.random.RandomState(1), n=2000, flipped=0.0)  # judged by the true labels
stopping = {"validation_fraction": 0.3, "n_iter_no_change": 20, "random_state": 0}
models = {
    "all rounds": AdaBoostClassifier(n_estimators=400),
    "stopped": AdaBoostClassifier(n_estimators=400, **stopping),
}
found = round_errors(models, X, y, sample=sample, n_repeats=20, random_state=0)
every, stopped = found["all rounds"], found["stopped"]
print(f"400 rounds on all rows:     test error {every.final}")
print(f"stopped, on 70 % of them:   test error {stopped.final}")
print(f"saved, training set by set: {stopped.less(every)}")
print(f"rounds kept: {stopped.rounds.min()} to {stopped.rounds.max()}, median", end=" ")
print(f"{np.median(stopped.rounds):.0f}; the best number of rounds for all sets is {every.best}")

picture = plots.overfitting({"all rounds": every}, log_rounds=True)
where = stopped.rounds, stopped.errors[:, -1]
picture.ax_.plot(*where, "x", color=plots.palette.CURVES[1], mew=2, label="stopped: 20 fits")
picture.ax_.legend(frameon=False)
plt.show()

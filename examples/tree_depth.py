"""Boosted trees of depth 1, 2, 4 and 8: ten digits, test error by depth and rounds."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import AdaBoostClassifier
from maxmargin.plots import palette

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
stages = (1, 10, 30, 100)

_, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
print("depth  one tree" + "".join(f"{t:6d} rounds" for t in stages[1:]) + "  training 0 from")
for depth, colour, dash in zip((1, 2, 4, 8), palette.CURVES, palette.DASHES, strict=False):
    tree = DecisionTreeClassifier(max_depth=depth)
    model = AdaBoostClassifier(tree, n_estimators=100, random_state=0).fit(X, y)
    test = 1 - np.array(list(model.staged_score(X_test, y_test)))
    wrong = np.flatnonzero(model.bounds_.error > 0)
    first = "never" if wrong[-1] == len(test) - 1 else f"round {wrong[-1] + 2}"
    print(
        f"{depth:5d}" + "".join(f"{test[t - 1]:12.3f}"[2 * (t == 1) :] for t in stages), "", first
    )
    ax.plot(np.arange(1, 101), test, color=colour, ls=dash, lw=1.8, label=f"depth {depth}")
ax.set(xlabel="rounds", ylabel="test error", xscale="log", ylim=(0, None))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

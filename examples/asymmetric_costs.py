"""False positives cheaper than misses: the boundary and both rates move with the ratio of costs."""

import matplotlib.pyplot as plt
from sklearn.metrics import confusion_matrix

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier
from maxmargin.datasets import make_overlapping

X, y = make_overlapping(400, random_state=0)
test = make_overlapping(10_000, random_state=1)
ratios = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
misses, alarms, shown = [], [], {}
equal = AdaBoostClassifier(n_estimators=30).fit(X, y)
usual = confusion_matrix(test[1], equal.predict(test[0]), normalize="true")
print("cost of a miss,                                mean cost of a row,")
print("in false positives   misses  false positives   as is   of equal costs")
for ratio in ratios:
    model = AdaBoostClassifier(n_estimators=30, class_weight={-1: 1.0, 1: ratio}).fit(X, y)
    rates = confusion_matrix(test[1], model.predict(test[0]), normalize="true")
    misses.append(rates[1, 0])
    alarms.append(rates[0, 1])
    shown[ratio] = model
    cost, before = ((ratio * each[1, 0] + each[0, 1]) / 2 for each in (rates, usual))
    print(f"{ratio:12g} {rates[1, 0]:15.3f} {rates[0, 1]:13.3f} {cost:14.3f} {before:12.3f}")

_, axes = plt.subplots(1, 4, figsize=(16, 4.2), layout="constrained")
for ax, ratio in zip(axes, (0.25, 1.0, 16.0), strict=False):
    plots.MarginDisplay.from_estimator(shown[ratio], X, y, ax=ax, legend=False)
    ax.set_title(f"a miss costs {ratio:g} false positives", fontsize=10)
axes[3].plot(ratios, misses, "o-", color=plots.palette.CURVES[0], label="misses of class 1")
axes[3].plot(ratios, alarms, "s--", color=plots.palette.CURVES[1], label="false positives")
axes[3].set(xscale="log", xticks=ratios, xlabel="cost of a miss / of a false positive")
axes[3].set_xticklabels([f"{ratio:g}" for ratio in ratios])
axes[3].minorticks_off()
axes[3].set_ylabel("share of the class, on 10,000 other rows")
axes[3].legend(frameon=False)
plt.show()

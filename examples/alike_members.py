"""How alike the members of an ensemble are, and what their vote gains over one of them."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from maxmargin import plots
from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier, DecisionStump
from maxmargin.evaluation import member_correlation

digits, value = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(digits, value % 2, test_size=0.5, random_state=0)
tree, small = DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=3)
models = {
    "bagged stumps": BaggingClassifier(DecisionStump(), 50, random_state=0),
    "bagged trees": BaggingClassifier(tree, 50, random_state=0),
    "random forest": RandomForestClassifier(50, max_features=2, random_state=0),
    "boosted stumps": AdaBoostClassifier(n_estimators=50),
    "boosted trees of depth 3": AdaBoostClassifier(small, n_estimators=50, random_state=0),
}
picture, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
print("                          correlation of       error of")
print("                          errors predictions   a member the vote")
for k, (name, model) in enumerate(models.items()):
    found = member_correlation(model.fit(X, y), X_test, y_test)
    row = f"{name:25s} {found.errors:6.3f} {found.predictions:11.3f}"
    print(f"{row} {found.member_error:10.3f} {found.error:8.3f}")
    look = {"color": plots.palette.CURVES[k], "marker": "os^Dv"[k], "label": name}
    ax.plot(found.errors, found.member_error, ms=9, mfc="white", mew=1.8, ls="", **look)
    ax.plot(found.errors, found.error, ms=9, ls="", **(look | {"label": None}))
    ax.plot([found.errors] * 2, [found.member_error, found.error], color=look["color"], lw=1)
ax.set(xlabel="mean correlation of two members' errors", ylim=(0.0, None))
ax.set_ylabel("test error: hollow a member's, full the vote's")
ax.legend(frameon=False, fontsize=9)
plt.show()

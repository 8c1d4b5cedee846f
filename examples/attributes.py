"""Patients compared by numbers and words, and which columns the distance should look at."""

import matplotlib.pyplot as plt
import polars as pl
from sklearn.model_selection import StratifiedKFold, cross_val_score

from maxmargin.datasets import load_heart
from maxmargin.neighbors import MixedDistance, MixedNeighborsClassifier
from maxmargin.plots import palette

heart = pl.DataFrame(load_heart(complete=False, as_table=True), strict=False)
X, y = heart.drop("AHD"), heart["AHD"].to_numpy()
folds = StratifiedKFold(5, shuffle=True, random_state=0)

print("numbers by      error over five folds, 15 neighbours")
for scale in ("raw", "range", "deviation"):
    model = MixedNeighborsClassifier(15, distance=MixedDistance(scale))
    print(f"{scale:12s} {1 - cross_val_score(model, X, y, cv=folds).mean():10.3f}")
for how in ("eliminate", "weigh"):
    model = MixedNeighborsClassifier(15, selection=how)
    print(f"range, {how:10s} {1 - cross_val_score(model, X, y, cv=folds).mean():5.3f}")

found = MixedNeighborsClassifier(15, selection="eliminate").fit(X, y).attribute_search_
print(f"\nleft out in turn, and the leave-one-out error then:\n{found}")
print(f"kept: {', '.join(found.kept)}")

names = ["(none)", *(step.attribute for step in found.steps)]
losses = [found.first_loss, *(step.loss for step in found.steps)]
figure, ax = plt.subplots(figsize=(7.6, 4.4), layout="constrained")
ax.plot(losses, color=palette.CURVES[0], marker="o")
best = len(X.columns) - len(found.kept)
ax.axvline(best, color=palette.CHANCE, ls=":", label=f"{len(found.kept)} columns are kept")
ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
ax.set(ylabel="leave-one-out error", xlabel="left out, from left to right")
ax.legend(frameon=False)
plt.show()

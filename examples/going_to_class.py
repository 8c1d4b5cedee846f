"""Eight students, one stump on their health: the weights before it and after it."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.boosting import AdaBoostClassifier, DecisionStump
from maxmargin.datasets import load_going_to_class
from maxmargin.plots import palette

students = load_going_to_class()
health, y = students.data[:, [1]], students.target
stump = DecisionStump(categorical_features=[0])
model = AdaBoostClassifier(stump, n_estimators=1).fit(health, y)
said, before, after = model.predict(health), np.full(8, 1 / 8), model.weights_

print("row  health    going?  stump says  weight before  after")
for row, (x, t, h, w, u) in enumerate(zip(health[:, 0], y, said, before, after, strict=True), 1):
    print(f"{row:3d}  {x:8s}  {t:6s}  {h:10s}  {w:13.4f}  {u:.4f}")
e, z = model.estimator_errors_[0], model.bounds_.z[0]
print(f"error {e:.3f}, alpha {model.alphas_[0]:.4f}, Z = 2 sqrt(e (1 - e)) = {z:.4f}")
print(f"weight of the rows told right {after[said == y].sum():.2f}, wrong {after[said != y].sum()}")

_, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
rows = np.arange(1, 9)
ax.bar(rows - 0.2, before, 0.38, color=palette.TEST, label="before the stump: 1/8 each")
ax.bar(
    rows + 0.2,
    after,
    0.38,
    color=palette.TRAIN,
    label="after it: 1/14 where right, 1/2 where wrong",
)
ax.set(xlabel="row", ylabel="weight", xticks=rows, ylim=(0, 0.62))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left")
plt.show()

"""A table of numbers, categories and gaps: a kernel for each column, added up."""

from functools import reduce
from operator import add

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import cross_val_score

from maxmargin import SVC, plots
from maxmargin.datasets import load_heart
from maxmargin.kernels import RBF, Categorical

X = pd.DataFrame(load_heart(complete=False, as_table=True))
y = X.pop("AHD").astype(str)
print(f"{len(X)} patients, missing: {X.isna().sum().loc[lambda n: n > 0].to_dict()}")

numbers = reduce(add, [RBF("scale").restrict(name) for name in ("Age", "MaxHR", "Oldpeak")])
categories = Categorical().restrict(["Sex", "ChestPain", "ExAng", "Ca", "Thal"])
kernels = {"numbers": numbers, "categories": categories, "both": numbers + 3.0 * categories}
for name, kernel in kernels.items():
    scores = cross_val_score(SVC(kernel=kernel), X, y, cv=10)
    print(f"{name:11} accuracy {scores.mean():.3f}")

model = SVC(kernel=kernels["both"]).fit(X, y)
print(model.certificate_.status.name, "and the order of columns does not matter:",
      (model.predict(X[X.columns[::-1]]) == model.predict(X)).all())  # fmt: skip
plots.gram(kernels["both"], X, y)
plt.show()

"""ROC curves of Heart on the rows that models learned from, and on others."""

import matplotlib.pyplot as plt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.datasets import load_heart
from maxmargin.evaluation import delong_interval
from maxmargin.plots import RocCurve, roc

X, y = load_heart(return_X_y=True)
train, test, y_train, y_test = train_test_split(X, y, train_size=207, stratify=y, random_state=0)
models = {"LDA": LinearDiscriminantAnalysis(), "linear SVC": SVC(kernel="linear")}
models |= {f"radial, gamma = {gamma:g}": SVC(gamma=gamma) for gamma in (1e-3, 1e-2, 1e-1)}
fitted = {name: make_pipeline(StandardScaler(), model).fit(train, y_train)
          for name, model in models.items()}  # fmt: skip

figure, panels = plt.subplots(1, 2, figsize=(12, 5.6), layout="constrained")
print("area under the curve       training      test   95% interval of the test")
areas = {name: [] for name in models}
for ax, title, rows, labels in ((panels[0], "training rows", train, y_train),
                                (panels[1], "test rows", test, y_test)):  # fmt: skip
    curves = {}
    for name, model in fitted.items():
        values = model.decision_function(rows)
        curves[name] = RocCurve.from_scores(labels, values, model.classes_)
        areas[name].append(delong_interval(labels, values))
    roc(curves, ax=ax)
    ax.set_title(title)
for name, (before, after) in areas.items():
    print(f"{name:26} {before.value:8.3f} {after.value:9.3f}   {after.low:.3f} to {after.high:.3f}")
plt.show()

"""Every solver on the same two problems: how the relative gap falls with time."""

import warnings

import matplotlib.pyplot as plt

from maxmargin import SVC, LinearSVC, plots
from maxmargin.datasets import make_overlapping
from maxmargin.solvers import BOX_QP_SOLVERS, Trace

X, y = make_overlapping(1500, separation=2.0, n_features=10, random_state=0)
warnings.simplefilter("ignore")  # of those that get no farther, which is to be seen


def watch(model):
    """Fit, and keep every line of it."""
    trace = Trace()
    model.fit(X, y).set_params(callback=trace).fit(X, y)  # the first loads its loops
    said = model.certificate_
    drawn = model.sampling if "coordinate" in model.solver else ""
    solver = f"{type(model).__name__} {model.solver} {drawn}"
    print(f"{solver:38} {said.status.name:16} gap {said.relative_gap:.0e}  dual {said.dual:.4f}")
    return trace


free = {name: SVC(gamma=0.05, solver=name, tol=1e-6)
        for name, kind in BOX_QP_SOLVERS.items() if True in kind.biases}  # fmt: skip
options = {"loss": "hinge", "C": 0.1, "tol": 1e-6, "max_iter": 3000}
names = ("newton", "dual_coordinate", "projected_subgradient", "pegasos")
paid = {name: LinearSVC(solver=name, **options) for name in names}
kernel = {"kernel": "linear", "C": 0.1, "solver": "coordinate_ascent", "tol": 1e-4}
paid["coordinate_ascent, epochs"] = SVC(**kernel)
paid["coordinate_ascent, uniform"] = SVC(**kernel, sampling="uniform")

figure, panels = plt.subplots(2, 1, figsize=(8.0, 9.0), layout="constrained")
for ax, title, models in ((panels[0], "radial kernel, free bias", free),
                          (panels[1], "linear, penalised bias", paid)):  # fmt: skip
    plots.convergence({name: watch(each) for name, each in models.items()}, ax=ax, legend=True)
    ax.set_title(title)
plt.show()

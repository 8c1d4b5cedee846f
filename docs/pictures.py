"""Draw the pictures of the pages: python docs/pictures.py [index mixture svm ... heart pictures].

Prints the tables of numbers that the pages show, so that pages and pictures come from one run.
"""

import doctest
import re
import sys
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from scipy import sparse
from scipy.spatial import ConvexHull
from sklearn.base import clone
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import Bunch

from maxmargin import (
    SVC,
    HardMarginSVC,
    LinearSVC,
    TableSVC,
    TableSVR,
    plots,
    separate,
    total_slack,
)
from maxmargin.boosting import AdaBoostClassifier, BoostingRegressor
from maxmargin.datasets import (
    load_heart,
    load_mixture,
    make_overlapping,
    make_separable,
)
from maxmargin.losses import Quantile
from maxmargin.plots import MarginDisplay, RocCurve, palette
from maxmargin.solvers import Trace
from maxmargin.vision import HaarFeatures, integral_image, rectangle_sum

IMAGES = Path(__file__).parent / "images"
STRETCHES, SHARES = (0.5, 1.0, 2.0, 3.0), (0.0, 0.01, 0.03, 0.06, 0.1)

MODELS: dict[str, dict[str, Any]] = {
    "linear, C = 10000": {"kernel": "linear", "C": 10_000.0},
    "linear, C = 0.01": {"kernel": "linear", "C": 0.01},
    "polynomial of degree 4, C = 1": {"kernel": "poly", "degree": 4, "gamma": 1.0, "coef0": 1.0},
    "radial, gamma = 1, C = 1": {"kernel": "rbf", "gamma": 1.0},
}


def test_error(model: SVC, mixture: Bunch) -> float:
    """Return the exact error: each lattice point's mass times the chance of the other class."""
    p = mixture.grid_probability
    wrong = np.where(model.predict(mixture.grid) == 1, 1.0 - p, p)
    return float(mixture.grid_marginal @ wrong)


def bayes_grid(mixture: Bunch) -> tuple[Any, Any, Any]:
    """Return the lattice and the true probability of class 1 in the shape of a picture."""
    columns = (*mixture.grid.T, mixture.grid_probability)
    xx0, xx1, probability = (column.reshape(mixture.grid_shape) for column in columns)
    return xx0, xx1, probability


def draw_panel(name: str, model: SVC, mixture: Bunch, ax: Axes) -> MarginDisplay:
    """Draw one model with its numbers above it."""
    X, y = mixture.data, mixture.target
    display = MarginDisplay.from_estimator(
        model, X, y, bayes=bayes_grid(mixture), ax=ax, legend=False
    )
    train = 1.0 - model.score(X, y)
    numbers = f"{train:.3f} | {test_error(model, mixture):.3f} | {len(model.support_)}"
    print(f"| {name} | {numbers} | `{model.certificate_.status.name}` |")
    train_text, test_text, count = numbers.split(" | ")
    facts = f"training error {train_text}   test error {test_text}   {count} support vectors"
    head(ax, name, facts)
    ax.set(xlabel="", ylabel="", xticks=[], yticks=[], aspect="equal")
    return display


def draw(names: list[str], shape: tuple[int, int], size: tuple[float, float], file: str) -> None:
    """Draw some of the models side by side, with one legend below all."""
    mixture = load_mixture()
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False)
    for name, ax in zip(names, axes.flat, strict=True):
        model = SVC(**MODELS[name]).fit(mixture.data, mixture.target)
        display = draw_panel(name, model, mixture, ax)
    figure.legend(
        handles=display.legend_handles(), loc="outside lower center", ncols=3, frameon=False
    )
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)  # type: ignore[union-attr]
    save(figure, IMAGES / file)


def draw_home() -> None:
    """Draw what the library does in one picture: a machine with its margins and its certificate."""
    mixture = load_mixture()
    X, y = mixture.data, mixture.target
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.9), layout="constrained")
    machines = {"SVC, linear": {"kernel": "linear"}, "SVC, radial kernel": {"gamma": 1.0}}
    for (name, options), ax in zip(machines.items(), axes, strict=True):
        model = SVC(**options).fit(X, y)
        display = MarginDisplay.from_estimator(model, X, y, ax=ax, legend=False)
        said = model.certificate_
        head(ax, name, f"{said.status.name}   primal {said.primal:.4f}   dual {said.dual:.4f}")
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[], aspect="equal")
    figure.legend(
        handles=display.legend_handles(), loc="outside lower center", ncols=3, frameon=False
    )
    save(figure, IMAGES / "home.png", colours=32, dpi=100)


def save(figure: Figure, path: Path, colours: int = 64, dpi: int = 150) -> None:
    """Save sharp but small: a picture of few hues needs no more than 64 colours."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    plt.close(figure)
    Image.open(buffer).convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def head(ax: Axes, title: str, text: str) -> None:
    """Write a bold title with a line of facts below it."""
    ax.set_title(title, loc="left", fontweight="bold", fontsize=11, pad=20)
    ax.text(0.0, 1.02, text, transform=ax.transAxes, fontsize=9, color="#444444")


# docs/svm.md: is there a hyperplane?


def draw_classes(ax: Axes, X: Any, y: Any) -> None:
    """Draw points of two classes, each with its convex hull."""
    for label, (colour, marker) in enumerate(zip(palette.CLASSES, palette.MARKERS, strict=True)):
        points = X[y == np.unique(y)[label]]
        ax.scatter(*points.T, s=22, color=colour, marker=marker, alpha=0.85, linewidths=0, zorder=3)
        corners = points[ConvexHull(points).vertices]
        ax.fill(*corners.T, facecolor=palette.REGIONS[label], edgecolor=colour, lw=0.8, alpha=0.7)
    ax.set(xticks=[], yticks=[], box_aspect=0.85)
    ax.set_aspect("equal", adjustable="datalim")
    ax.apply_aspect()  # so that the limits are what they will be


def draw_line(ax: Axes, coef: Any, intercept: float, **style: Any) -> None:
    """Draw the line w'x + b = 0 across the picture."""
    limits = ax.axis()
    point = -intercept * coef / (coef @ coef)
    ax.axline(point, point + np.array([-coef[1], coef[0]]), **style)
    ax.axis(limits)


def draw_hyperplane(ax: Axes) -> None:
    """Draw separable classes, the program's hyperplane and that of the largest margin."""
    X, y = make_separable(24, margin=0.4, random_state=28)
    found, best = separate(X, y), HardMarginSVC().fit(X, y)
    draw_classes(ax, X, y)
    draw_line(ax, found.coef, found.intercept, color=palette.CHANCE, lw=1.6, ls="--",
              label="linear program")  # fmt: skip
    draw_line(ax, best.coef_[0], best.intercept_[0], color=palette.INK, lw=1.8, label="hard margin")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=2, frameon=False)
    head(ax, "separable", f"margin {found.margin:.3f} (linear program), {best.margin_:.3f} (hard)")


def draw_witness(ax: Axes) -> None:
    """Draw classes that overlap, the weighted rows and the point that is the mean of both."""
    X, y = make_overlapping(40, random_state=3)
    witness = separate(X, y).witness
    assert witness is not None  # these classes overlap
    draw_classes(ax, X, y)
    support = witness > 0
    ax.scatter(*X[support].T, s=60 + 500 * witness[support], facecolors="none",
               edgecolors=palette.INK, linewidths=1.4, zorder=4)  # fmt: skip
    for label in np.unique(y):
        side = y == label
        mean = X[side].T @ witness[side]
        for row in X[side & support]:
            ax.plot(*np.c_[row, mean], color=palette.INK, lw=0.8, zorder=3.5)
    ax.plot([], [], ls="", marker="o", ms=9, mfc="none", mec=palette.INK, label="row with weight")
    ax.plot(*mean, ls="", marker="*", ms=14, color=palette.INK, zorder=5, label="mean of both")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=2, frameon=False)
    head(ax, "not separable", f"{support.sum()} rows prove it: one point in both hulls")


def draw_separation() -> None:
    """Draw both answers of ``separate``."""
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.9), layout="constrained")
    draw_hyperplane(axes[0])
    draw_witness(axes[1])
    save(figure, IMAGES / "separation.png")


# docs/svm.md: hard and soft margins


def draw_margins() -> None:
    """Draw one data set with less and less slack, down to none."""
    X, y = make_separable(60, margin=0.4, random_state=5)
    figure, axes = plt.subplots(1, 3, figsize=(11.4, 3.9), layout="constrained")
    models = [SVC(C=C, kernel="linear") for C in (0.05, 1.0)]
    for model, ax in zip([*models, HardMarginSVC()], axes, strict=True):
        model.fit(X, y)
        display = MarginDisplay.from_estimator(model, X, y, ax=ax, legend=False)
        margin, slack = 1 / np.linalg.norm(model.coef_), total_slack(model, X, y)
        title = f"SVC, C = {model.C:g}" if isinstance(model, SVC) else "HardMarginSVC"
        head(ax, title, f"1 / |w| = {margin:.3f}, total slack {abs(slack):.2f}")
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[], aspect="equal")
        print(f"| {title} | {margin:.3f} | {slack:.2f} |")
    figure.legend(
        handles=display.legend_handles(), loc="outside lower center", ncols=6, frameon=False
    )
    save(figure, IMAGES / "margins.png")


# docs/solvers.md: convergence

_SECONDS = 12.0  # after which a slow solver has shown enough


def trace_of(model: Any, X: Any, y: Any) -> Trace:
    """Fit with a trace, after a small fit that compiles."""
    trace = Trace()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clone(model).fit(X[:200], y[:200])
        model.set_params(callback=trace, time_limit=_SECONDS).fit(X, y)
    loss, seconds = getattr(model, "loss", "hinge"), trace.lines[-1].seconds
    print(f"{model.solver} ({loss}): {seconds:.2f} s, {model.certificate_}")
    return trace


def make_texts(n: int, d: int, random_state: int) -> tuple[Any, Any]:
    """Make sparse rows of unit length: 50 words a row, some far more frequent than others."""
    random = np.random.default_rng(random_state)
    words = (d * random.random((n, 50)) ** 3).astype(np.int32)
    counts = sparse.csr_matrix((np.ones(words.size), words.ravel(), 50 * np.arange(n + 1)), (n, d))
    counts.sum_duplicates()
    X = sparse.csr_matrix(counts / np.sqrt(counts.multiply(counts).sum(axis=1)))
    return X, np.where(X @ random.normal(size=d) + 0.3 * random.normal(size=n) > 0, 1, 0)


def draw_convergence() -> None:
    """Draw the traces of kernel solvers and of linear ones on narrow and on wide data."""
    figure, axes = plt.subplots(1, 3, figsize=(13.8, 4.8), layout="constrained")
    X, y = make_classification(12_000, 20, n_informative=10, flip_y=0.05, random_state=0)
    kernel = {
        name: trace_of(SVC(C=3.0, tol=1e-4, solver=name), X, y)
        for name in ("working_set", "smo", "smo_first_order", "osuna", "coordinate_ascent")
    }
    draw_traces(axes[0], kernel)
    head(axes[0], "SVC, radial kernel", "12,000 rows, 20 columns, C = 3")
    narrow = make_classification(40_000, 30, n_informative=15, flip_y=0.05, random_state=0)
    draw_traces(axes[1], linear_traces(*narrow))
    head(axes[1], "LinearSVC, narrow", "40,000 rows, 30 columns, dense, C = 1")
    draw_traces(axes[2], linear_traces(*make_texts(10_000, 20_000, 0)))
    head(axes[2], "LinearSVC, wide", "10,000 rows, 20,000 columns, sparse, C = 1")
    for ax in axes[1:]:
        ax.set_ylabel("")
    save(figure, IMAGES / "solvers_convergence.png")


def draw_traces(ax: Axes, traces: dict[str, Trace]) -> None:
    """Draw traces with room for their names at the right."""
    display = plots.convergence(traces, ax=ax)
    left, right = ax.get_xlim()
    ax.set_xlim(left, right * (right / left) ** 0.45)
    for label in display.labels_.values():
        label.set_fontsize(8.5)


def linear_traces(X: Any, y: Any) -> dict[str, Trace]:
    """Fit linear models of both losses by every solver that takes them."""
    pairs = [
        ("newton", "squared_hinge"),
        ("newton", "hinge"),
        ("dual_coordinate", "squared_hinge"),
        ("dual_coordinate", "hinge"),
        ("gradient_descent", "squared_hinge"),
    ]
    return {
        f"{solver} ({loss.replace('_hinge', '')})": trace_of(
            LinearSVC(loss=loss, solver=solver, tol=1e-8, max_iter=100_000), X, y
        )
        for solver, loss in pairs
    }


# docs/boosting.md


def distorted_scores(model: Any) -> list[float]:
    """Score a model on one table whose columns are stretched more and more."""
    X, y = make_classification(600, 10, n_informative=6, random_state=1)
    tables = (np.sinh(stretch * X) / stretch for stretch in STRETCHES)
    return [cross_val_score(model, rows, y, cv=3).mean() for rows in tables]


def outlier_scores(model: Any) -> list[float]:
    """Score a model on one table in which more and more values are outliers."""
    X, y = make_classification(600, 10, n_informative=6, random_state=1)
    rng = np.random.default_rng(0)
    place, large = rng.random(X.shape), 100.0 * rng.normal(size=X.shape)
    tables = (np.where(place < share, large, X) for share in SHARES)
    return [cross_val_score(model, rows, y, cv=3).mean() for rows in tables]


def draw_smoothness(ax: Axes) -> None:
    """Draw a smooth truth, and what a kernel machine and trees learn of it."""
    rng = np.random.default_rng(0)
    x, grid = np.sort(rng.uniform(0, 6, 150)), np.linspace(0, 6, 600)
    y = np.sin(x) + 0.2 * rng.normal(size=150)
    ax.plot(x, y, ".", color=palette.CHANCE, ms=4)
    models = {
        "boosted trees": HistGradientBoostingRegressor(random_state=0),
        "TableSVR": TableSVR(),
    }
    for k, (name, model) in enumerate(models.items()):
        told = model.fit(x[:, None], y).predict(grid[:, None])
        ax.plot(grid, told, color=palette.CURVES[k + 1], label=name)
    ax.set(title="Smoothness", xlabel="column", ylabel="target")
    ax.legend(frameon=False, loc="lower left")


def draw_table_reasons() -> None:
    """Draw what distortions and outliers do to machines, and what smoothness is worth."""
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
    models = {
        "RBF, standardised": make_pipeline(StandardScaler(), SVC()),
        "boosted trees": HistGradientBoostingClassifier(random_state=0),
        "TableSVC": TableSVC(),
    }
    jobs = (distorted_scores, STRETCHES), (outlier_scores, SHARES)
    for ax, (scores, where) in zip(axes[:2], jobs, strict=True):
        for k, (name, model) in enumerate(models.items()):
            found = scores(model)
            print(f"{scores.__name__:18}{name:20}", *(f"{score:.3f}" for score in found))
            ax.plot(where, found, color=palette.CURVES[k], ls=palette.DASHES[k], label=name)
        ax.set_ylabel("accuracy in three folds")
    axes[0].set(title="Distortion", xlabel="stretch s: each column becomes sinh(s x)")
    axes[1].set(title="Outliers", xlabel="share of values that are outliers")
    axes[0].legend(frameon=False)
    draw_smoothness(axes[2])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    save(figure, IMAGES / "table_reasons.png", dpi=110)


def load_parity() -> tuple[Any, Any]:
    """Load the digits with odd and even as classes."""
    X, value = load_digits(return_X_y=True)
    return X, np.where(value % 2, "odd", "even")


def draw_boosting_curves() -> None:
    """Draw errors of stumps and of trees against rounds, and the margins of the trees."""
    X, X_test, y, y_test = train_test_split(*load_parity(), test_size=0.5, random_state=0)
    stumps = AdaBoostClassifier(n_estimators=400).fit(X, y)
    trees = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=3), n_estimators=400, random_state=0
    ).fit(X, y)
    figure, axes = plt.subplots(1, 3, figsize=(13.8, 4.4), layout="constrained")
    for ax, model, title in zip(
        axes, (stumps, trees), ("stumps", "trees of depth 3"), strict=False
    ):
        plots.error_curves(model, {"test": (X_test, y_test)}, log_rounds=True, ax=ax)
        error = 1.0 - model.score(X_test, y_test)
        head(ax, title, f"digits, odd against even; test error {error:.3f} after 400 rounds")
    plots.margin_distribution(trees, X, y, rounds=(5, 20, 400), ax=axes[2])
    head(axes[2], "trees of depth 3", "margins of the training rows")
    save(figure, IMAGES / "boosting_curves.png")


def make_wave(n: int, outliers: int) -> tuple[Any, Any]:
    """Make a wave whose noise grows to the right, with some rows moved up."""
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0.0, 10.0, n))
    y = np.sin(x) + 0.08 * (1.0 + x) * random.normal(size=n)
    y[random.choice(n, outliers, replace=False)] += 4.0
    return x[:, None], y


def draw_numbers() -> None:
    """Draw boosted trees of one feature: losses that differ on outliers, and an interval."""
    (X, y), (Z, z) = make_wave(400, 33), make_wave(400, 0)
    grid, tree = np.linspace(0.0, 10.0, 1001)[:, None], DecisionTreeRegressor(max_leaf_nodes=5)
    figure, axes = plt.subplots(1, 2, figsize=(11.4, 4.2), layout="constrained", sharey=True)
    for ax, rows in zip(axes, ((X, y), (Z, z)), strict=True):
        ax.scatter(*rows, s=9, zorder=1.5, color=palette.CHANCE, alpha=0.5, linewidths=0)
        ax.set(xlabel="x", xlim=(0.0, 10.0), ylim=(-3.5, 6.0))
        ax.spines[["top", "right"]].set_visible(False)
    for k, loss in enumerate(("squared_error", "absolute_error")):
        curve = BoostingRegressor(loss, tree).fit(X, y).predict(grid)
        axes[0].plot(grid, curve, color=palette.CURVES[k], ls=palette.DASHES[k], lw=1.8,
                     label=loss.replace("_", " "))  # fmt: skip
    low, middle, high = (
        BoostingRegressor(Quantile(q), tree).fit(Z, z).predict(grid) for q in (0.1, 0.5, 0.9)
    )
    axes[1].fill_between(grid[:, 0], low, high, color=palette.REGIONS[0], label="0.1 to 0.9")
    axes[1].plot(grid, middle, color=palette.TEST, lw=1.8, label="0.5")
    head(axes[0], "two losses", "400 rows, one in twelve moved up by 4; trees of five leaves")
    head(axes[1], "three quantiles", "the same rows, none moved; levels 0.1, 0.5 and 0.9")
    for ax in axes:
        ax.legend(loc="lower left", frameon=False, ncols=2)
    save(figure, IMAGES / "boosting_numbers.png")


# docs/heart.md


def draw_heart() -> None:
    """Draw the ROC curves of five classifiers on the rows they learned from and on others."""
    X, y = load_heart(return_X_y=True)
    parts = train_test_split(X, y, train_size=207, stratify=y, random_state=0)
    models = {
        "LDA": LinearDiscriminantAnalysis(),
        "linear SVC": SVC(kernel="linear"),
        **{f"radial, gamma = {gamma:g}": SVC(gamma=gamma) for gamma in (1e-3, 1e-2, 1e-1)},
    }
    fitted = {name: make_pipeline(StandardScaler(), m).fit(parts[0], parts[2])
              for name, m in models.items()}  # fmt: skip
    figure, axes = plt.subplots(1, 2, figsize=(11.4, 6.4), layout="constrained")
    for ax, rows, truth, title in (
        (axes[0], parts[0], parts[2], "207 training rows"),
        (axes[1], parts[1], parts[3], "90 test rows"),
    ):
        curves = {
            name: RocCurve.from_scores(truth, model.decision_function(rows), model.classes_)
            for name, model in fitted.items()
        }
        plots.roc(curves, ax=ax)
        ax.set_title(title)
        print(title, {name: round(curve.area, 3) for name, curve in curves.items()})
    save(figure, IMAGES / "heart.png")


# docs/vision.md


KINDS = ["edge_x", "edge_y", "line_x", "line_y", "checker", "center", "tilted_edge_x"]


def draw_kinds() -> None:
    """Draw one feature of several kinds, and how many of each a window of 24 x 24 pixels has."""
    figure, axes = plt.subplots(1, len(KINDS), figsize=(9.6, 1.9), layout="constrained")
    for ax, kind in zip(axes, KINDS, strict=True):
        features = HaarFeatures(kinds=kind)
        template = features.template(_large_one(features))
        colours = np.array([palette.CLASSES[0], "white", palette.CLASSES[1]])
        ax.imshow(
            np.array([mpl.colors.to_rgb(c) for c in colours])[np.sign(template).astype(int) + 1]
        )
        ax.set(xticks=[], yticks=[])
        ax.set_title(f"{kind}\n{len(features):,}", fontsize=9)
    save(figure, IMAGES / "vision_kinds.png")


def _large_one(features: HaarFeatures) -> int:
    """Find a feature that covers about half of the window, near its middle."""
    covered = np.array([features.template(k) != 0 for k in range(0, len(features), 97)])
    y, x = (np.indices(covered.shape[1:]) - 11.5) / 24
    area = covered.sum(axis=(1, 2))
    away = [abs((part * each).sum()) / max(each.sum(), 1) for each in covered for part in (x, y)]
    return 97 * int((np.abs(area / 576 - 0.4) + np.reshape(away, (-1, 2)).sum(axis=1)).argmin())


def draw_integral() -> None:
    """Draw a window, its integral, and the four looks that sum up a rectangle."""
    y, x = np.mgrid[0:24, 0:24]
    eyes = np.exp(-(((np.abs(x - 11.5) - 5) / 3) ** 2) - ((y - 9) / 2.0) ** 2)
    image = (200 - 130 * eyes - 3 * np.hypot(x - 11.5, y - 11.5)).clip(0, 255).astype(np.uint8)
    left, top, width, height = box = (4, 7, 16, 5)
    sums = integral_image(image)
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.5), layout="constrained")
    axes[0].imshow(image, cmap="gray", vmin=0, vmax=255)
    frame = plt.Rectangle((left - 0.5, top - 0.5), width, height, fill=False)
    frame.set(edgecolor=palette.CLASSES[1], linewidth=2.5)
    axes[0].add_patch(frame)
    axes[1].imshow(sums, cmap="gray")
    for name, dx, dy, across, down in (
        ("+S(a)", 0, 0, -0.8, -0.8),
        ("−S(b)", width, 0, 0.8, -0.8),
        ("−S(c)", 0, height, -0.8, 1.8),
        ("+S(d)", width, height, 0.8, 1.8),
    ):
        place = left + dx, top + dy
        axes[1].plot(*place, "o", color=palette.CLASSES[1], markeredgecolor="white")
        style = {"color": "white", "backgroundcolor": palette.INK, "fontsize": 8}
        ha = "right" if dx == 0 else "left"
        axes[1].text(place[0] + across, place[1] + down, name, ha=ha, **style)
    head(axes[0], "pixels", f"the rectangle sums to {rectangle_sum(sums, *box):,}")
    looks = [
        sums[top + dy, left + dx] for dy, dx in ((0, 0), (0, width), (height, 0), (height, width))
    ]
    head(axes[1], "sums S", "{:,} − {:,} − {:,} + {:,}".format(*looks))
    for ax in axes:
        ax.set(xticks=[], yticks=[])
    save(figure, IMAGES / "vision_integral.png")


# docs/pictures.md

_BLOCK = re.compile(r"```pycon\n(.*?)```\s+(?:!\[[^\]]*\]\(images/(.*?)\))?", re.DOTALL)


def draw_page() -> None:
    """Run the page, and keep what each block of code calls its picture under the name below it."""
    names: dict[str, Any] = {}
    for code, file in _BLOCK.findall((IMAGES.parent / "pictures.md").read_text(encoding="utf-8")):
        for example in doctest.DocTestParser().get_examples(code):
            exec(example.source, names)
        if file:
            save(names["picture"].figure_, IMAGES / file)


PAGES = {
    "index": [draw_home],
    "mixture": [lambda: draw(list(MODELS), (2, 2), (9.4, 9.1), "mixture.png")],
    "svm": [draw_separation, draw_margins],
    "solvers": [draw_convergence],
    "boosting": [draw_boosting_curves, draw_numbers],
    "heart": [draw_heart],
    "vision": [draw_kinds, draw_integral],
    "tables-svm": [draw_table_reasons],
    "pictures": [draw_page],
}


def main() -> None:
    """Draw every picture, or those of the pages named."""
    mpl.use("Agg")
    IMAGES.mkdir(exist_ok=True)
    for page in sys.argv[1:] or PAGES:
        for draw_one in PAGES[page]:
            draw_one()


if __name__ == "__main__":
    main()

"""Draw the pictures of docs/mixture.md: python docs/pictures.py.

Prints the table of numbers that the page shows, so that page and pictures come from one run.
"""

from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from sklearn.utils import Bunch

from maxmargin import SVC
from maxmargin.datasets import load_mixture
from maxmargin.plots import MarginDisplay

IMAGES = Path(__file__).parent / "images"

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
    ax.set_title(name, loc="left", fontweight="bold", fontsize=11, pad=20)
    ax.text(
        0.0, 1.02,
        f"training error {train_text}   test error {test_text}   {count} support vectors",
        transform=ax.transAxes, fontsize=9, color="#444444",
    )  # fmt: skip
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


def save(figure: Figure, path: Path) -> None:
    """Save sharp but small: a picture of few hues needs no more than 64 colours."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=150)
    plt.close(figure)
    Image.open(buffer).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def main() -> None:
    """Draw every picture."""
    mpl.use("Agg")
    IMAGES.mkdir(exist_ok=True)
    draw(list(MODELS), (2, 2), (9.4, 9.1), "mixture.png")


if __name__ == "__main__":
    main()

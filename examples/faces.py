"""A detector trained on generated faces in seconds, and boxes on a generated photograph."""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import plots
from maxmargin.evaluation import evaluate_detector
from maxmargin.vision import HaarFeatures, Variation, train_cascade

rng = np.random.default_rng(0)
PARTS = [(-0.2, -0.1, 0.1), (0.2, -0.1, 0.1), (0.0, 0.1, 0.05), (0.0, 0.28, 0.12)]


def head(side, parts):
    y, x = (np.indices((side, side)) + 0.5) / side - 0.5
    grey = rng.uniform(110, 170) * (np.hypot(x, y) < 0.48) + rng.uniform(30, 90)
    for across, down, size in parts:
        grey -= 80 * (np.hypot(x - across, 1.5 * (y - down)) < size)
    return np.clip(grey + rng.normal(scale=15, size=grey.shape), 0, 255).astype(np.uint8)


def scene(heads, faces=()):
    layers = [np.kron(rng.normal(size=(240 // s, 400 // s)), np.ones((s, s))) for s in (4, 8, 20)]
    image = np.clip(128 + 45 * sum(layers), 0, 255).astype(np.uint8)
    for x, y, side, _ in [*heads, *faces]:  # heads whose parts lie anywhere are no faces
        parts = PARTS if (x, y, side, _) in faces else rng.uniform(-0.3, 0.3, (4, 3)) * [1, 1, 0.3]
        image[y : y + side, x : x + side] = head(side, parts)
    return image


faces, grid = [head(24, PARTS) for _ in range(300)], np.ndindex(8, 3)
heads = [(50 * x, 80 * y, 48, 48) for x, y in grid]
options = {
    "stages": 5,
    "n_negatives": 400,
    "min_detection": 0.999,
    "variation": Variation(copies=2),
}
scenes, some = [scene(heads) for _ in range(25)], HaarFeatures()[::40]
cascade = train_cascade(faces, scenes, features=some, verbose=True, **options)
truth = [(30, 40, 48, 48), (150, 110, 72, 72), (290, 60, 96, 96)]
photograph = scene([(100, 20, 60, 60)], truth)
print(evaluate_detector(cascade, [photograph], [truth]).detection)
plots.detections(photograph, cascade.detect(photograph), truth=truth)
plots.first_features(cascade, faces, count=4)
plots.survival(cascade.scan(photograph))
plt.show()

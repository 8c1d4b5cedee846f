"""A cascade trained on drawn faces in seconds, and boxes around some on a photograph."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from maxmargin import plots
from maxmargin.evaluation import evaluate_detector
from maxmargin.vision import HaarFeatures, grey_image, train_cascade

rng = np.random.default_rng(0)
FACE = [(-0.2, -0.1, 0.1), (0.2, -0.1, 0.1), (0.0, 0.1, 0.06), (0.0, 0.28, 0.12)]


def head(side, parts=FACE):
    """Draw a disc with eyes, nose and mouth, or with such parts anywhere."""
    y, x = (np.indices((side, side)) + 0.5) / side - 0.5
    grey = rng.normal(0, 60) * x + rng.normal(0, 60) * (np.hypot(x, y) < 0.47)
    for across, down, size in parts + rng.normal(0, 0.02, (4, 3)):
        grey -= rng.uniform(20, 60) * (np.hypot(x - across, 1.5 * (y - down)) < size)
    return np.clip(150 + grey + rng.normal(0, 15, grey.shape), 0, 255).astype(np.uint8)


flower, china = (grey_image(load_sample_image(name)) for name in ("flower.jpg", "china.jpg"))
no_faces = rng.uniform(-0.3, 0.3, (60, 4, 3)) * (1, 1, 0) + (0, 0, 0.1)  # parts anywhere
scenes = [np.pad(head(60, parts), 20, constant_values=rng.integers(255)) for parts in no_faces]
scenes, photograph = [flower, china[:, :320], *scenes], china[:, 320:].copy()
truth = [(20, 20, 72, 72), (200, 60, 48, 48), (130, 250, 110, 110)]
for x, y, side, _ in truth:
    photograph[y : y + side, x : x + side] = head(side)
faces, some = np.stack([head(24) for _ in range(400)]), HaarFeatures()[::20]
goal = {"stages": 8, "min_detection": 0.998, "max_false_positive": 0.3, "n_negatives": 500}
cascade = train_cascade(faces, scenes, features=some, **goal)
found = evaluate_detector(cascade, [photograph], [truth])
print(f"{cascade}: {found.mean_features:.1f} features a window of {found.windows:,}")
print(f"{found.found} of {found.objects} faces found, {found.wrong} other boxes")
plots.detections(photograph, cascade.detect(photograph), truth=truth)
plots.first_features(cascade, faces)
plots.survival(found)
plt.show()

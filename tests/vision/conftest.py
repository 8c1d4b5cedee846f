import numpy as np
import pytest

from maxmargin.vision import Cascade, HaarFeatures, LBPFeatures, Stage, Tree


def some_image(rng, height, width):
    """Blobs and noise, so that windows of all scales differ."""
    coarse = rng.integers(0, 256, size=(height // 8 + 2, width // 8 + 2)).astype(float)
    fine = np.kron(coarse, np.ones((8, 8)))[:height, :width]
    return np.clip(fine + rng.normal(scale=25.0, size=fine.shape), 0, 255).astype(np.uint8)


def _tree(rng, features, depth, spread):
    """One that goes left about as often as right; of two nodes if it is deeper."""
    asked = rng.integers(0, len(features), size=depth)
    ways = ((0,), (-1,)) if depth == 1 else ((1, 0), (-2, -1))
    leaves = tuple(rng.normal(size=depth + 1))
    nodes = tuple(asked.tolist()), *ways, leaves
    if isinstance(features, LBPFeatures):
        return Tree(*nodes, codes=tuple(int.from_bytes(rng.bytes(32)) for _ in asked))
    return Tree(*nodes, threshold=tuple(spread[asked] * rng.normal(scale=0.3, size=depth)))


def random_cascade(rng, features, sizes=(3, 5, 8), depth=1):
    """Stages that pass about half of what they see."""
    windows = rng.integers(0, 256, size=(50, *features.window[::-1])).astype(np.uint8)
    spread = 2 * features.values(windows).std(axis=0)
    stages = []
    for size in sizes:
        trees = tuple(_tree(rng, features, depth, spread) for _ in range(size))
        middle = sum(np.mean(tree.leaves) for tree in trees)
        stages.append(Stage(middle - 0.3, trees))
    return Cascade(features, tuple(stages))


def families(rng):
    whole = HaarFeatures((12, 10), kinds="all")
    upright = whole[np.flatnonzero(~whole.tilted)]
    return {
        "haar": upright[rng.choice(len(upright), 40, replace=False)],
        "tilted": whole[rng.choice(np.flatnonzero(whole.tilted), 40, replace=False)],
        "lbp": LBPFeatures((12, 10)),
    }


@pytest.fixture(scope="session", params=["haar", "tilted", "lbp", "haar-2", "lbp-2"])
def cascade(request):
    """Of either family, upright and tilted, of stumps and of larger trees."""
    rng = np.random.default_rng(7)
    family, _, depth = request.param.partition("-")
    return random_cascade(rng, families(rng)[family], depth=int(depth or 1))


@pytest.fixture(scope="session")
def image():
    return some_image(np.random.default_rng(0), 61, 83)


@pytest.fixture
def opencv():
    """OpenCV, where it is installed and still has cascades: version 5 has none."""
    cv2 = pytest.importorskip("cv2")
    if not hasattr(cv2, "CascadeClassifier"):
        pytest.skip("this OpenCV has no cascades")
    return cv2

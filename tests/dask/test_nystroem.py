import dask.array as da
import numpy as np

from maxmargin.dask import LinearSVC, Nystroem
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF

X, y = load_mixture(return_X_y=True)


def test_features_are_lazy_and_a_linear_model_takes_them(client, cut_up, nothing_left):
    rows, label = cut_up(X, y, pieces=4)
    features = Nystroem(RBF(1.0), n_components=30, random_state=0)
    lifted = features.fit_transform(rows)
    assert isinstance(lifted, da.Array)
    assert lifted.shape == (len(X), 30)
    local = features.to_local()
    assert np.array_equal(lifted.compute(), local.transform(X))
    model = LinearSVC().fit(lifted, label)
    assert model.score(local.transform(X), y) > 0.8


def test_landmarks_are_rows_and_the_same_for_the_same_seed(client, cut_up):
    rows, _ = cut_up(X, y, pieces=3)
    one, other = (Nystroem(n_components=12, random_state=3).fit(rows) for _ in range(2))
    assert np.array_equal(one.components_, other.components_)
    assert {tuple(line) for line in one.components_} <= {tuple(line) for line in X}

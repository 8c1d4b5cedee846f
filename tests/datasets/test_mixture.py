import numpy as np
from sklearn.utils import Bunch

from maxmargin.datasets import load_mixture


def test_a_hundred_points_of_each_class():
    X, y = load_mixture(return_X_y=True)
    assert X.shape == (200, 2)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    np.testing.assert_array_equal(np.bincount(y), [100, 100])


def test_bunch_holds_points_truth_and_centres():
    mixture = load_mixture()
    assert isinstance(mixture, Bunch)
    assert mixture.data.shape == (200, 2)
    assert mixture.target.shape == (200,)
    assert mixture.means.shape == (20, 2)
    assert mixture.grid.shape == (6831, 2)
    assert mixture.grid_probability.shape == mixture.grid_marginal.shape == (6831,)
    assert mixture.feature_names == ["x1", "x2"]


def test_first_coordinate_of_the_grid_runs_fastest():
    mixture = load_mixture()
    x1, x2 = (column.reshape(mixture.grid_shape) for column in mixture.grid.T)
    np.testing.assert_allclose(x1, np.broadcast_to(x1[0], x1.shape), atol=1e-12)
    np.testing.assert_allclose(x2, np.broadcast_to(x2[:, :1], x2.shape), atol=1e-12)
    assert (np.diff(x1[0]) > 0).all()
    assert (np.diff(x2[:, 0]) > 0).all()


def test_grid_is_a_distribution_with_the_books_bayes_error():
    mixture = load_mixture()
    p = mixture.grid_probability
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(mixture.grid_marginal.sum(), 1, atol=1e-3)
    bayes_error = mixture.grid_marginal @ np.minimum(p, 1 - p)
    np.testing.assert_allclose(bayes_error, 0.2101, atol=5e-5)


def test_probability_is_high_at_the_centres_of_class_one():
    mixture = load_mixture()
    distances = ((mixture.grid[:, None] - mixture.means) ** 2).sum(axis=2)
    at_centres = mixture.grid_probability[distances.argmin(axis=0)]
    assert at_centres[10:].mean() > 0.6
    assert at_centres[:10].mean() < 0.4

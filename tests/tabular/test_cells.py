import numpy as np

from maxmargin.tabular.cells import cut


def rows_of(n, columns=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, columns)).astype(np.float32)


def test_cells_are_about_equal_and_hold_every_row_once():
    _, places = cut(rows_of(1000), 100)
    sizes = [len(each) for each in places]
    assert max(sizes) <= 100
    assert min(sizes) >= 50
    np.testing.assert_array_equal(np.sort(np.concatenate(places)), np.arange(1000))


def test_rows_find_the_cell_that_they_were_put_into_alone_or_together():
    X = rows_of(500)
    cells, places = cut(X, 60)
    found = cells.find(X)
    for number, rows in enumerate(places):
        assert (found[rows] == number).all()
    np.testing.assert_array_equal(np.concatenate([cells.find(X[[i]]) for i in range(500)]), found)


def test_another_rank_cuts_elsewhere():
    X = rows_of(400) * np.array([3.0, 2.0, 1.0], np.float32)
    first, second = (cut(X, 200, rank)[0].directions[0] for rank in (0, 1))
    assert abs(float(first @ second)) < 0.1


def test_ties_and_equal_rows():
    """A node whose rows are all alike cannot be cut, and one of two values is cut between them."""
    cells, places = cut(np.repeat([[0.0], [1.0]], [90, 10], axis=0).astype(np.float32), 20)
    assert sorted(len(each) for each in places) == [10, 90]
    assert len(np.unique(cells.find(np.array([[0.0], [1.0]], np.float32)))) == 2
    cells, places = cut(np.ones((50, 2), np.float32), 20)
    assert [len(each) for each in places] == [50]
    assert cells.find(np.zeros((3, 2), np.float32)).tolist() == [0, 0, 0]

import numpy as np
import pytest

from maxmargin.ops.pieces import SIZE, Pieces
from maxmargin.ops.threads import Workers


@pytest.mark.parametrize("rows", [0, 1, SIZE - 1, SIZE, SIZE + 1, 10 * SIZE + 3])
def test_every_row_is_in_one_piece(rows):
    seen = np.zeros(rows, int)

    def mark(first, stop):
        seen[first:stop] += 1

    Pieces(rows).each(mark)
    assert (seen == 1).all()


def test_sums_have_the_same_bits_for_any_number_of_threads():
    values = np.random.default_rng(0).normal(size=20 * SIZE + 7)

    def of_piece(first, stop):
        return float(values[first:stop].sum()), float(stop - first)

    alone = Pieces(len(values)).sum(of_piece)
    assert alone == (pytest.approx(values.sum()), len(values))
    for threads in (1, 2, 5):
        with Workers(threads) as workers:
            assert Pieces(len(values), workers).sum(of_piece) == alone


def test_an_error_in_a_piece_is_raised():
    def fail(first, _stop):
        if first == SIZE:
            raise RuntimeError("the second")

    with Workers(2) as workers, pytest.raises(RuntimeError, match="the second"):
        Pieces(6 * SIZE, workers).each(fail)

import pytest

from maxmargin.course.dimension import check_columns, dimension_facts


def test_distances_become_alike_as_columns_are_added():
    few, many = dimension_facts([2, 50], n_rows=200, n_queries=20, random_state=0)
    assert few.nearest_over_farthest < many.nearest_over_farthest
    assert few.shell < many.shell
    assert few.edge < many.edge


@pytest.mark.parametrize("wrong", [[], [0], [2.5]])
def test_impossible_numbers_of_columns_are_refused(wrong):
    with pytest.raises(ValueError, match="n_columns"):
        check_columns("dimension_facts", wrong)

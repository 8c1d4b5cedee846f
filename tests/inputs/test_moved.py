import pytest

from maxmargin import course, evaluation, kernels, neighbors, plots
from maxmargin.course import plots as pictures


@pytest.mark.parametrize("name", course.__all__)
def test_a_name_of_the_course_is_that_of_the_room_it_explains(name):
    rooms = [room for room in (evaluation, kernels, neighbors) if name in room.__all__]
    assert [getattr(room, name) is getattr(course, name) for room in rooms] == [True]


@pytest.mark.parametrize("name", pictures.__all__)
def test_a_picture_of_the_course_is_in_plots(name):
    assert getattr(plots, name) == getattr(pictures, name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'voronois'"):
        plots.voronois  # noqa: B018

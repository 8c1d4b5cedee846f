import pytest

from maxmargin.losses import Hinge, Logistic
from maxmargin.losses.choice import LABEL_LOSSES, NUMBER_LOSSES, named


@pytest.mark.parametrize("name", LABEL_LOSSES + NUMBER_LOSSES)
def test_a_loss_has_the_name_that_it_is_found_by(name):
    assert named(name).name == name


def test_a_loss_is_itself():
    loss = Logistic()
    assert named(loss) is loss


def test_an_unknown_name_is_an_error_that_lists_the_known_ones():
    with pytest.raises(ValueError, match=Hinge.name):
        named("hinges")

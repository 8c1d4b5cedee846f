import threading

import pytest

from maxmargin.ops.threads import side_by_side
from maxmargin.progress import Work, advance, current, muted, part
from maxmargin.progress.report import report_fit


@pytest.fixture
def seen():
    return []


@pytest.fixture
def whole(seen):
    with Work(listener=seen.append).at_work() as work:
        yield work


class Estimator:
    def fit(self):
        advance(0.5)
        return "fitted"


def test_without_a_listener_nothing_happens():
    assert current() is None
    assert not advance(0.5)
    with part(0.5):
        assert current() is None
    assert report_fit(Estimator.fit, Estimator()) == "fitted"


def test_a_share_never_falls(whole, seen):
    for share in (0.2, 0.1, 0.2, 0.7, 5.0):
        advance(share)
    assert seen == pytest.approx([0.2, 0.7, 1.0])


def test_parts_add_up_and_are_whole_at_their_end(whole, seen):
    with part(0.25):
        advance(0.5)
    with part(0.75), part(0.5):
        pass
    assert seen == pytest.approx([0.125, 0.25, 0.625, 1.0])


def test_a_part_that_fails_is_not_done(whole):
    def fail():
        with part(0.5):
            advance(0.5)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert whole.share == 0.25


def test_parts_on_several_threads_add_up(whole, seen):
    meet = threading.Barrier(2)

    def work(_piece):
        with part(0.25):
            meet.wait(10.0)
            advance(0.5)

    side_by_side(work, range(4), 2, 2)
    assert whole.share == pytest.approx(1.0)
    assert seen == sorted(seen)


def test_a_fit_inside_of_a_fit_is_not_heard(whole):
    class Outer:
        def fit(self):
            advance(0.1)
            report_fit(Estimator.fit, Estimator())
            advance(0.2)

    report_fit(Outer.fit, Outer())
    assert whole.share == 0.2


def test_a_fit_in_a_part_of_its_own_is_heard(whole):
    class Outer:
        def fit(self):
            with part(0.5):
                report_fit(Estimator.fit, Estimator())
                assert whole.share == 0.25

    report_fit(Outer.fit, Outer())
    assert whole.share == 0.5


def test_muted_work_is_not_heard(whole):
    with muted():
        advance(0.5)
        with part(0.5):
            advance(1.0)
    assert whole.share == 0.0

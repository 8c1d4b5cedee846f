import dataclasses
import math

import pytest

from maxmargin.certify import Certificate, Status


def certificate(**changes):
    values = {
        "primal": 103.412,
        "dual": 103.371,
        "kkt_violation": 9.7e-4,
        "floor": 1e-5,
        "precision": "float32",
        "status": Status.CERTIFIED,
    }
    return Certificate(**(values | changes))


def test_gap_and_relative_gap_follow_from_the_values():
    one = certificate(primal=11.0, dual=10.0)
    assert one.gap == 1
    assert one.relative_gap == 1 / 11
    assert certificate(primal=-10.0, dual=-11.0).relative_gap == 1 / 11
    assert certificate(primal=0.0, dual=0.0).relative_gap == 0


def test_prints_as_one_readable_line():
    line = str(certificate())
    assert "\n" not in line
    assert line.startswith(
        "CERTIFIED optimum of the training problem  primal 103.412  dual 103.371  gap 4"
    )
    for part in ("relative 4e-04", "KKT violation", "floor 1e-05", "float32"):
        assert part in line


def test_certified_names_what_is_optimal():
    assert "optimum of the training problem" in Status.CERTIFIED.sentence
    assert "CERTIFIED optimum of the training problem  primal" in str(certificate())
    assert "optimum" not in str(certificate(status=Status.STALLED))


def test_a_certificate_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate().status = Status.STALLED


def test_values_that_are_not_numbers_are_not_passed_off_as_zero():
    nothing = certificate(primal=math.nan, dual=math.nan, status=Status.NUMERICAL_ERROR)
    assert math.isnan(nothing.gap)
    assert math.isnan(nothing.relative_gap)


def test_statuses_are_the_closed_list_of_the_design():
    assert [status.name for status in Status] == [
        "CERTIFIED",
        "STALLED",
        "ITERATION_LIMIT",
        "TIME_LIMIT",
        "INTERRUPTED",
        "NOT_CONVEX",
        "NUMERICAL_ERROR",
    ]


@pytest.mark.parametrize("status", Status)
def test_each_status_says_one_sentence(status):
    assert status.sentence.endswith(".")
    assert status.sentence.count(". ") == 0


def test_only_a_kernels_own_status_speaks_of_kernels():
    assert [status for status in Status if "kernel" in status.sentence] == [Status.NOT_CONVEX]

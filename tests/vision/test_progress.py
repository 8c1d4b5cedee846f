import math

from maxmargin.vision.progress import CascadeProgress, with_printing


def report(seconds, left, done=False):
    return CascadeProgress(2, 20, 9, 1.0, 0.5, 1000, 0.1, seconds, left, done)


def test_times_left_do_not_jump(capsys):
    """A stage that takes ten times as long as the one before is taken note of by and by."""
    told = []
    tell = with_printing(told.append, verbose=True)
    for seconds, left in [(1.0, math.nan), (10.0, 90.0), (20.0, 80.0), (21.0, 800.0)]:
        tell(report(seconds, left))
    tell(report(22.0, 0.0, done=True))
    assert math.isnan(told[0].left)
    assert (told[1].left, told[2].left) == (90.0, 80.0)
    assert 79.0 < told[3].left <= 1.5 * 79.0 + 1.0 + 0.05 * 21.0
    assert told[4].left == 0.0
    assert "about 0 s to go" in capsys.readouterr().out

import numpy as np
import pytest

from maxmargin.vision.windows import Windows, check_window


def test_a_window_is_a_width_and_a_height():
    assert check_window((24, 20)) == (24, 20)
    for wrong in (24, (0, 20), (24.5, 20), "24x20"):
        with pytest.raises((TypeError, ValueError)):
            check_window(wrong)


def test_flat_windows_do_not_vary():
    flat, busy = np.full((6, 6), 9), np.arange(0, 180, 5).reshape(6, 6)
    windows = Windows.of(np.stack([flat, busy]))
    assert windows.size == (6, 6)
    assert windows.varied.tolist() == [False, True]

"""The picture of a mixture's weights."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import MultipleKernelSVC, plots
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF, Linear


def test_bars_are_the_weights_in_the_order_given():
    kernels = [Linear(), RBF(1.0), "rbf", RBF(0.123456789).restrict([0]) + 0.5 * RBF(10.0)]
    model = make_pipeline(StandardScaler(), MultipleKernelSVC(kernels, p=2.0))
    model.fit(*load_mixture(return_X_y=True))
    display = plots.kernel_weights(model)
    np.testing.assert_array_equal([bar.get_width() for bar in display.bars_], model[-1].weights_)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names[:3] == ["Linear()", "RBF(gamma=1.0)", "rbf"]
    assert len(names[3]) == 40
    assert "…" in names[3]
    assert names[3].endswith("RBF(gamma=10.0)")
    with pytest.raises(ValueError, match="There are 4 kernels and 1 names; give one a kernel"):
        plots.kernel_weights(model, names=["a"])
    named = plots.kernel_weights(model, names=["a", "b", "c", "d"])
    assert named.names == ["a", "b", "c", "d"]
    assert "p = 2" in display.ax_.get_xlabel()
    assert display.ax_.yaxis_inverted()

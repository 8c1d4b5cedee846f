import matplotlib.pyplot as plt
import numpy as np
import pytest

from maxmargin import SVC, node_weights, plots
from maxmargin.kernels import Graph, WeisfeilerLehman
from maxmargin.plots.graph_layout import lay_out

WATER = Graph([(0, 1), (0, 2)], ["O", "H", "H"])
RING = Graph([(i, (i + 1) % 6) for i in range(6)])


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_nodes_have_the_colour_of_their_weight_on_one_scale():
    shares = {"water": (WATER, [1.0, -0.5, -0.5]), "ring": (RING, np.full(6, 0.25))}
    display = plots.subtrees(shares)
    first, second = (ax.collections[1] for ax in display.axes_)
    assert first.get_clim() == second.get_clim() == (-1.0, 1.0)
    np.testing.assert_array_equal(first.get_array(), [1.0, -0.5, -0.5])
    assert [len(ax.collections[0].get_segments()) for ax in display.axes_] == [2, 6]
    assert {"O", "H"} <= {text.get_text() for text in display.axes_[0].texts}
    assert not {"0", "None"} & {text.get_text() for text in display.axes_[1].texts}


def test_a_model_is_drawn_on_graphs_and_says_for_whom_colours_speak():
    model = SVC(kernel=WeisfeilerLehman(1)).fit([WATER, Graph([(0, 1)], ["H", "Cl"])], ["w", "a"])
    display = plots.subtrees(model, {"water": WATER})
    np.testing.assert_array_equal(
        display.axes_[0].collections[1].get_array(), node_weights(model, WATER)
    )
    label = display.figure_.axes[-1].get_ylabel()
    assert label.endswith("below 0 for a, above for w")
    assert len(plots.subtrees(model, [WATER, WATER]).axes_) == 2


def test_it_draws_where_it_is_told():
    axes = plt.figure().subplots(1, 3)
    display = plots.subtrees({"a": (WATER, np.zeros(3))}, axes=axes)
    assert display.axes_[0] is axes[0]
    assert not axes[2].axison
    display.figure_.draw_without_rendering()


def test_distances_on_paper_are_those_of_the_graph():
    X = lay_out(WATER.adjacency)
    far = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.testing.assert_allclose(far, [[0, 1, 1], [1, 0, 2], [1, 2, 0]], atol=0.02)
    ring = lay_out(RING.adjacency)
    np.testing.assert_allclose(np.ptp(np.linalg.norm(ring, axis=1)), 0.0, atol=1e-6)
    apart = lay_out(Graph([(0, 1)], n_nodes=3).adjacency)
    assert np.linalg.norm(apart[2] - apart[:2], axis=1).min() > 1.5
    assert lay_out(Graph([], n_nodes=1).adjacency).tolist() == [[0.0, 0.0]]


def test_wrong_weights_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"'water' has 3 nodes and weights of shape \(2,\)"):
        plots.subtrees({"water": (WATER, [1.0, 2.0])})
    with pytest.raises(TypeError, match=r"list holds no weights of nodes, and subtrees are drawn"):
        plots.subtrees([WATER])

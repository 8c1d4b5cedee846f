"""Graphs are values; whatever is no graph is refused in a sentence."""

import pickle
from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from maxmargin import SVC
from maxmargin.kernels import Graph, Spectrum, WeisfeilerLehman
from maxmargin.kernels.graph import as_graphs
from maxmargin.storage.plain import NotPlainError, from_plain, to_plain

WATER = Graph([(0, 1), (0, 2)], ["O", "H", "H"], [1, 1])


class Networkx:
    """What is asked of a networkx graph."""

    def __init__(self, nodes, edges, directed=False):
        self._nodes, self._edges, self._directed = nodes, edges, directed

    @property
    def nodes(self):
        class View(dict):
            def __call__(self, data=False):
                return list(self.items())

        return View(self._nodes)

    def edges(self, data=False):
        return [(*pair, each) if data else pair for pair, each in self._edges.items()]

    def is_directed(self):
        return self._directed

    def __len__(self):
        return len(self._nodes)

    def __getitem__(self, node):
        return {other: {} for pair in self._edges if node in pair for other in {*pair} - {node}}

    def __iter__(self):
        return iter(self._nodes)


def test_a_graph_is_a_value():
    again = Graph(np.array([(2, 0), (0, 1), (1, 0)]), list("OHH"), np.ones(3), n_nodes=3)
    assert again == WATER
    assert hash(again) == hash(WATER)
    assert {WATER, again} == {WATER}
    others = [Graph([(0, 1)], list("OHH"), [1]), Graph([(0, 1), (0, 2)], list("OHH"), [1, 2])]
    assert all(each != WATER for each in [*others, Graph([(0, 1), (0, 2)]), "water"])
    again = pickle.loads(pickle.dumps(WATER))
    assert again == WATER
    assert not again.ends.flags.writeable
    with pytest.raises(FrozenInstanceError):
        WATER.n_nodes = 4
    with pytest.raises(ValueError, match="read-only"):
        WATER.ends[0] = 5


def test_its_adjacency_is_symmetric_and_has_a_loop_once():
    A = Graph([(1, 0), (1, 1), (2, 1), (1, 2)], n_nodes=4).adjacency
    expected = [[0, 1, 0, 0], [1, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(A.toarray(), expected)


def test_the_number_of_nodes_is_given_or_found():
    assert Graph([(0, 3)]).n_nodes == 4
    assert Graph([], [7, 7]).n_nodes == 2
    assert Graph([], n_nodes=3).n_nodes == 3
    assert Graph().n_nodes == Graph([], []).n_nodes == 0
    assert repr(WATER) == "Graph(3 nodes, 2 edges)"


def test_labels_are_whole_numbers_or_texts():
    assert Graph([], [1.0, 2.0]) == Graph([], np.array([1, 2], dtype=np.int8))
    assert Graph([], pd.Series(["a", "b"], index=[1, 0])).node_labels.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"edges": [(0, 3)], "node_labels": [1, 1]}, "Edge 0 joins nodes 0 and 3, and the nodes"),
        ({"edges": [(0, 1), (-1, 0)]}, "Edge 1 joins nodes -1 and 0"),
        ({"edges": [(0, 1)], "n_nodes": 0}, "the graph has no nodes"),
        ({"edges": [(0, 1, 2)]}, "Edges are pairs of node numbers"),
        ({"edges": [(0, 1), (2,)]}, "Edges are pairs of node numbers"),
        ({"edges": [(0.0, 1.0)]}, "Edges are pairs of node numbers"),
        ({"edges": ["ab"]}, "Edges are pairs of node numbers"),
        ({"edges": 7}, "Edges are pairs of node numbers"),
        ({"edges": [(0, 1)], "node_labels": [1, 2], "n_nodes": 3}, "3 nodes and 2 node labels"),
        ({"edges": [(0, 1)], "edge_labels": [1, 2]}, "1 edges and 2 edge labels"),
        ({"edges": [(0, 1), (1, 0)], "edge_labels": [1, 2]}, "is given twice, with different"),
        ({"node_labels": [1, "a"]}, "node labels of a graph are texts and whole numbers"),
        ({"node_labels": [1.0, np.nan]}, "missing or broken numbers and whole numbers"),
        ({"node_labels": [np.nan, np.nan]}, "A node label is nan; labels are names"),
        ({"node_labels": [0.5]}, "A node label is 0.5; labels are names"),
        ({"node_labels": [None]}, "A node label is None; labels are names"),
        ({"node_labels": np.array([2**63 + 1], np.uint64)}, "is 9223372036854775809, more than 64"),
        ({"n_nodes": -1}, "whole number >= 0 for n_nodes"),
        ({"n_nodes": 2**40}, "is too large"),
    ],
)
def test_what_is_no_graph_is_refused_in_a_sentence(given, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        Graph(**given)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_networkx_graphs_and_edge_lists_are_taken():
    nodes = {"o": {"label": "O", "z": 8}, "h": {"label": "H", "z": 1}, "k": {"label": "H", "z": 1}}
    edges = {("o", "h"): {"label": 1}, ("o", "k"): {"label": 1}}
    g = Networkx(nodes, edges)
    assert as_graphs([g, [(0, 1), (1, 2)]]) == [WATER, Graph([(0, 1), (1, 2)])]
    numbered = Graph.from_networkx(g, node_label="z", edge_label=None)
    assert numbered == Graph([(0, 1), (0, 2)], [8, 1, 1])
    assert Graph.from_networkx(g, "mass", "mass") == Graph([(0, 1), (0, 2)])
    with pytest.raises(ValueError, match="Item 0 is no graph: A directed graph has no kernel"):
        as_graphs([Networkx(nodes, edges, directed=True)])
    with pytest.raises(ValueError, match="2 of the 3 nodes of a graph have the attribute 'label'"):
        Graph.from_networkx(Networkx(nodes | {"o": {}}, edges))


def test_any_container_of_graphs_gives_the_same_bits():
    graphs = [WATER, Graph([(0, 1)], ["H", "H"], [1]), Graph([], [])]
    expected = WeisfeilerLehman(2)(graphs)
    objects = np.empty(3, dtype=object)
    objects[:] = graphs
    series = pd.Series(graphs, index=[2, 0, 1])
    for items in (tuple(graphs), objects, series, series.to_frame("molecule")):
        np.testing.assert_array_equal(WeisfeilerLehman(2)(items), expected)


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        (WATER, "Expected a list or an array of items, got a Graph; put the items into a list"),
        ([WATER, "water"], "Item 1 is 'water', a str; this kernel takes a list of graphs"),
        ([1, 2], "Item 0 is 1, a int; this kernel takes a list of graphs"),
        ([], "Found no items"),
        ([WATER, [(0, 1, 2)]], "Item 1 is no graph: Edges are pairs"),
        ([WATER, Graph([(0, 1)])], "Graph 1 has none as node labels and graph 0 texts"),
        ([Graph(), Graph([], [1]), Graph([], ["a"])], "Graph 2 has texts .* and graph 1 whole"),
        ([WATER, Graph([(0, 1)], list("HH"))], "Graph 1 has none as edge labels and graph 0 whole"),
        (SimpleNamespace(), "Expected a list or an array of items"),
    ],
)
def test_items_that_do_not_go_together_are_refused_in_a_sentence(items, sentence):
    with pytest.raises(ValueError, match=sentence):
        WeisfeilerLehman(1)(items)


def test_new_graphs_are_labelled_as_those_they_are_compared_with():
    with pytest.raises(ValueError, match=r"Graph 0 has whole numbers .* those compared with texts"):
        WeisfeilerLehman(1)([WATER], [Graph([], [1, 2])])


def test_one_graph_is_no_list_of_graphs():
    for graph in (Networkx({0: {}, 1: {}}, {(0, 1): {}}), Graph([(0, 1)])):
        with pytest.raises(ValueError, match="put the items into a list first"):
            WeisfeilerLehman(1)(graph)


def test_models_of_networkx_graphs_and_of_bytes_are_stored():
    edge, pair = Networkx({0: {}, 1: {}}, {(0, 1): {}}), Networkx({0: {}, 1: {}}, {})
    for kernel, items in [(WeisfeilerLehman(1), [edge, pair]), (Spectrum(1), [b"a\xff", b"b"])]:
        model = SVC(kernel=kernel).fit(items, [0, 1])
        again = from_plain(to_plain(model))
        np.testing.assert_array_equal(
            again.decision_function(items), model.decision_function(items)
        )
    with pytest.raises(NotPlainError, match="hold what no byte is"):
        from_plain({"is": "bytes", "of": "\u0100"})


def test_a_stored_graph_is_checked_before_loops_follow_it():
    plain = to_plain(WATER)
    assert from_plain(plain) == WATER
    plain["has"]["ends"] = np.array([[0, 9]])
    with pytest.raises(ValueError, match="joins nodes 0 and 9"):
        from_plain(plain)
    with pytest.raises(NotPlainError):
        from_plain(plain | {"has": plain["has"] | {"n_nodes": "3"}})

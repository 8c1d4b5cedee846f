"""Kernels of graphs: by hand, against what their definitions say, and their laws."""

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from maxmargin import SVC, SVCCV, LinearSVC, kernels, node_weights
from maxmargin.kernels import (
    Graph,
    Graphlet,
    Kernel,
    RandomWalk,
    ShortestPath,
    WeisfeilerLehman,
    check,
)
from maxmargin.kernels.graph_lexicon import Lexicon
from maxmargin.ops.engine import Engine, serving
from maxmargin.storage.plain import from_plain, to_plain

COUNTING = [
    WeisfeilerLehman(0),
    WeisfeilerLehman(3),
    WeisfeilerLehman(2, base="edge"),
    WeisfeilerLehman(1, base="shortest_path"),
    ShortestPath(),
    Graphlet(3),
    Graphlet(4),
    Graphlet(5),
]
KERNELS = [*COUNTING, RandomWalk(0.02)]
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)
TRIANGLE, PATH = Graph([(0, 1), (1, 2), (2, 0)]), Graph([(0, 1), (1, 2)])


def random_graph(rng, n, labels=3):
    """Some nodes, each pair joined with a chance of 0.4."""
    i, j = np.triu_indices(n, 1)
    there = rng.random(len(i)) < 0.4
    ends = np.column_stack([i, j])[there]
    return Graph(ends, rng.integers(0, labels, n), rng.integers(0, 2, len(ends)))


def molecules(n, seed=0, sizes=(1, 8)):
    rng = np.random.default_rng(seed)
    return [random_graph(rng, int(rng.integers(*sizes))) for _ in range(n)]


GRAPHS = [*molecules(12), Graph([], []), Graph([], [2]), Graph([(0, 0), (0, 1)], [1, 1], [0, 1])]


# What the definitions say, in so many words


def neighbours(graph, u):
    labels = graph.edge_labels if graph.edge_labels is not None else np.zeros(graph.n_edges)
    found = [(a, b, e) for (a, b), e in zip(graph.ends.tolist(), labels.tolist(), strict=True)]
    return [(b if a == u else a, e) for a, b, e in found if u in (a, b)]


def rounds(graph, h):
    """Labels of all rounds as nested tuples."""
    labels = [str(label) for label in graph.node_labels]
    yield labels
    for _ in range(h):
        around = [
            sorted((e, labels[v]) for v, e in neighbours(graph, u)) for u in range(len(labels))
        ]
        labels = [str((labels[u], around[u])) for u in range(len(labels))]
        yield labels


def distances(graph):
    """Floyd and Warshall."""
    D = np.where(graph.adjacency.toarray() > 0, 1.0, np.inf)
    np.fill_diagonal(D, 0.0)
    for k in range(len(D)):
        D = np.minimum(D, D[:, k, None] + D[k])
    return D


def nodes_of(graph, labels):
    return labels


def edges_of(graph, labels):
    label = [] if graph.edge_labels is None else graph.edge_labels.tolist()
    ends = enumerate(graph.ends.tolist())
    return [(*sorted((labels[a], labels[b])), label[place]) for place, (a, b) in ends]


def paths_of(graph, labels):
    D = distances(graph)
    pairs = [(u, v) for u, v in product(range(len(D)), repeat=2) if u != v and D[u, v] < np.inf]
    return [(labels[u], labels[v], D[u, v]) for u, v in pairs]


def common(left, right):
    return sum(a == b for a, b in product(left, right))


def weisfeiler_lehman(h, things):
    def k(G, H):
        levels = zip(rounds(G, h), rounds(H, h), strict=True)
        return sum(common(things(G, a), things(H, b)) for a, b in levels)

    return k


def walks(decay, length=60):
    """The series itself."""

    def k(G, H):
        pairs = [
            (u, v)
            for u, v in product(range(G.n_nodes), range(H.n_nodes))
            if G.node_labels[u] == H.node_labels[v]
        ]
        place = {pair: i for i, pair in enumerate(pairs)}
        W = np.zeros((len(pairs), len(pairs)))
        for u, v in pairs:
            for (a, e), (b, f) in product(neighbours(G, u), neighbours(H, v)):
                if e == f and (a, b) in place:
                    W[place[u, v], place[a, b]] = 1.0
        total, step = 0.0, np.ones(len(pairs))
        for _ in range(length):
            total, step = total + step.sum(), decay * W @ step
        return total

    return k


@pytest.mark.parametrize(
    ("kernel", "k"),
    [
        (WeisfeilerLehman(0), weisfeiler_lehman(0, nodes_of)),
        (WeisfeilerLehman(3), weisfeiler_lehman(3, nodes_of)),
        (WeisfeilerLehman(2, base="edge"), weisfeiler_lehman(2, edges_of)),
        (WeisfeilerLehman(1, base="shortest_path"), weisfeiler_lehman(1, paths_of)),
        (ShortestPath(), weisfeiler_lehman(0, paths_of)),
        (RandomWalk(0.02), walks(0.02)),
    ],
    ids=lambda each: repr(each) if isinstance(each, Kernel) else "",
)
def test_values_are_those_of_the_definition(kernel, k):
    expected = [[k(G, H) for H in GRAPHS] for G in GRAPHS]
    np.testing.assert_allclose(kernel(GRAPHS), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(GRAPHS), np.diag(expected), rtol=1e-12)


@every_kernel
def test_compiled_loops_and_their_twins_give_the_same(kernel):
    with serving(Engine("reference")):
        expected = kernel(GRAPHS)
    np.testing.assert_allclose(
        kernel(GRAPHS), expected, rtol=1e-12 * isinstance(kernel, RandomWalk)
    )


# By hand


def test_graphlets_of_graphs_with_known_numbers():
    K5 = Graph([(i, j) for j in range(5) for i in range(j)])
    C5 = Graph([(i, (i + 1) % 5) for i in range(5)])
    star = Graph([(0, i) for i in range(1, 6)])
    shapes = {k: Graphlet(k).features([K5, C5, star]).toarray() for k in (3, 4, 5)}
    assert [shapes[k].shape[1] for k in (3, 4, 5)] == [2, 6, 21]
    np.testing.assert_array_equal(shapes[3], [[0, 10], [5, 0], [10, 0]])
    assert [sorted(row[row > 0].tolist()) for row in shapes[4]] == [[5.0], [5.0], [10.0]]
    assert [sorted(row[row > 0].tolist()) for row in shapes[5]] == [[1.0], [1.0], [5.0]]
    assert len({int(np.argmax(row)) for row in shapes[4]}) == 3


def test_walks_along_one_edge_are_a_geometric_series():
    edge = Graph([(0, 1)])
    np.testing.assert_allclose(RandomWalk(0.25)([edge]), [[4 / (1 - 0.25)]], rtol=1e-14)
    np.testing.assert_array_equal(RandomWalk(0.0)([edge, TRIANGLE]), [[4.0, 6.0], [6.0, 9.0]])


def test_the_limit_of_convergence_is_known_of_large_graphs_too():
    ring = Graph([(i, (i + 1) % 450) for i in range(450)])  # of degree 2, the largest eigenvalue
    np.testing.assert_allclose(RandomWalk(0.1)([ring], [TRIANGLE]), [[450 * 3 / (1 - 0.4)]])
    with pytest.raises(ValueError, match=r"need decay < 0[.]25"):
        RandomWalk(0.2500001).prepare([ring])


def test_a_new_graph_needs_no_value_with_itself():
    edge, whole = Graph([(0, 1)]), Graph([(i, j) for i in range(5) for j in range(i)])
    np.testing.assert_allclose(RandomWalk(0.2)([edge], [whole]), [[10 / (1 - 0.2 * 4)]])
    with pytest.raises(ValueError, match=r"need decay < 0[.]0625"):
        RandomWalk(0.2).normalized()([edge], [whole])


def test_a_graph_without_nodes_has_the_value_zero_with_any():
    for kernel in KERNELS:
        K = kernel([Graph(), TRIANGLE])
        assert K[0].tolist() == [0.0, 0.0]
        assert K[1, 1] >= 0
        assert kernel.normalized()([Graph(), TRIANGLE])[0].tolist() == [0.0, 0.0]


# Laws


@st.composite
def graph(draw):
    n = draw(st.integers(0, 7))
    pairs = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max(n - 1, 0)))
    edges = draw(st.lists(pairs, max_size=12, unique_by=lambda e: tuple(sorted(e)))) if n else []
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    lines = draw(st.lists(st.integers(0, 1), min_size=len(edges), max_size=len(edges)))
    return Graph(edges, labels, lines, n)


def relabelled(graph, order):
    """The same graph with its nodes in another order."""
    place = np.argsort(order)
    ends = place[graph.ends] if graph.n_edges else []
    return Graph(ends, graph.node_labels[order], graph.edge_labels, graph.n_nodes)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(KERNELS),
    st.lists(graph(), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_laws(kernel, graphs, random):
    orders = [np.array(random.sample(range(g.n_nodes), g.n_nodes), int) for g in graphs]
    shuffled = [relabelled(g, order) for g, order in zip(graphs, orders, strict=True)]
    K = kernel(graphs)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    np.testing.assert_allclose(kernel(shuffled, graphs), K, rtol=1e-12)
    assert check(kernel, graphs)
    lengths = np.diag(kernel.normalized()(graphs))
    np.testing.assert_allclose(lengths, np.diag(K) > 0, rtol=1e-12)
    other = ShortestPath()(graphs)
    np.testing.assert_allclose((kernel + 2.0 * ShortestPath())(graphs), K + 2 * other)
    np.testing.assert_allclose((kernel * ShortestPath())(graphs), K * other)
    if kernel in COUNTING:
        phi = kernel.features(graphs)
        np.testing.assert_array_equal((phi @ phi.T).toarray(), K)


def test_more_rounds_refine_and_no_rounds_of_paths_are_the_shortest_path_kernel():
    counts = [WeisfeilerLehman(h).features().fit_transform(GRAPHS).shape[1] for h in range(4)]
    assert counts == sorted(counts)
    np.testing.assert_array_equal(
        WeisfeilerLehman(0, base="shortest_path")(GRAPHS), ShortestPath()(GRAPHS)
    )


def test_graphs_that_colours_cannot_tell_apart_are_told_apart_by_graphlets():
    hexagon = Graph([(i, (i + 1) % 6) for i in range(6)])
    triangles = Graph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    K = WeisfeilerLehman(4)([hexagon, triangles])
    assert np.ptp(K) == 0
    assert Graphlet(3)([hexagon, triangles])[0, 1] == 0


# Values, parameters, errors


@every_kernel
def test_a_kernel_is_a_value(kernel):
    twin = clone(kernel)
    assert twin == kernel
    assert hash(twin) == hash(kernel)
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert from_plain(to_plain(kernel)) == kernel
    assert eval(repr(kernel), vars(kernels)) == kernel
    assert twin.set_params(**twin.get_params()) == kernel
    assert kernel.psd is True


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: WeisfeilerLehman(-1), "whole number >= 0 for h, got -1"),
        (lambda: WeisfeilerLehman(base="tree"), "'subtree', 'edge', 'shortest_path' for base"),
        (lambda: Graphlet(6), "Graphlet takes 3, 4 or 5 for k, got 6"),
        (lambda: RandomWalk(-0.1), "needs decay >= 0"),
        (lambda: RandomWalk(0.25)([TRIANGLE]), "does not converge: these graphs need decay < 0.25"),
        (lambda: RandomWalk(0.36)([PATH], [TRIANGLE]), "these graphs need decay < 0.35355"),
    ],
)
def test_what_is_no_kernel_is_refused_in_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@every_kernel
def test_new_graphs_share_the_vocabulary(kernel):
    known, new = GRAPHS[:8], GRAPHS[8:]
    K, A = kernel(GRAPHS), kernel.prepare(known)
    B = kernel.prepare_new(new, A)
    np.testing.assert_allclose(kernel.block(B, A), K[8:, :8], rtol=1e-12)
    np.testing.assert_allclose(
        kernel.block(A[2:5], B[np.array([3, 0])]), K[2:5, [11, 8]], rtol=1e-12
    )
    np.testing.assert_allclose(kernel.diagonal(B), np.diag(K)[8:], rtol=1e-12)


def test_many_pairs_of_nodes_are_taken_in_pieces(monkeypatch):
    expected = ShortestPath()(GRAPHS)
    monkeypatch.setattr("maxmargin.kernels.weisfeiler_lehman._PATHS", 5)
    np.testing.assert_array_equal(ShortestPath()(GRAPHS), expected)


# In estimators


def to_counts(graphs):
    return Graphlet(3).features(graphs)


def bonded(n=40, seed=0):
    """Trees with two marked nodes, next to each other in every second one."""
    rng = np.random.default_rng(seed)
    graphs, y = [], np.arange(n) % 2
    for beside in y:
        size = int(rng.integers(6, 10))
        edges = [(0, 1), (1, 2), *((int(rng.integers(0, i)), i) for i in range(3, size))]
        graphs.append(Graph(edges, [2, *([2, 0] if beside else [0, 2]), *[0, 1] * 4][:size]))
    return graphs, y


@every_kernel
def test_a_machine_of_graphs_is_the_machine_of_their_matrix(kernel):
    graphs, y = bonded()
    model = SVC(kernel=kernel, C=0.1).fit(graphs[:30], y[:30])
    matrix = SVC(kernel="precomputed", C=0.1).fit(kernel(graphs[:30]), y[:30])
    assert model.certificate_.status.name == "CERTIFIED"
    expected = matrix.decision_function(kernel(graphs[30:], graphs[:30]))
    np.testing.assert_allclose(model.decision_function(graphs[30:]), expected, rtol=1e-6, atol=1e-6)
    again = from_plain(to_plain(model))
    np.testing.assert_array_equal(again.predict(graphs), model.predict(graphs))


def test_graphs_go_through_folds_searches_and_workers():
    graphs, y = bonded(60)
    kernel = WeisfeilerLehman(1).normalized()
    with parallel_config("threading"):
        one, two = (cross_val_score(SVC(kernel=kernel), graphs, y, cv=3, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    search = GridSearchCV(SVC(kernel=kernel), {"kernel__kernel__h": [0, 3], "C": [10.0]}, cv=3)
    assert search.fit(graphs, y).best_params_["kernel__kernel__h"] == 3
    ours = SVCCV([10.0], kernel=kernel, grid={"kernel__h": [0, 3]}, cv=3).fit(graphs, y)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize(("kernel", "n"), [(WeisfeilerLehman(2), 700), (RandomWalk(0.02), 40)])
def test_the_number_of_threads_changes_no_bit(kernel, n):
    graphs, y = bonded(n)
    models = [SVC(kernel=kernel, C=0.1, n_jobs=jobs).fit(graphs, y) for jobs in (1, 3)]
    np.testing.assert_array_equal(*(model.decision_function(graphs) for model in models))


@every_kernel
def test_a_fit_without_time_ends_with_an_honest_status(kernel):
    graphs, y = bonded()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = SVC(kernel=kernel, time_limit=1e-9).fit(graphs, y)
    assert model.certificate_.status.name == "TIME_LIMIT"
    assert len(model.predict(graphs)) == len(graphs)


@pytest.mark.parametrize("kernel", [Graphlet(3), Graphlet(5), RandomWalk(0.01)], ids=repr)
def test_work_that_is_cut_is_the_same_work(kernel, monkeypatch):
    graphs, _ = bonded()
    expected = kernel(graphs), kernel.diag(graphs)
    for module in ("graphlet", "random_walk"):
        monkeypatch.setattr(f"maxmargin.kernels.{module}.WORK", 20)
    np.testing.assert_array_equal(kernel(graphs), expected[0])
    np.testing.assert_array_equal(kernel.diag(graphs), expected[1])


@pytest.mark.parametrize("kernel", [Graphlet(4), RandomWalk(0.2).normalized()], ids=repr)
def test_one_large_graph_leaves_time_to_look_at_the_clock(kernel):
    star, path = [(0, i) for i in range(1, 2500)], [(i, i + 1) for i in range(1500)]
    graphs = [Graph(star if isinstance(kernel, Graphlet) else path), Graph([(0, 1)])]
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = SVC(kernel=kernel, time_limit=0.05).fit(graphs, [0, 1])
    assert model.certificate_.status.name == "TIME_LIMIT"


def test_features_serve_linear_models():
    graphs, y = bonded()
    pipeline = make_pipeline(WeisfeilerLehman(3).features(), LinearSVC(C=0.1))
    pipeline.fit(graphs[:30], y[:30])
    features, linear = pipeline[0], pipeline[-1]
    assert features.transform(graphs[30:]).shape == (10, linear.coef_.shape[1])
    assert len(set(features.get_feature_names_out())) == linear.coef_.shape[1]
    assert pipeline.score(graphs[30:], y[30:]) == 1.0
    again = from_plain(to_plain(pipeline))
    np.testing.assert_array_equal(
        again.decision_function(graphs), pipeline.decision_function(graphs)
    )
    searched = GridSearchCV(pipeline, {"kernelfeatures__kernel__h": [0, 2]}, cv=3).fit(graphs, y)
    assert searched.best_params_ == {"kernelfeatures__kernel__h": 2}
    mixed = (WeisfeilerLehman(2).normalized() + ShortestPath()).features(graphs)
    expected = (WeisfeilerLehman(2).normalized() + ShortestPath())(graphs)
    np.testing.assert_allclose((mixed @ mixed.T).toarray(), expected, rtol=1e-12)


@pytest.mark.parametrize("starts", [[0, 5], [1, 2], [0, 2, 1, 2], [0, 0, 2], []])
def test_a_stored_vocabulary_is_checked_before_loops_follow_it(starts):
    plain = to_plain(Lexicon(np.array([0, 1, 2]), np.array([7, 8])))
    assert len(from_plain(plain)) == 2
    plain["has"]["starts"] = np.array(starts, dtype=np.int64)
    with pytest.raises(ValueError, match="vocabulary do not fit together"):
        from_plain(plain)


def test_subtrees_have_names():
    water = Graph([(0, 1), (0, 2)], ["O", "H", "H"])
    names = WeisfeilerLehman(2).features().fit([water]).get_feature_names_out().tolist()
    assert names == ["O", "H", "O(H, H)", "H(O)", "O(H(O), H(O))", "H(O(H, H))"]
    labelled = Graph(water.ends, water.node_labels, ["-", "="])
    names = WeisfeilerLehman(1).features().fit([labelled]).get_feature_names_out().tolist()
    assert names == ["O", "H", "O(- H, = H)", "H(- O)", "H(= O)"]
    plain = WeisfeilerLehman(4).features().fit([PATH]).get_feature_names_out().tolist()
    assert plain[:3] == ["*", "*(*)", "*(*, *)"]
    assert max(map(len, plain)) < 50
    alone = WeisfeilerLehman(2).features().fit([Graph([], ["C"])]).get_feature_names_out()
    assert alone.tolist() == ["C", "C()", "C()()"]


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel=WeisfeilerLehman(2), C=0.1),
        SVC(kernel=WeisfeilerLehman(2).normalized()),
        make_pipeline(WeisfeilerLehman(2).features(), LinearSVC(C=0.1)),
        SVCCV([0.1, 1.0], kernel=WeisfeilerLehman(2), cv=2),
    ],
    ids=["svc", "normalized", "linear", "search"],
)
def test_the_weights_of_nodes_add_up_to_the_decision(model):
    graphs, y = bonded()
    graphs += [Graph([(0, 1)], [7, 2]), Graph([], [])]  # a label that nobody has seen
    model = clone(model).fit(graphs[:30], y[:30])
    shares = [node_weights(model, g) for g in graphs]
    assert [len(share) for share in shares] == [g.n_nodes for g in graphs]
    last = model[-1] if hasattr(model, "steps") else getattr(model, "best_estimator_", model)
    values = [share.sum() + last.intercept_[0] for share in shares]
    np.testing.assert_allclose(values, model.decision_function(graphs), atol=1e-9)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (SVC(kernel=ShortestPath()), r"Nodes have weights in models of WeisfeilerLehman\(h\), and"),
        (
            SVC(kernel=WeisfeilerLehman(1, "edge")),
            r"and this one is of WeisfeilerLehman\(h=1, base",
        ),
        (make_pipeline(FunctionTransformer(to_counts), LinearSVC()), "Pipeline is no model of gr"),
    ],
)
def test_models_without_subtrees_are_refused_in_a_sentence(model, sentence):
    graphs, y = bonded()
    with pytest.raises(TypeError, match=sentence):
        node_weights(clone(model).fit(graphs, y), graphs[0])

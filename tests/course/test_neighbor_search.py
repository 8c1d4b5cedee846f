from importlib.util import find_spec

import numpy as np
import pytest

from maxmargin import neighbors
from maxmargin.course import neighbor_search
from maxmargin.neighbors import dimension_facts, search_costs, search_costs_by_dimension

X = np.random.default_rng(0).uniform(size=(400, 3))
EXACT = ["brute", "kd_tree", "ball_tree"]


def test_exact_searches_find_all_and_trees_compare_fewer():
    costs = search_costs(X[:380], X[380:], n_neighbors=3, methods=EXACT)
    assert costs.methods == EXACT
    assert [cost.recall for cost in costs.costs] == [1.0, 1.0, 1.0]
    brute, *trees = costs.costs
    assert brute.distances == 380
    assert all(0 < tree.distances < 380 for tree in trees)
    assert all(cost.query_seconds > 0 for cost in costs.costs)


def test_whatever_is_installed_is_tried_and_the_rest_is_told():
    costs = search_costs(X[:300], X[300:], random_state=0)
    approximate = ["lsh", "hnsw"] if find_spec("faiss") else []
    assert costs.methods == [*EXACT, *approximate]
    assert ("faiss" in costs.note) == (not approximate)
    assert all(cost.recall > 0.5 for cost in costs.costs)


def test_without_faiss_the_others_are_shown_with_a_sentence(monkeypatch):
    monkeypatch.setattr(neighbor_search, "find_spec", lambda _: None)
    costs = search_costs(X[:50], X[50:60])
    assert costs.methods == EXACT
    assert str(costs).endswith("it needs faiss, pip install faiss-cpu.")
    with pytest.raises(ImportError, match="need faiss; pip install faiss-cpu"):
        search_costs(X[:50], X[50:60], methods=["brute", "lsh"])


def test_trees_stop_paying_as_columns_become_more():
    costs = search_costs_by_dimension(
        (2, 20), n_rows=600, n_queries=20, methods=EXACT, random_state=0
    )
    assert {method: costs.pays_until(method) for method in EXACT} == {
        "brute": None,
        "kd_tree": 2,
        "ball_tree": 2,
    }
    assert [cost.n_columns for cost in costs.of("kd_tree")] == [2, 20]


def test_wrong_questions_get_a_sentence():
    with pytest.raises(ValueError, match="'methods' parameter must be some of 'brute'"):
        search_costs(X, X, methods=["rtree"])
    with pytest.raises(ValueError, match="X has 2 rows of 3 columns, and 5 neighbours"):
        search_costs(X[:2], X, n_neighbors=5)


@pytest.mark.parametrize("ask", [dimension_facts, search_costs_by_dimension])
def test_no_columns_get_a_sentence(ask):
    for wrong in ([0], [-1], [2.5]):
        with pytest.raises(ValueError, match=f"'n_columns' parameter of {ask.__name__} must be"):
            ask(wrong)
    with pytest.raises(ValueError, match="must hold at least one number of columns"):
        ask([])


def test_all_rows_become_as_far_and_all_volume_lies_outside():
    facts = dimension_facts([1, 2, 10, 100], random_state=0)
    contrast = [f.nearest_over_farthest for f in facts]
    assert contrast == sorted(contrast)
    assert contrast[0] < 0.01
    assert contrast[-1] > 0.6
    assert [round(f.shell, 4) for f in facts] == [0.1, 0.19, 0.6513, 1.0]
    assert [round(f.edge, 3) for f in facts] == [0.01, 0.1, 0.631, 0.955]
    assert neighbors.DimensionFacts is type(facts[0])

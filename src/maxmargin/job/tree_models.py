"""Members of the family that are made of stumps and trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from maxmargin.bagging import BaggingClassifier
from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier, BoostingRegressor
from maxmargin.job.boosted_trees import BoostedTreesClassifier, BoostedTreesRegressor
from maxmargin.job.candidate import Candidate
from maxmargin.job.forest import ForestRegressor
from maxmargin.job.preparation import as_codes
from maxmargin.job.rounds_search import RoundsSearch
from maxmargin.job.wanted import Wanted
from maxmargin.tables import Table

ROUNDS = (50, 500)
STUMPS = 1000  # rounds of boosted stumps at most; they stop where rows put aside say so
PATIENCE = 20
RATES = (0.1, 0.3, 1.0)
TREES = 100
LEAF = 3  # rows of a quantity in a leaf at least, of randomised trees
MORE = 4.0  # times the rows for tuning rounds and rates, which few rows would have too small
MOST_ROUNDS = 400  # of boosted trees
MANY_ROUNDS = 1500  # of a longer search
TREE_BUDGET = 4000  # trees of a model of many classes, each of which has one a round
LEAST_ROUNDS = 60
STEADY_ROWS = 3000  # with so many rows one part of them is enough to choose on

Shapes = Sequence[Mapping[str, Any]]
SHAPES: Final[Shapes] = (
    {"learning_rate": 0.1, "max_leaf_nodes": 31, "min_samples_leaf": 20},
    {"learning_rate": 0.1, "max_leaf_nodes": 31, "min_samples_leaf": 5, "max_features": 0.5},
    {"learning_rate": 0.1, "max_leaf_nodes": 8, "min_samples_leaf": 20, "max_features": 0.5},
)
MORE_SHAPES: Final[Shapes] = (
    {"learning_rate": 0.05, "max_leaf_nodes": 31, "min_samples_leaf": 20, "max_features": 0.7},
    {"learning_rate": 0.05, "max_leaf_nodes": 63, "min_samples_leaf": 10, "max_features": 0.4},
    {"learning_rate": 0.05, "max_leaf_nodes": 127, "min_samples_leaf": 20, "max_features": 0.4},
    {"learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 5, "max_features": 0.4},
    {"learning_rate": 0.05, "max_leaf_nodes": 6, "min_samples_leaf": 10, "max_features": 0.7},
    {
        "learning_rate": 0.05,
        "max_leaf_nodes": 31,
        "min_samples_leaf": 5,
        "max_features": 0.3,
        "l2_regularization": 10.0,
    },
)


def _on_codes(table: Table, model: Any) -> Pipeline:
    return Pipeline([("prepare", as_codes(table)), ("model", model)])


def _outputs(table: Table) -> int:
    """Count the functions that boosting of a table's target adds up."""
    classes = len(table.schema.classes)
    return classes if classes > 2 else 1


def _adaboost(table: Table, wanted: Wanted) -> Pipeline:
    model = AdaBoostClassifier(categorical_features=table.categories, **wanted.drawn)
    return Pipeline([("model", wanted.search(model, n_estimators=ROUNDS))])


def _boosting(table: Table, wanted: Wanted) -> Pipeline:
    stumps: Any = {
        "n_estimators": max(LEAST_ROUNDS, min(STUMPS, TREE_BUDGET // _outputs(table))),
        "n_iter_no_change": PATIENCE,
        "categorical_features": table.categories,
    }
    if table.schema.task == "classification":
        model: Any = BoostingClassifier(**stumps, **wanted.drawn)
    else:
        model = BoostingRegressor(**stumps, n_jobs=wanted.n_jobs, random_state=wanted.seed)
    return Pipeline([("model", wanted.search(model, MORE, learning_rate=RATES))])


def _bagging(table: Table, wanted: Wanted) -> Pipeline:
    tree = DecisionTreeClassifier(class_weight=wanted.class_weight)
    model = BaggingClassifier(tree, TREES, n_jobs=wanted.n_jobs, random_state=wanted.seed)
    return _on_codes(table, model)


def _random_trees(table: Table, wanted: Wanted) -> Pipeline:
    options: Any = {"n_jobs": wanted.n_jobs, "random_state": wanted.seed}
    if table.schema.task == "regression":
        return _on_codes(table, ForestRegressor(TREES, min_samples_leaf=LEAF, **options))
    tree = DecisionTreeClassifier(
        splitter="random", max_features="sqrt", class_weight=wanted.class_weight
    )
    return _on_codes(table, BaggingClassifier(tree, TREES, bootstrap=False, **options))


def _boosted(table: Table, wanted: Wanted) -> Pipeline:
    return _of_shapes(table, wanted, SHAPES, MOST_ROUNDS)


def _boosted_longer(table: Table, wanted: Wanted) -> Pipeline:
    return _of_shapes(table, wanted, (*SHAPES, *MORE_SHAPES), MANY_ROUNDS)


def _of_shapes(table: Table, wanted: Wanted, shapes: Shapes, rounds: int) -> Pipeline:
    """Have shape and rounds of boosted trees chosen."""
    most = max(LEAST_ROUNDS, min(rounds, TREE_BUDGET // _outputs(table)))
    places = range(len(table.numbers), len(table.numbers) + len(table.categories))
    options: Any = {
        "max_iter": most,
        "n_jobs": wanted.n_jobs,
        "random_state": wanted.seed,
    }
    if table.schema.task == "regression":
        model: Any = BoostedTreesRegressor(tuple(places), **options)
    else:
        weight = wanted.class_weight
        model = BoostedTreesClassifier(tuple(places), class_weight=weight, **options)
    folds = 1 if len(table.target) > STEADY_ROWS else 3
    search = RoundsSearch(model, [dict(shape) for shape in shapes], wanted.folds(model), folds)
    return _on_codes(table, wanted.tuned(search, MORE))


_TITLE = "boosted trees (scikit-learn)"
_DEEPER = Candidate(
    "boosted-trees-longer",
    f"{_TITLE}, longer search",
    _boosted_longer,
    24.0,
    deepens="boosted-trees",
    ours=False,
)
TREE_CLASSIFIERS = (
    Candidate(
        "adaboost",
        "AdaBoost of stumps",
        _adaboost,
        3.0,
        compiles=("AdaBoostClassifier",),
        growth=1.1,
    ),
    Candidate(
        "boosting", "boosted stumps", _boosting, 5.0, compiles=("BoostingClassifier",), growth=1.1
    ),
    Candidate(
        "bagging", "bagged trees", _bagging, 4.0, compiles=("BaggingClassifier",), growth=1.1
    ),
    Candidate(
        "extra-trees",
        "extremely randomised trees",
        _random_trees,
        3.0,
        compiles=("BaggingClassifier",),
        ours=False,
    ),
    Candidate("boosted-trees", _TITLE, _boosted, 6.0, growth=0.8, learns=True, ours=False),
    _DEEPER,
)
TREE_REGRESSORS = (
    Candidate("boosting", "boosted stumps", _boosting, 4.0, compiles=("BoostingRegressor",)),
    Candidate("extra-trees", "extremely randomised trees", _random_trees, 3.0, ours=False),
    Candidate("boosted-trees", _TITLE, _boosted, 6.0, growth=0.8, learns=True, ours=False),
    _DEEPER,
)

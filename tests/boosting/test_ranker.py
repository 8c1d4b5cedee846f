import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeRegressor

from maxmargin.boosting import BoostingRanker, DecisionStump
from maxmargin.losses import PairwiseLogistic, Queries

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 4))
QUERY = RNG.integers(0, 12, size=240)
# Queries differ in what they are worth, which no feature tells: only within one is there an order.
Y = np.digitize(X[:, 0] + np.abs(X[:, 1]) + 0.3 * RNG.normal(size=240), [0, 1, 2]) + 10 * QUERY


@pytest.mark.parametrize(
    "learner", [None, DecisionStump(), DecisionTreeRegressor(max_depth=2)], ids=repr
)
def test_ranks_within_queries(learner):
    model = BoostingRanker(estimator=learner, n_estimators=60, learning_rate=0.3)
    model.fit(X, Y, qid=QUERY)
    assert model.score(X, Y, qid=QUERY) > 0.88
    assert (np.diff(model.train_loss_) <= 1e-12).all()
    assert model.constants_[0] == 0.0


def test_the_loss_is_that_of_the_pairs():
    model = BoostingRanker(n_estimators=5).fit(X, Y, qid=QUERY)
    queries = Queries.of(Y, QUERY)
    values = [PairwiseLogistic().calculus(z, queries)[0] for z in model.staged_predict(X)]
    np.testing.assert_allclose(model.train_loss_, np.array(values) / queries.pairs)
    np.testing.assert_allclose(list(model.staged_predict(X))[-1], model.predict(X), atol=1e-12)


def test_the_order_of_rows_and_the_names_of_queries_do_not_matter():
    shuffled = RNG.permutation(240)
    names = np.array([f"query {q}" for q in QUERY])
    a = BoostingRanker(n_estimators=10).fit(X, Y, qid=QUERY)
    b = BoostingRanker(n_estimators=10).fit(X[shuffled], Y[shuffled], qid=names[shuffled])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-10)


def test_without_queries_all_rows_are_one():
    relevance = X[:, 0] > 0.3
    model = BoostingRanker(n_estimators=10).fit(X, relevance)
    same = BoostingRanker(PairwiseLogistic(), n_estimators=10).fit(X, relevance, qid=np.ones(240))
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    auc = roc_auc_score(relevance, model.predict(X))
    assert model.score(X, relevance) == pytest.approx(auc)


def test_rows_can_be_priced_one_by_one():
    model = BoostingRanker("squared_error", n_estimators=50).fit(X, Y - 10 * QUERY, qid=QUERY)
    assert model.score(X, Y, qid=QUERY) > 0.85


def test_early_stopping_puts_whole_queries_aside():
    model = BoostingRanker(
        n_estimators=400, learning_rate=1.0, n_iter_no_change=5, validation_fraction=0.25,
        random_state=0,
    )  # fmt: skip
    model.fit(X, Y, qid=QUERY)
    assert model.n_estimators_ < 400
    assert model.validation_loss_.argmin() == model.n_estimators_ - 1


def test_ties_are_half_right():
    model = BoostingRanker(n_estimators=1).fit([[0.0], [0.0], [1.0]], [0, 1, 2])
    assert model.score([[0.0], [0.0], [1.0]], [0, 1, 2]) == pytest.approx((0.5 + 2) / 3)


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        ({"y": np.ones(240)}, "in no query do two rows differ in relevance"),
        ({"y": np.arange(240), "qid": np.arange(240)}, "in no query do two rows differ"),
        ({"y": Y, "qid": [1, 2]}, "qid must name the query of each of the 240 rows. Got 2"),
        ({"y": None}, "requires y to be passed"),
    ],
)
def test_bad_data_are_refused_in_a_sentence(fit, sentence):
    with pytest.raises(ValueError, match=sentence):
        BoostingRanker().fit(X, **fit)


def test_a_part_without_a_pair_is_refused():
    y, query = np.array([0, 1, 0, 0]), np.array([0, 0, 1, 1])
    model = BoostingRanker(n_iter_no_change=3, validation_fraction=0.5, random_state=0)
    with pytest.raises(ValueError, match="leaves no pair to learn from or to validate on"):
        model.fit(X[:4], y, qid=query)


@pytest.mark.parametrize("weight", [[0.0, 0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0]])
def test_weights_that_leave_no_pair_to_watch_are_refused(weight):
    """Rows without a weight are in no pair; their mean loss was divided by zero."""
    watched = {"X_val": X[:5], "y_val": [0, 0, 1, 2, 2], "sample_weight_val": weight}
    with pytest.raises(ValueError, match=r"no pair to watch.*sample_weight_val"):
        BoostingRanker(n_estimators=2).fit(X, Y, qid=QUERY, **watched)


def test_weights_whose_products_vanish_leave_no_pair_to_validate_on():
    weight = np.where(QUERY == 3, 1.0, 1e-200)
    model = BoostingRanker(n_iter_no_change=3, validation_fraction=0.5, random_state=0)
    with pytest.raises(ValueError, match="leaves no pair to learn from or to validate on"):
        model.fit(X, Y, qid=QUERY, sample_weight=weight)


def test_nothing_to_score():
    model = BoostingRanker(n_estimators=2).fit(X, Y, qid=QUERY)
    with pytest.raises(ValueError, match="There is no pair to judge"):
        model.score(X, np.ones(240))


def test_an_unknown_loss_is_answered_with_those_of_rankings():
    with pytest.raises(ValueError, match="must be one of 'pairwise_logistic', 'squared_error',"):
        BoostingRanker("lambdarank").fit(np.eye(3), [0, 1, 2])


def test_scores_take_weights_as_fits_do():
    model = BoostingRanker(n_estimators=5).fit(X, Y, qid=QUERY)
    weight = RNG.integers(0, 3, size=240)
    rows = np.repeat(np.arange(240), weight)
    repeated = model.score(X[rows], Y[rows], qid=QUERY[rows])
    assert model.score(X, Y, qid=QUERY, sample_weight=weight) == pytest.approx(repeated)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        model.score(X, Y, qid=QUERY, sample_weight=-np.ones(240))
    with pytest.raises(ValueError, match=r"expected .240,.: one weight a row"):
        model.score(X, Y, qid=QUERY, sample_weight=np.ones(3))

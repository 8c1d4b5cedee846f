import signal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import make_scorer, precision_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVCCV
from maxmargin.evaluation import evaluate, select
from maxmargin.evaluation.protocol import Ratio, splits
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.kernels import FromFunction

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RNG.normal(size=(60, 3)) + Y[:, None]
GROUPS = np.repeat(np.arange(20), 3)
MODELS = {"svc": SVC(gamma=0.5), "bayes": GaussianNB()}


def parted(protocol, groups=None, classify=True, y=Y):
    rows = EvaluationRows.of(X, y, groups)
    return splits(protocol, rows, classify=classify, random_state=0)


def test_scores_are_scikit_learn_s_on_the_same_splits():
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    runs = evaluate(MODELS, X, Y, protocol=folds, scoring="roc_auc")
    for name, model in MODELS.items():
        wanted = cross_val_score(model, X, Y, cv=folds, scoring="roc_auc")
        np.testing.assert_array_equal(runs[name].scores, wanted)
        assert runs[name].mean == wanted.mean()
        assert runs[name].deviation == wanted.std(ddof=1)


@pytest.mark.parametrize("protocol", [5, "kfold", "stratified", "5x2", "loo", "grouped"])
@pytest.mark.parametrize("classify", [True, False])
def test_every_protocol_judges_every_row_as_often_and_never_parts_groups(protocol, classify):
    for groups in (None, GROUPS):
        if protocol == "grouped" and groups is None:
            continue
        found = parted(protocol, groups, classify)
        counts = np.bincount(np.concatenate([other for _, other in found]), minlength=60)
        assert set(counts) == {5 if protocol == "5x2" else 1}
        for train, other in found:
            assert np.intersect1d(train, other).size == 0
            assert len(train) + len(other) == 60
            if groups is not None:
                assert np.intersect1d(groups[train], groups[other]).size == 0


def test_classes_keep_their_proportions():
    y = np.repeat([0, 1], [45, 15])
    assert {int(y[other].sum()) for _, other in parted(5, y=y)} == {3}
    (_, held), *_ = parted(Ratio.of("50/25/25"), y=y)
    assert y[held].sum() == 5


def test_splits_repeat_with_the_seed_and_not_without():
    first, again = parted(5), parted(5)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one[1], other[1])
    rows = EvaluationRows.of(X, Y)
    other = splits(5, rows, classify=True, random_state=1)
    assert any(set(a[1]) != set(b[1]) for a, b in zip(first, other, strict=True))


CONTAINERS = {
    "array": lambda X: X,
    "list": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abc"), index=np.arange(60)[::-1]),
    "polars": lambda X: pl.DataFrame(X, schema=list("abc")),
    "sparse": sparse.csr_matrix,
}
LABELS = {
    "pandas": lambda y: pd.Series(y, index=np.arange(60)[::-1] + 7),
    "polars": pl.Series,
    "list": lambda y: y.tolist(),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_rows_of_any_container_are_taken_by_position(name):
    model = {"svc": SVC(gamma=0.5)}
    wanted = select(model, X, Y, 3, random_state=0, sample_weight=1.0 + Y)
    y, weight = (LABELS.get(name, np.asarray)(each) for each in (Y, 1.0 + Y))
    found = select(model, CONTAINERS[name](X), y, 3, random_state=0, sample_weight=weight)
    opened = [each.vault.open("a comparison") for each in (found, wanted)]
    np.testing.assert_allclose(found.runs["svc"].scores, wanted.runs["svc"].scores)
    np.testing.assert_array_equal(found.vault.test_rows, wanted.vault.test_rows)
    np.testing.assert_array_equal(opened[0][1], opened[1][1])
    values = [
        each.model.decision_function(rows)
        for each, (rows, _) in zip((found, wanted), opened, strict=True)
    ]
    np.testing.assert_allclose(*values, atol=1e-12)


def test_texts_are_items_for_a_kernel_of_texts():
    texts = [("ab" if label else "cd") * (2 + i % 3) for i, label in enumerate(Y)]

    def shared(a, b):
        return float(len(set(a) & set(b)))

    run = evaluate({"texts": SVC(kernel=FromFunction(shared))}, texts, Y, protocol=3)["texts"]
    assert run.mean == 1.0


def test_a_kernel_matrix_loses_the_columns_of_the_rows_judged():
    usual = select({"svc": SVC(gamma=0.5)}, X, Y, 3, random_state=0)
    given = {"svc": SVC(kernel="precomputed")}
    found = select(given, rbf_kernel(X, gamma=0.5), Y, 3, random_state=0)
    np.testing.assert_allclose(found.runs["svc"].scores, usual.runs["svc"].scores)
    assert found.test().result == usual.test().result


def test_weights_reach_fits_and_scores():
    weight = np.where(np.arange(60) < 30, 1.0, 3.0)
    folds = [(np.arange(30, 60), np.arange(30)), (np.arange(40), np.arange(40, 60))]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    run = evaluate({"p": pipeline}, X, Y, protocol=folds, sample_weight=weight)["p"]
    for fold, (train, other) in zip(run.folds, folds, strict=True):
        pipeline.fit(X[train], Y[train], logisticregression__sample_weight=weight[train])
        assert fold.score == pipeline.score(X[other], Y[other], sample_weight=weight[other])
    with pytest.raises(ValueError, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        evaluate(KNeighborsClassifier(), X, Y, sample_weight=weight)


def test_regression_goes_the_same_way():
    y = X @ [1.0, 2.0, -1.0] + 0.1 * RNG.normal(size=60)
    chosen = select([LinearRegression(), DummyRegressor()], X, y, "50/25/25", random_state=0)
    assert chosen.winner == "LinearRegression"
    look = chosen.test()
    assert 0.9 < look.result.low < look.result.value


def test_what_a_search_chose_is_kept():
    search = GridSearchCV(SVC(), {"C": [0.1, 10.0]}, cv=2)
    run = evaluate({"search": search}, X, Y, protocol=2, random_state=0)["search"]
    assert all(set(fold.best_params) == {"C"} for fold in run.folds)


# progress, threads, failures, interrupts


def test_progress_is_told_and_the_number_of_jobs_changes_nothing():
    told = []
    options = {"protocol": 3, "random_state": 0, "decisions": True}
    alone = evaluate(MODELS, X, Y, callback=told.append, **options)
    assert [(each.model, each.fold, each.done, each.total) for each in told] == [
        *(("svc", k, k + 1, 6) for k in range(3)),
        *(("bayes", k, k + 4, 6) for k in range(3)),
    ]
    from joblib import parallel_config  # noqa: PLC0415

    with parallel_config(backend="threading"):
        both = evaluate(MODELS, X, Y, n_jobs=2, **options)
    for name in MODELS:
        np.testing.assert_array_equal(alone[name].scores, both[name].scores)
        for one, other in zip(alone[name].folds, both[name].folds, strict=True):
            np.testing.assert_array_equal(one.decision, other.decision)


@pytest.mark.parametrize("protocol", [3, "loo"])
def test_a_fit_that_fails_raises_or_is_reported(protocol):
    models = {"broken": SVC(C=-1.0), "svc": SVC()}
    with pytest.raises(ValueError, match="'C' parameter"):
        evaluate(models, X, Y, protocol=protocol)
    chosen = select(models, X, Y, protocol, error_score=np.nan, random_state=0)
    assert chosen.winner == "svc"
    assert "'C' parameter of SVC" in chosen.runs["broken"].failure
    with pytest.raises(ValueError, match=r"No model could be fitted on all folds \(broken: "):
        select({"broken": SVC(C=-1.0)}, X, Y, 3, error_score=np.nan)


class StopHereError(Exception):
    pass


def test_what_a_callback_raises_ends_everything():
    told = []

    def stop(done):
        told.append(done)
        raise StopHereError

    with pytest.raises(StopHereError):
        select(MODELS, X, Y, 5, callback=stop)
    assert len(told) == 1


@pytest.mark.parametrize("protocol", [5, "loo", "50/25/25"])
def test_ctrl_c_ends_everything_even_where_a_fit_was_to_keep_its_best_point(protocol):
    fits = []

    def press(progress):
        fits.append(progress)
        signal.raise_signal(signal.SIGINT)

    model = SVC(on_interrupt="keep", callback=press)
    with pytest.raises(KeyboardInterrupt):
        select({"keeps": model}, X, Y, protocol, random_state=0)
    assert len(fits) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: evaluate({}, X, Y), "No models were given"),
        (lambda: evaluate([SVC(), SVC()], X, Y), "Two models are called 'SVC'"),
        (lambda: evaluate({"a": 3}, X, Y), "'a' is no estimator but 3"),
        (lambda: evaluate(SVC(), X, Y[:-1]), "inconsistent numbers of samples"),
        (lambda: evaluate(SVC(), X, None), "y is missing"),
        (lambda: evaluate(SVC(), X, Y, protocol="grouped"), "'grouped' needs groups"),
        (lambda: evaluate(SVC(), X, Y, protocol="folds"), "protocol 'folds' is unknown"),
        (lambda: evaluate(SVC(), X, Y, protocol="80/10/10"), "puts test rows aside"),
        (lambda: evaluate(SVC(), X, Y, protocol=3.5), "protocol 3.5 is no number of folds"),
        (lambda: evaluate(SVC(), X, Y, protocol=[([0, 1], [1])]), "Fold 0 is trained and judged"),
        (lambda: evaluate([SVC(), LinearRegression()], X, Y), "is no classifier and others are"),
        (lambda: select(SVC(), X, Y, "50/50/50"), "positive and sum to 1"),
        (lambda: select(SVC(), X, Y, 3, test_size=1.0), "must be a number less than 1"),
        (lambda: select(SVC(), X, Y, 3, test_size=-0.5), "'test_size' parameter of TestVault"),
    ],
)
def test_what_makes_no_protocol_is_refused_in_a_sentence(call, said):
    with pytest.raises((ValueError, TypeError), match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_any_splitter_and_any_scorer_will_do():
    scorer = make_scorer(precision_score, zero_division=0)
    shuffled = ShuffleSplit(3, random_state=0)
    found = evaluate(MODELS, X, Y, protocol=shuffled, scoring=scorer)
    assert found["svc"].scores.shape == (3,)


def test_a_search_is_told_of_groups_alone_and_in_a_pipeline():
    search = SVCCV([1.0, 10.0], [0.1], cv=GroupKFold(3))
    runs = evaluate(
        {"alone": search, "in steps": make_pipeline(StandardScaler(), search)},
        X,
        Y,
        groups=GROUPS,
        protocol="grouped",
    )
    assert all(np.isfinite(run.scores).all() for run in runs.values())
    assert all(fold.best_params is not None for fold in runs["alone"].folds)

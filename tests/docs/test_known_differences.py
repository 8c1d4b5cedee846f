"""The differences from scikit-learn that docs/migrating.md tells of, each on both sides."""

import re
import signal
from inspect import signature
from itertools import count

import numpy as np
import pytest
from sklearn import ensemble, linear_model, multiclass, svm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.utils._param_validation import InvalidParameterError

import maxmargin
from maxmargin.certify import Status
from maxmargin.kernels import FourierFeatures
from maxmargin.ops.threads import count_threads

FLOWERS, KINDS = load_iris(return_X_y=True)
X = np.random.default_rng(0).normal(size=(120, 4))
Y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
SAME = [
    (svm.SVC, maxmargin.SVC),
    (svm.LinearSVC, maxmargin.LinearSVC),
    (ensemble.AdaBoostClassifier, maxmargin.AdaBoostClassifier),
    (multiclass.OneVsOneClassifier, maxmargin.OneVsOneClassifier),
    (multiclass.OneVsRestClassifier, maxmargin.OneVsRestClassifier),
]


def raises(kind, estimator, X, y):
    with pytest.raises(kind) as caught:
        estimator.fit(X, y)
    return str(caught.value)


@pytest.mark.parametrize(("theirs", "ours"), SAME, ids=lambda kind: kind.__module__.split(".")[0])
def test_parameters_and_defaults_are_the_same_and_additions_keyword_only(theirs, ours):
    wanted, given = parameters(theirs), parameters(ours)
    added = {name: given.pop(name) for name in given.keys() - wanted.keys()}
    assert {n: p.default for n, p in given.items()} == {n: p.default for n, p in wanted.items()}
    assert all(p.kind is p.KEYWORD_ONLY for p in added.values())


def parameters(kind):
    return dict(signature(kind).parameters)


def test_n_jobs_none_means_all_cores(monkeypatch):
    monkeypatch.setattr("maxmargin.ops.threads._cores", lambda: 7)
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert count_threads(None) == 7


def press_ctrl_c(_progress):
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_raises_and_leaves_the_model_as_it_was():
    model = maxmargin.SVC(callback=press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert not hasattr(model, "support_")


def test_ctrl_c_keeps_the_best_point_if_asked_to():
    model = maxmargin.SVC(callback=press_ctrl_c, on_interrupt="keep")
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model.fit(X, Y)
    assert model.certificate_.status is Status.INTERRUPTED


def test_a_warning_names_the_status():
    with pytest.warns(ConvergenceWarning, match="^ITERATION_LIMIT"):
        maxmargin.LinearSVC(max_iter=1).fit(FLOWERS, KINDS)


def test_unscaled_columns_are_told_of():
    rows = X * [1.0, 1.0, 1e4, 1e4]
    svm.SVC().fit(rows, Y)
    with pytest.warns(maxmargin.UnscaledColumnsWarning, match="Scale them"):
        maxmargin.SVC().fit(rows, Y)


def test_private_names_are_not_there():
    assert hasattr(svm.SVC().fit(X, Y), "_probA")
    assert not {"_probA", "unused_param"} & {*dir(maxmargin.SVC().fit(X, Y))}


def test_a_bad_parameter_is_a_value_error_and_a_type_error():
    for kind, error in ((svm.SVC, InvalidParameterError), (maxmargin.SVC, ValueError)):
        assert "'cache_size'" in raises(error, kind(cache_size=0), X, Y)
    raises(TypeError, maxmargin.SVC(cache_size=0), X, Y)


class TestSVC:
    def test_the_optimum_is_nearer_than_libsvm_comes(self):
        exact = svm.SVC(gamma=0.2, tol=1e-10).fit(X, Y).decision_function(X)
        theirs, ours = (kind(gamma=0.2).fit(X, Y) for kind in SAME[0])
        assert np.abs(ours.decision_function(X) - exact).max() < 1e-6
        assert 1e-6 < np.abs(theirs.decision_function(X) - exact).max() < 1e-2
        assert ours.certificate_.kkt_violation < 1e-9 < ours.tol

    def test_gamma_scale_counts_weights(self):
        weight = np.arange(120) % 3
        rows, labels = X.repeat(weight, axis=0), Y.repeat(weight)

        def differ(kind):
            weighted = kind(tol=1e-8).fit(X, Y, sample_weight=weight).decision_function(X)
            return np.abs(weighted - kind(tol=1e-8).fit(rows, labels).decision_function(X)).max()

        assert differ(maxmargin.SVC) < 1e-6
        assert differ(svm.SVC) > 1e-3

    def test_float32_stays(self):
        rows = X.astype(np.float32)
        assert svm.SVC().fit(rows, Y).support_vectors_.dtype == np.float64
        assert maxmargin.SVC().fit(rows, Y).support_vectors_.dtype == np.float32
        assert maxmargin.SVC().fit(rows, Y).decision_function(rows).dtype == np.float64

    def test_a_cost_above_1e10_is_taken_as_that(self):
        vast, infinite = (maxmargin.SVC(C=C).fit(X, Y) for C in (1e10, np.inf))
        np.testing.assert_array_equal(vast.dual_coef_, infinite.dual_coef_)

    def test_steps_are_counted_otherwise(self):
        assert svm.SVC().fit(X, Y).n_iter_ != maxmargin.SVC().fit(X, Y).n_iter_

    def test_shrinking_changes_nothing_where_the_cache_suffices(self):
        shrunk, whole = (maxmargin.SVC(shrinking=s).fit(X, Y).dual_coef_ for s in (True, False))
        np.testing.assert_array_equal(shrunk, whole)

    def test_verbose_prints_lines_of_ours(self, capfd):
        maxmargin.SVC(verbose=True).fit(X, Y)
        assert re.search(r"primal .* dual .* gap", capfd.readouterr().out)

    @pytest.mark.filterwarnings("ignore::FutureWarning")
    def test_probabilities_are_near_but_not_the_same(self):
        theirs, ours = (
            kind(probability=True, random_state=0).fit(X, Y).predict_proba(X)[:, 1]
            for kind in (svm.SVC, maxmargin.SVC)
        )
        assert 0.0 < np.abs(theirs - ours).mean() < 0.1

    def test_random_state_is_of_calibration_and_of_coordinate_ascent_alone(self):
        one, two = (maxmargin.SVC(random_state=s).fit(X, Y).dual_coef_ for s in (1, 2))
        np.testing.assert_array_equal(one, two)

    def test_a_kernel_that_is_none_warns(self):
        K = X @ X.T - 30.0 * np.eye(120)
        svm.SVC(kernel="precomputed", max_iter=10_000).fit(K[:20, :20], Y[:20])
        with pytest.warns(ConvergenceWarning, match="NOT_CONVEX"):
            ours = maxmargin.SVC(kernel="precomputed").fit(K[:20, :20], Y[:20])
        assert ours.certificate_.status is Status.NOT_CONVEX


class TestLinearSVC:
    def test_tol_is_a_relative_gap(self):
        for tol in (1e-2, 1e-6):
            assert maxmargin.LinearSVC(tol=tol).fit(X, Y).certificate_.relative_gap <= tol

    def test_few_steps_are_enough(self):
        with pytest.warns(ConvergenceWarning):
            svm.LinearSVC(max_iter=5, dual=True, loss="hinge").fit(FLOWERS, KINDS)
        assert maxmargin.LinearSVC(max_iter=20).fit(FLOWERS, KINDS).n_iter_ <= 20

    def test_the_default_draws_nothing(self):
        one, two = (maxmargin.LinearSVC(random_state=s).fit(X, Y).coef_ for s in (1, 2))
        np.testing.assert_array_equal(one, two)


class Improving(ClassifierMixin, BaseEstimator):
    """Gives the labels of the first list when first fitted, then those of the next."""

    _fits = count()

    def __init__(self, answers):
        self.answers = answers

    def fit(self, X, y, sample_weight):
        self.classes_ = np.unique(y)
        self.answer_ = np.array(self.answers[next(self._fits) % len(self.answers)])
        return self

    def predict(self, X):
        return self.answer_


class TestAdaBoostClassifier:
    def test_default_stump_minimises_the_error(self):
        assert maxmargin.AdaBoostClassifier().fit(X, Y).estimator_.criterion == "error"
        gini = maxmargin.AdaBoostClassifier(maxmargin.DecisionStump("gini"), n_estimators=10)
        theirs = ensemble.AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, Y)
        np.testing.assert_allclose(gini.fit(X, Y).estimator_errors_, theirs.estimator_errors_)
        np.testing.assert_allclose(gini.estimator_weights_, theirs.estimator_weights_)

    def test_a_seed_changes_nothing(self):
        one, two = (
            maxmargin.AdaBoostClassifier(random_state=s).fit(X, Y).estimator_weights_
            for s in (1, 2)
        )
        np.testing.assert_array_equal(one, two)

    def test_weights_are_as_many_as_members(self):
        theirs, ours = (kind().fit(X, X[:, 0] > 0) for kind in SAME[2])  # one split does it all
        assert (len(theirs.estimators_), len(theirs.estimator_weights_)) == (1, 50)
        assert (len(ours.estimators_), len(ours.estimator_weights_)) == (1, 1)

    def test_a_perfect_member_is_never_outvoted(self):
        y = np.array([0, 0, 1, 1])
        theirs, ours = (
            kind(Improving([[0, 0, 1, 0], y])).fit(np.arange(4)[:, None], y) for kind in SAME[2]
        )
        assert theirs.estimator_weights_[1] == 1.0 < theirs.estimator_weights_[0]
        assert ours.estimator_weights_[1] > ours.estimator_weights_[0]

    def test_missing_values_are_taken(self):
        holes = np.where(np.abs(X) < 0.1, np.nan, X)
        assert "NaN" in raises(ValueError, ensemble.AdaBoostClassifier(), holes, Y)
        assert maxmargin.AdaBoostClassifier().fit(holes, Y).score(holes, Y) > 0.8

    def test_one_class_is_refused(self):
        constant = np.zeros(120)
        assert ensemble.AdaBoostClassifier().fit(X, constant).score(X, constant) == 1.0
        assert "classes" in raises(ValueError, maxmargin.AdaBoostClassifier(), X, constant)


class TestTheOthers:
    def test_one_class_against_no_rest_is_refused(self):
        with pytest.warns(UserWarning, match="present in all"):
            multiclass.OneVsRestClassifier(svm.LinearSVC()).fit(X, 0 * Y)
        ours = maxmargin.OneVsRestClassifier(maxmargin.LinearSVC())
        assert "only one class" in raises(ValueError, ours, X, 0 * Y)

    @pytest.mark.parametrize("name", ["OneVsOneClassifier", "OneVsRestClassifier"])
    def test_no_partial_fit(self, name):
        learner = linear_model.SGDClassifier()
        assert hasattr(getattr(multiclass, name)(learner), "partial_fit")
        assert not hasattr(getattr(maxmargin, name)(learner), "partial_fit")

    def test_bags_are_of_stumps_and_of_rows_alone(self):
        bag = maxmargin.BaggingClassifier(random_state=0).fit(X, Y)
        assert isinstance(bag.estimators_[0], maxmargin.DecisionStump)
        theirs = ensemble.BaggingClassifier(random_state=0).fit(X, Y)
        missing = theirs.get_params(deep=False).keys() - bag.get_params(deep=False).keys()
        assert missing == {"max_features", "bootstrap_features"}
        assert not np.array_equal(bag.estimators_samples_[0], theirs.estimators_samples_[0])

    def test_several_classes_are_one_against_the_rest(self):
        theirs = linear_model.LogisticRegression(max_iter=1000).fit(FLOWERS, KINDS)
        ours = maxmargin.LinearClassifier("logistic").fit(FLOWERS, KINDS)
        alone = maxmargin.LinearClassifier("logistic").fit(FLOWERS, KINDS == 0)
        np.testing.assert_allclose(ours.coef_[0], alone.coef_[0], rtol=1e-3)
        assert np.abs(theirs.coef_ - ours.coef_).max() > 0.1

    def test_boosting_of_any_loss_is_of_stumps(self):
        assert ensemble.GradientBoostingClassifier().max_depth == 3
        boosted = maxmargin.BoostingClassifier(n_estimators=2).fit(X, Y)
        assert all(isinstance(m, maxmargin.RegressionStump) for m in boosted.estimators_.ravel())
        assert "subsample" not in boosted.get_params()


def test_kernel_ridge_has_a_free_intercept():
    wave = np.sin(3 * X[:, 0])
    theirs = KernelRidge(alpha=0.5, kernel="rbf", gamma=0.5)
    ours = maxmargin.KernelMachineRegressor(kernel="rbf", gamma=0.5, C=2.0)
    low, high = ours.fit(X, wave).predict(X), ours.fit(X, wave + 100.0).predict(X)
    np.testing.assert_allclose(high - low, 100.0, atol=1e-3)
    moved = theirs.fit(X, wave + 100.0).predict(X) - theirs.fit(X, wave).predict(X)
    assert abs(moved - 100.0).max() > 1.0


def test_fourier_features_are_the_same_but_for_the_default_gamma():
    assert RBFSampler().gamma == 1.0
    assert FourierFeatures().gamma == "scale"
    theirs = RBFSampler(gamma=0.5, random_state=0).fit_transform(X)
    ours = FourierFeatures(gamma=0.5, random_state=0).fit_transform(X)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)

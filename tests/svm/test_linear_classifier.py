"""LinearClassifier: logistic regression as everyone finds it, and linear models of any loss."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as Liblinear

from maxmargin import LinearClassifier, LinearSVC, Status, losses
from maxmargin.solvers import Trace

X, y = make_classification(
    200, 5, n_informative=4, n_redundant=0, class_sep=0.5, flip_y=0.1, random_state=0
)
T = np.where(y == 1, 1.0, -1.0)
ALL = ("logistic", "squared_hinge", "hinge", "exponential", "squared", "modified_huber")
SMOOTH = tuple(name for name in ALL if name != "hinge")
PROBABLE = SMOOTH
every_loss = pytest.mark.parametrize("loss", ALL)


def objective(model, labels=T, C=1.0):
    w, b = model.coef_[0], model.intercept_[0]
    size = {"l2": w @ w / 2, "l1": np.abs(w).sum(), None: 0.0}[model.penalty]
    return size + C * losses.named(model.loss).value(X @ w + b, labels).sum()


# Logistic regression


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_maximum_a_posteriori_with_a_free_intercept_is_lbfgss(C):
    ours = LinearClassifier(C=C, tol=1e-10).fit(X, y)
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-5)


@pytest.mark.parametrize("scaling", [1.0, 5.0])
def test_maximum_a_posteriori_with_a_regularised_intercept_is_liblinears(scaling):
    ours = LinearClassifier(intercept="regularized", intercept_scaling=scaling, tol=1e-10)
    theirs = LogisticRegression(
        solver="liblinear", intercept_scaling=scaling, tol=1e-10, max_iter=10_000
    )
    ours.fit(X, y)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


@pytest.mark.parametrize("solver", ["auto", "newton", "gradient_descent"])
def test_maximum_likelihood_is_everyones(solver):
    ours = LinearClassifier(penalty=None, tol=1e-9, solver=solver).fit(X, y)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    assert ours.certificate_.status is Status.CERTIFIED
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


def test_maximum_likelihood_has_the_statistics_of_the_data():
    """The score equations: expected and observed sums agree, of the labels and of each column."""
    model = LinearClassifier(penalty=None, tol=1e-10).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    assert p.sum() == pytest.approx(y.sum(), rel=1e-6)
    np.testing.assert_allclose(X.T @ p, X.T @ y, atol=1e-4)
    likelihood = np.log(np.where(y == 1, p, 1 - p)).sum()
    assert model.certificate_.primal == pytest.approx(-likelihood, rel=1e-12)


def test_maximum_likelihood_of_a_single_binary_column_is_the_logarithm_of_the_odds():
    """30 of 40 positive where x = 1 and 10 of 50 where x = 0."""
    x = np.r_[np.ones(40), np.zeros(50)][:, None]
    labels = np.r_[np.ones(30), np.zeros(10), np.ones(10), np.zeros(40)]
    model = LinearClassifier(penalty=None, tol=1e-10).fit(x, labels)
    assert model.intercept_[0] == pytest.approx(np.log(10 / 40), rel=1e-6)
    assert model.coef_[0, 0] == pytest.approx(np.log(30 / 10) - np.log(10 / 40), rel=1e-6)
    np.testing.assert_allclose(model.predict_proba([[1], [0]])[:, 1], [0.75, 0.2], rtol=1e-6)


def test_a_gaussian_prior_of_variance_c():
    """The maximum a posteriori: sum_i (p_i - y_i) x_i + w / C = 0, the intercept without prior."""
    C = 0.3
    model = LinearClassifier(C=C, tol=1e-12).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(X.T @ (p - y) + model.coef_[0] / C, 0, atol=1e-5)
    assert (p - y).sum() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("solver", ["auto", "gradient_descent"])
def test_separable_classes_have_no_maximum_likelihood_and_are_told_so(loss, solver):
    apart = X + 4 * np.outer(T, [1.0, 0, 0, 0, 0])
    with pytest.warns(ConvergenceWarning) as told:
        model = LinearClassifier(loss, penalty=None, solver=solver).fit(apart, y)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert model.certificate_.status is not Status.CERTIFIED
    assert np.isfinite(model.coef_).all()
    assert model.score(apart, y) == 1.0
    if solver == "auto":
        assert "The classes are separable" in str(told[0].message)
    assert LinearClassifier(loss).fit(apart, y).certificate_.status is Status.CERTIFIED


def test_separable_classes_cost_a_hinge_nothing():
    apart = X + 4 * np.outer(T, [1.0, 0, 0, 0, 0])
    for loss in ("hinge", "squared_hinge", "modified_huber"):
        model = LinearClassifier(loss, penalty=None).fit(apart, y)
        assert model.certificate_.status is Status.CERTIFIED
        assert model.certificate_.primal == 0.0


# The lectures' recipe


def test_one_step_down_the_gradient_by_hand():
    """From 0 all probabilities are 1/2: w = rate (sum_i t_i x_i / 2), and again from there."""
    rate = 1e-3
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        model = LinearClassifier(
            solver="gradient_descent", learning_rate=rate, max_iter=1, tol=1e-12
        ).fit(X, y)
    w, b = rate * X.T @ T / 2, rate * T.sum() / 2
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-12)
    assert model.intercept_[0] == pytest.approx(b, rel=1e-12)
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        model.set_params(max_iter=2).fit(X, y)
    p = expit(X @ w + b)
    np.testing.assert_allclose(model.coef_[0], w + rate * (X.T @ (y - p) - w), rtol=1e-12)
    assert model.intercept_[0] == pytest.approx(b + rate * (y - p).sum(), rel=1e-12)


@pytest.mark.parametrize("rate", [None, 1e-3, 5e-3])
def test_the_recipe_converges_to_the_same_optimum(rate):
    trace = Trace()
    slow = LinearClassifier(
        solver="gradient_descent", learning_rate=rate, tol=1e-8, max_iter=20_000, callback=trace
    ).fit(X, y)
    fast = LinearClassifier(tol=1e-10).fit(X, y)
    assert slow.certificate_.status is Status.CERTIFIED
    np.testing.assert_allclose(slow.coef_, fast.coef_, atol=2e-4)
    primal = np.array([line.primal for line in trace])
    assert (np.diff(primal) <= 1e-12 * primal[0]).all()


def test_a_rate_that_is_too_large_never_certifies():
    with pytest.warns(ConvergenceWarning, match=r"NUMERICAL_ERROR|STALLED|ITERATION_LIMIT"):
        model = LinearClassifier("squared", solver="gradient_descent", learning_rate=1.0).fit(X, y)
    assert model.certificate_.status is not Status.CERTIFIED
    assert np.isfinite(model.coef_).all()


# Any loss


@every_loss
@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_every_loss_is_certified_and_no_nearby_weights_are_better(loss, penalty, storage):
    model = LinearClassifier(loss, penalty=penalty, tol=1e-8).fit(storage(X), y)
    assert model.certificate_.status is Status.CERTIFIED
    least = objective(model)
    assert model.certificate_.primal == pytest.approx(least, rel=1e-9)
    rng, moved = np.random.default_rng(0), clone(model)
    for size in (1e-3, 1e-1, 1.0):
        for _ in range(20):
            moved.coef_ = model.coef_ + size * rng.normal(size=(1, 5))
            moved.intercept_ = model.intercept_ + size * rng.normal(size=1)
            assert objective(moved) >= least * (1 - 1e-7)


@pytest.mark.parametrize("loss", SMOOTH)
def test_l1_leaves_weights_out(loss):
    few, many = (LinearClassifier(loss, penalty="l1", C=C, tol=1e-6).fit(X, y) for C in (0.02, 10))
    assert np.count_nonzero(few.coef_) < np.count_nonzero(many.coef_)
    assert few.certificate_.status is many.certificate_.status is Status.CERTIFIED
    assert objective(few, C=0.02) == pytest.approx(few.certificate_.primal, rel=1e-9)


def test_l1_with_a_free_intercept_is_sagas():
    ours = LinearClassifier(penalty="l1", C=0.1, tol=1e-9).fit(X, y)
    theirs = LogisticRegression(C=0.1, l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=100_000).fit(
        X, y
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


def test_least_squares_is_the_ridge_classifiers():
    """C sum (t - f)^2 + |w|^2 / 2 is sum (t - f)^2 + alpha |w|^2 with alpha = 1 / (2 C)."""
    ours = LinearClassifier("squared", C=0.2, tol=1e-12).fit(X, y)
    theirs = RidgeClassifier(alpha=2.5).fit(X, y)
    np.testing.assert_allclose(ours.coef_[0], np.ravel(theirs.coef_), atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_hinges_are_linear_svc(loss):
    ours = LinearClassifier(loss, intercept="regularized", tol=1e-9).fit(X, y)
    same = LinearSVC(loss=loss, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.coef_, same.coef_, atol=1e-5)
    theirs = Liblinear(loss=loss, tol=1e-8, max_iter=10**7).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


@every_loss
def test_several_classes_are_each_against_the_rest(loss):
    data, labels = load_iris(return_X_y=True)
    data = StandardScaler().fit_transform(data)
    model = LinearClassifier(loss, tol=1e-8).fit(data, labels)
    assert model.coef_.shape == (3, 4)
    for number in range(3):
        one = LinearClassifier(loss, tol=1e-8).fit(data, labels == number)
        np.testing.assert_allclose(model.coef_[number], one.coef_[0], atol=1e-4)
    if loss in PROBABLE:
        p = model.predict_proba(data)
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
        assert (p >= 0).all()


@pytest.mark.parametrize("loss", PROBABLE)
def test_probabilities_are_those_whose_expected_loss_is_least(loss):
    """f minimises p L(f, 1) + (1 - p) L(f, -1), so a model that says f says p."""
    model = LinearClassifier(loss).fit(X, y)
    values, p = model.decision_function(X), model.predict_proba(X)[:, 1]
    assert ((p >= 0) & (p <= 1)).all()
    assert ((p > 0.5) == (values > 0)).all()
    inside = (np.abs(values) < 0.99) if "squared" in loss or "huber" in loss else p < 2
    phi, f, p = losses.named(loss), values[inside], p[inside]
    slope = p * phi.derivative(f, 1.0) + (1 - p) * phi.derivative(f, -1.0)
    np.testing.assert_allclose(slope, 0, atol=1e-12)


def test_the_hinge_has_no_probabilities():
    model = LinearClassifier("hinge").fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError, match="predict_proba") as caught:
        model.predict_proba(X)
    assert "says nothing about probabilities" in str(caught.value.__cause__)


# A loss of one's own


class Softplus(losses.MarginLoss):
    """The logistic loss once more, without its curvature."""

    smooth, convex, slopes = True, True, (-1.0, 0.0)

    def _value(self, m):
        return np.logaddexp(0.0, -m)

    def _derivative(self, m):
        return -expit(-m)

    def _conjugate(self, v):
        s = np.clip(-v, 0.0, 1.0)
        parts = [np.where(q > 0, q * np.log(np.where(q > 0, q, 1.0)), 0.0) for q in (s, 1 - s)]
        return np.where((v < -1) | (v > 0), np.inf, sum(parts))


class Curved(Softplus):
    """With it."""

    def _curvature(self, m):
        return expit(m) * expit(-m)


@dataclass(frozen=True)
class Smoothed(losses.Loss):
    """A hinge rounded off over a width, written as a loss of two numbers."""

    width: float = 0.5
    smooth, convex, slopes = True, True, (-1.0, 0.0)

    def value(self, z, t):
        short = np.maximum(0.0, 1 - np.multiply(z, t))
        return np.where(short < self.width, short**2 / (2 * self.width), short - self.width / 2)

    def derivative(self, z, t):
        return -t * np.clip((1 - np.multiply(z, t)) / self.width, 0.0, 1.0)

    def curvature(self, z, t):
        short = 1 - np.multiply(z, t)
        return ((short > 0) & (short < self.width)) / self.width

    def conjugate(self, u, t):
        v = np.multiply(u, t)
        return np.where((v < -1) | (v > 0), np.inf, v + self.width * v**2 / 2)


class Mute(Softplus):
    def _conjugate(self, v):
        raise NotImplementedError


class Bent(Curved):
    smooth = False


class Hollow(Curved):
    convex = False


@pytest.mark.parametrize("loss", [Softplus(), Curved()], ids=["no curvature", "curvature"])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_a_loss_of_ones_own(loss, penalty):
    """Without a curvature it is minimised by gradient descent, otherwise by Newton's method."""
    own = LinearClassifier(loss, penalty=penalty, tol=1e-8, max_iter=10_000).fit(X, y)
    known = LinearClassifier(penalty=penalty, tol=1e-8).fit(X, y)
    assert own.certificate_.status is Status.CERTIFIED
    assert own.certificate_.primal == pytest.approx(known.certificate_.primal, rel=2e-8)
    np.testing.assert_allclose(own.coef_, known.coef_, atol=1e-3)
    assert not hasattr(own, "predict_proba")
    if isinstance(loss, Curved):
        assert own.n_iter_ < 10


@pytest.mark.parametrize("solver", ["auto", "newton", "gradient_descent"])
def test_a_loss_with_a_parameter(solver):
    """The narrower it is rounded off, the nearer the hinge, and always below it."""
    hinge = LinearClassifier("hinge", tol=1e-8).fit(X, y).certificate_.primal
    found = []
    for width in (1.0, 0.3, 0.1):
        model = LinearClassifier(Smoothed(width), solver=solver, tol=1e-6, max_iter=50_000)
        found.append(model.fit(X, y).certificate_.primal)
        assert model.certificate_.status is Status.CERTIFIED
        assert 0 <= hinge - found[-1] <= len(X) * width / 2
    assert found == sorted(found)


def test_l1_with_a_loss_of_ones_own():
    own = LinearClassifier(Curved(), penalty="l1", C=0.1, tol=1e-8).fit(X, y)
    known = LinearClassifier(penalty="l1", C=0.1, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(own.coef_, known.coef_, atol=1e-4)


REFUSED = {
    "zero_one": ({"loss": "zero_one"}, "must be convex to be minimised; zero_one is not"),
    "not convex": ({"loss": Hollow()}, "must be convex to be minimised; hollow is not"),
    "a kink": ({"loss": Bent()}, "must have a derivative everywhere or be the hinge; bent"),
    "no conjugate": ({"loss": Mute()}, "must have a conjugate, of which the certificate is made"),
    "no curvature, newton": ({"loss": Softplus(), "solver": "newton"}, "cannot combine loss='soft"),
    "no curvature, l1": ({"loss": Softplus(), "penalty": "l1"}, "cannot combine loss='softplus'"),
    "l1 hinge": ({"loss": "hinge", "penalty": "l1"}, "cannot combine loss='hinge', penalty='l1'"),
    "hinge, gradients": ({"loss": "hinge", "solver": "gradient_descent"}, "cannot combine"),
    "logistic, duals": ({"solver": "dual_coordinate"}, "cannot combine loss='logistic'"),
    "free, duals": ({"loss": "hinge", "solver": "dual_coordinate"}, "intercept='free' and solver"),
    "l2, columns": ({"solver": "primal_coordinate"}, "penalty='l2'"),
    "no such loss": ({"loss": "log_loss"}, "There is no loss named 'log_loss'"),
    "a number": ({"loss": 3}, "A loss is a name or a Loss"),
    "a class": ({"loss": losses.Logistic}, "give Logistic() instead"),
    "penalty": ({"penalty": "elasticnet"}, "'penalty' parameter of LinearClassifier must be one"),
    "rate": ({"learning_rate": 0.0}, "'learning_rate' parameter of LinearClassifier must be a"),
    "solver": ({"solver": "lbfgs"}, "'solver' parameter of LinearClassifier must be one of"),
    "C": ({"C": 0}, "'C' parameter of LinearClassifier must be a number greater than 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_sentence(name):
    params, message = REFUSED[name]
    with pytest.raises((ValueError, TypeError)) as caught:
        LinearClassifier(**params).fit(X, y)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_certify_and_weights():
    weight = np.linspace(0.5, 2, len(X))
    model = LinearClassifier(tol=1e-6).fit(X, y, weight)
    assert model.certify(X, y, weight).status is Status.CERTIFIED
    assert model.certify(X, y).status is Status.STALLED
    theirs = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-5)

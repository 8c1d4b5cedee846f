"""The lectures from the hyperplane to the dual: geometry, equivalent problems, representers."""

import numpy as np
import pytest
from scipy.optimize import minimize

from maxmargin import SVC, HardMarginSVC, LinearClassifier, LinearSVC, explain_dual, separate
from maxmargin.datasets import make_overlapping, make_separable
from maxmargin.kernels import Polynomial

X, Y = make_separable(40, margin=0.7, random_state=0)


@pytest.fixture(scope="module")
def hard():
    return HardMarginSVC(tol=1e-10).fit(X, Y)


@pytest.fixture(scope="module")
def plane(hard):
    return hard.coef_[0], hard.intercept_[0]


def test_the_distance_to_a_hyperplane_is_the_value_at_a_unit_normal():
    """d(y, L) = |<u, y> + c|, taken at y - (<u, y> + c) u; no point of the plane is nearer."""
    rng = np.random.default_rng(0)
    u = rng.normal(size=3)
    u, c, y = u / np.linalg.norm(u), 0.8, rng.normal(size=3)
    distance = abs(u @ y + c)
    foot = y - (u @ y + c) * u
    assert u @ foot + c == pytest.approx(0)
    assert np.linalg.norm(y - foot) == pytest.approx(distance)
    on_plane = rng.normal(size=(500, 3))
    on_plane -= np.outer(on_plane @ u + c, u)
    assert np.linalg.norm(y - on_plane, axis=1).min() >= distance


def test_the_two_planes_are_two_over_the_norm_apart(hard, plane):
    """From any x with f(x) = -1, x + lambda w with lambda = 2 / w'w is the nearest with f = +1."""
    W, B = plane
    x = -(1 + B) * W / (W @ W) + 3.0 * np.array([-W[1], W[0]])
    opposite = x + 2 / (W @ W) * W
    np.testing.assert_allclose([x @ W + B, opposite @ W + B], [-1, 1])
    assert np.linalg.norm(opposite - x) == pytest.approx(2 / np.linalg.norm(W))
    assert np.linalg.norm(opposite - x) == pytest.approx(2 * hard.margin_)


def test_problems_one_to_three_have_one_solution(plane):
    """max d with |u| = 1, and min |w|: w = u / d, b = c / d, and |w| = 1 / d."""
    W, B = plane
    d = 1 / np.linalg.norm(W)
    u, c = d * W, d * B
    assert np.linalg.norm(u) == pytest.approx(1)
    assert (Y * (X @ u + c)).min() == pytest.approx(d)

    def smallest(angle):
        along = X @ [np.cos(angle), np.sin(angle)]
        return (along[Y > 0].min() - along[Y < 0].max()) / 2

    best = max(smallest(angle) for angle in np.linspace(0, 2 * np.pi, 20_001))
    assert best == pytest.approx(d, rel=1e-6)
    assert best <= d * (1 + 1e-9)


def test_exercise_two_the_gradients_and_the_multipliers(hard, plane):
    """With h = |w|^2: 2 w = sum over active rows of a_i Y_i X_i, so that a_i = 2 alpha_i."""
    W, B = plane
    told = explain_dual(hard, X, Y)
    a = 2 * told.alpha
    np.testing.assert_allclose(2 * W, (a * Y) @ X, rtol=1e-7)
    assert abs(a @ Y) < 1e-8 * a.sum()  # the gradient in b, which the text leaves out
    g = 1 - Y * (X @ W + B)
    assert (g[a > 0] > -1e-7).all()
    assert (a >= 0).all()


def test_what_is_orthogonal_to_all_rows_only_lengthens():
    """The representer theorem on more columns than rows: same margins, longer weights."""
    rng = np.random.default_rng(1)
    wide, labels = rng.normal(size=(12, 30)), np.arange(12) % 2
    w = HardMarginSVC(tol=1e-10).fit(wide, labels).coef_[0]
    inside = wide.T @ np.linalg.lstsq(wide.T, w)[0]
    np.testing.assert_allclose(inside, w, atol=1e-9)
    v = rng.normal(size=30)
    v -= wide.T @ np.linalg.lstsq(wide.T, v)[0]
    np.testing.assert_allclose(wide @ (w + v), wide @ w, atol=1e-9)
    assert np.linalg.norm(w + v) ** 2 == pytest.approx(w @ w + v @ v)


def test_the_theorem_lets_a_kernel_into_logistic_regression():
    """min over alpha of sum L(K alpha) + lambda alpha'K alpha has the values of min over w."""
    rows, labels = make_overlapping(25, random_state=2)
    kernel, lam = Polynomial(degree=2), 0.3
    phi, K, t = kernel.features(rows), kernel(rows), np.where(labels == 1, 1.0, -1.0)

    def penalised(alpha):
        f = K @ alpha
        slope = -t / (1 + np.exp(t * f))
        return np.logaddexp(0, -t * f).sum() + lam * alpha @ f, K @ (slope + 2 * lam * alpha)

    alpha = minimize(penalised, np.zeros(25), jac=True, options={"gtol": 1e-9}).x
    C = 1 / (2 * lam)
    model = LinearClassifier("logistic", C=C, fit_intercept=False, tol=1e-12).fit(phi, labels)
    np.testing.assert_allclose(K @ alpha, model.decision_function(phi), atol=1e-4)


def objective(w, b, lam, rows, t):
    return np.maximum(0, 1 - t * (rows @ w + b)).mean() + lam * w @ w


@pytest.mark.parametrize("lam", [1e-3, 1e-1])
def test_problems_four_to_six_are_the_penalised_form_with_another_letter(lam):
    """004's lambda is 1 / (2 n C), 002's 1 / (2 C) and 000's gamma is C."""
    rows, labels = make_overlapping(30, random_state=0)
    t, C = np.where(labels == 1, 1.0, -1.0), 1 / (2 * 30 * lam)
    model = SVC(kernel="linear", C=C, tol=1e-10).fit(rows, labels)
    w, b, rng = model.coef_[0], model.intercept_[0], np.random.default_rng(0)
    here = objective(w, b, lam, rows, t)
    assert here == pytest.approx(2 * lam * model.certificate_.primal, rel=1e-6)
    for step in 10.0 ** rng.uniform(-6, 1, size=200):
        dw, db = step * rng.normal(size=2), step * rng.normal()
        assert objective(w + dw, b + db, lam, rows, t) >= here - 1e-9
    hinge = LinearSVC(loss="hinge", intercept="free", C=C, tol=1e-9).fit(rows, labels)
    np.testing.assert_allclose(hinge.coef_[0], w, atol=1e-4)


def test_the_hard_margin_is_the_limit_of_a_small_lambda_not_of_a_large_one(plane):
    """004 says that lambda -> infinity recovers it; then w -> 0, and lambda -> 0 is right."""
    W, _ = plane
    norms = {
        lam: np.linalg.norm(SVC(kernel="linear", C=1 / (80 * lam), tol=1e-8).fit(X, Y).coef_)
        for lam in (1e-6, 1e6)
    }
    assert norms[1e-6] == pytest.approx(np.linalg.norm(W), rel=1e-5)
    assert norms[1e6] < 1e-4


def test_slack_is_the_shortfall_only_where_there_is_one():
    """004 has Y f = 1 - xi for every j; rows beyond their margin have xi = 0 and Y f > 1."""
    rows, labels = make_overlapping(40, separation=3.0, random_state=0)
    told = explain_dual(SVC(kernel="linear").fit(rows, labels), rows, labels)
    beyond = told.kind == "outside"
    assert beyond.any()
    assert not told.slack[beyond].any()
    assert (told.margin + told.slack > 1)[beyond].all()
    np.testing.assert_allclose((told.margin + told.slack)[~beyond], 1, atol=1e-6)


def test_finitely_many_points_need_not_be_separable():
    """004 says they always are; four corners crosswise are not, in a space without room."""
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert not separate(corners, [0, 0, 1, 1]).separable
    with_room = Polynomial(degree=2).features(corners)
    assert separate(with_room, [0, 0, 1, 1]).separable

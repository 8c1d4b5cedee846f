"""What every loss promises, on every loss there is, found by discovery."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import losses
from maxmargin.losses import Gamma, Loss, MarginLoss, Poisson, Tweedie, ZeroOne, named
from maxmargin.losses.probability import _PROBABILITY

METHODS = ["value", "derivative", "curvature", "conjugate"]


def subclasses(cls):
    return {cls} | {deeper for sub in cls.__subclasses__() for deeper in subclasses(sub)}


def discover():
    ours = {cls for cls in subclasses(Loss) if cls.__module__.startswith("maxmargin.")}
    return sorted(
        (cls() for cls in ours if not cls.__abstractmethods__), key=lambda loss: loss.name
    )


LOSSES = discover()
TRAINABLE = [loss for loss in LOSSES if loss != ZeroOne()]
MARGIN = [loss for loss in TRAINABLE if isinstance(loss, MarginLoss)]
every = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_trainable = pytest.mark.parametrize("loss", TRAINABLE, ids=repr)
every_margin = pytest.mark.parametrize("loss", MARGIN, ids=repr)


def targets_of(loss):
    """Targets that the loss is made for; away from the whole and half steps of its kinks."""
    if isinstance(loss, MarginLoss):
        return [-1.0, 1.0]
    if isinstance(loss, Gamma):
        return [0.4, 1.0, 3.4]
    counts = isinstance(loss, Poisson | Tweedie)
    return [0.0, 1.0, 3.4] if counts else [-1.3, 0.0, 1.0, 2.6]


def on_a_grid(loss):
    """Predictions that keep away from kinks, which lie at multiples of 0.1, with all targets."""
    return np.meshgrid(np.arange(-50, 50) / 10 + 0.037, targets_of(loss))


predictions = st.floats(-20.0, 20.0)
slopes = st.one_of(st.floats(-6.0, 6.0), st.sampled_from([-4.0, -1.0, -0.0, 0.0, 1.0, 4.0]))


def least(loss, eta):
    """The expected loss on a fine grid, and where it is least."""
    z = np.linspace(-12.0, 12.0, 24_001)
    price = eta * loss.value(z, 1.0) + (1.0 - eta) * loss.value(z, -1.0)
    return z[price.argmin()], price.min()


@every_margin
def test_the_population_minimiser_is_least_and_has_the_sign_of_the_bayes_rule(loss):
    eta = np.array([0.001, 0.02, 0.2, 0.37, 0.49, 0.51, 0.63, 0.8, 0.98, 0.999])
    found = loss.population_minimiser(eta)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(np.sign(found), np.sign(2 * eta - 1))
    for p, z, price in zip(eta, found, loss.expected(found, eta), strict=True):
        where, best = least(loss, p)
        assert price <= best + 1e-12
        assert z == pytest.approx(where, abs=1e-3)
    np.testing.assert_allclose(found, -found[::-1], atol=1e-12)


@every_margin
def test_the_search_finds_what_the_formula_says(loss):
    eta = np.array([[0.05, 0.3], [0.6, 0.99]])
    searched = MarginLoss._minimiser(loss, eta)
    np.testing.assert_allclose(searched, loss.population_minimiser(eta), atol=1e-6)


@pytest.mark.parametrize("name", _PROBABILITY)
def test_probabilities_undo_the_population_minimiser(name):
    eta = np.linspace(0.0, 1.0, 41)
    values = named(name).population_minimiser(eta)
    np.testing.assert_allclose(_PROBABILITY[name](values), eta, atol=1e-12)


def test_what_is_sure_is_predicted_as_far_as_the_loss_goes():
    sure = [0.0, 1.0]
    assert named("hinge").population_minimiser(sure).tolist() == [-1.0, 1.0]
    assert named("logistic").population_minimiser(sure).tolist() == [-np.inf, np.inf]
    assert named("logistic").expected([-np.inf, np.inf], sure).tolist() == [0.0, 0.0]
    assert ZeroOne().population_minimiser([0.2, 0.5, 0.7]).tolist() == [-1.0, -1.0, 1.0]
    with pytest.raises(ValueError, match=r"eta must hold probabilities, from 0 to 1. Got 1.5"):
        named("hinge").population_minimiser([0.5, 1.5])


def test_every_loss_is_public_and_named():
    assert len(LOSSES) >= 12
    for loss in LOSSES:
        assert getattr(losses, type(loss).__name__) is type(loss)
        assert named(loss.name) == loss


@every
def test_losses_are_values(loss):
    twin = type(loss)()
    assert twin == loss
    assert hash(twin) == hash(loss)
    assert pickle.loads(pickle.dumps(loss)) == loss
    assert eval(repr(loss), vars(losses)) == loss
    assert [other for other in LOSSES if other == loss] == [loss]
    with pytest.raises(FrozenInstanceError):
        loss.scale = 2.0


@every_trainable
def test_derivative_is_the_limit_of_differences(loss):
    (Z, T), h = on_a_grid(loss), 1e-6
    expected = (loss.value(Z + h, T) - loss.value(Z - h, T)) / (2 * h)
    np.testing.assert_allclose(loss.derivative(Z, T), expected, rtol=1e-7, atol=1e-7)


@every_trainable
def test_curvature_is_the_limit_of_differences_of_the_derivative(loss):
    (Z, T), h = on_a_grid(loss), 1e-6
    expected = (loss.derivative(Z + h, T) - loss.derivative(Z - h, T)) / (2 * h)
    np.testing.assert_allclose(loss.curvature(Z, T), expected, rtol=1e-7, atol=1e-7)
    assert (loss.curvature(Z, T) >= 0).all() or not loss.convex


@every_trainable
def test_what_is_said_to_be_smooth_has_no_kink(loss):
    h, z = 1e-7, np.arange(-50, 51) / 10
    jump = np.abs(loss.derivative(z + h, 1.0) - loss.derivative(z - h, 1.0))
    assert (jump <= 1e-4).all() == loss.smooth


@every_trainable
@given(a=predictions, b=predictions, data=st.data())
def test_the_derivative_supports_the_loss_from_below(loss, a, b, data):
    t = data.draw(st.sampled_from(targets_of(loss)))
    assert loss.convex
    line = loss.value(a, t) + loss.derivative(a, t) * (b - a)
    size = abs(loss.value(a, t)) + abs(loss.derivative(a, t)) * (abs(a) + abs(b))
    assert loss.value(b, t) >= line - 1e-12 * (1 + size)


@every_trainable
@given(z=predictions, u=slopes, data=st.data())
def test_fenchel_young(loss, z, u, data):
    t = data.draw(st.sampled_from(targets_of(loss)))
    price, dual = loss.value(z, t), loss.conjugate(u, t)
    assert dual > -np.inf
    size = price + abs(u * z) + (abs(dual) if np.isfinite(dual) else 0.0)
    assert price + dual >= u * z - 1e-12 * (1 + size)


@every_trainable
@given(z=predictions, data=st.data())
def test_fenchel_young_is_tight_at_the_derivative(loss, z, data):
    t = data.draw(st.sampled_from(targets_of(loss)))
    u = loss.derivative(z, t)
    price, dual = loss.value(z, t), loss.conjugate(u, t)
    size = price + abs(dual) + abs(u * z)
    assert price + dual == pytest.approx(u * z, abs=1e-12 * (1 + size))


@every_trainable
@pytest.mark.parametrize("place", [0, 1])
def test_conjugate_is_the_supremum_on_a_grid(loss, place):
    t = targets_of(loss)[place]
    u = np.arange(-50, 51) / 10
    near = np.arange(-12_000, 12_001) / 200
    far = np.array([-1e3, 1e3])
    dual = loss.conjugate(u, t)
    finite = np.isfinite(dual)
    found = np.max(u[:, None] * near - loss.value(near, t), axis=1)
    np.testing.assert_allclose(dual[finite], found[finite], atol=5e-5)
    assert (dual[~finite] == np.inf).all()
    assert (np.max(u[~finite, None] * far - loss.value(far, t), axis=1) > 50).all()


@every_margin
@pytest.mark.parametrize("t", [-1.0, 1.0])
def test_the_conjugate_is_finite_exactly_between_the_slopes(loss, t):
    low, high = loss.slopes
    ends = [end for end in (low, high) if np.isfinite(end)]
    beyond = [np.nextafter(end, toward) for end in ends for toward in (-np.inf, np.inf)]
    v = np.concatenate([np.arange(-50, 51) / 10, [-1e6, 1e6], ends, beyond])
    np.testing.assert_array_equal(np.isfinite(loss.conjugate(t * v, t)), (low <= v) & (v <= high))


@every_margin
@given(z=st.floats(-1e3, 1e3), t=st.sampled_from([-1.0, 1.0]))
def test_derivatives_lie_between_the_slopes(loss, z, t):
    low, high = loss.slopes
    assert low <= t * loss.derivative(z, t) <= high


@every_margin
def test_far_margins_come_near_the_slopes(loss):
    np.testing.assert_allclose(
        loss.derivative([-np.inf, np.inf], 1.0), loss.slopes, rtol=0, atol=1e-15
    )


@every_margin
@given(m=st.floats(-1e3, 1e3))
def test_scaled_through_one_at_zero_it_bounds_the_zero_one_loss(loss, m):
    scaled = loss.value(m, 1.0) / loss.value(0.0, 1.0)
    assert scaled >= ZeroOne().value(m, 1.0)


@every_margin
def test_only_the_margin_counts(loss):
    Z, T = on_a_grid(loss)
    for method in ("value", "curvature", "conjugate"):
        of = getattr(loss, method)
        np.testing.assert_array_equal(of(Z, T), of(Z * T, 1.0))
    np.testing.assert_array_equal(loss.derivative(Z, T), T * loss.derivative(Z * T, 1.0))


@every_trainable
@pytest.mark.parametrize("method", METHODS)
def test_huge_margins_are_neither_warned_of_nor_undefined(loss, method):
    far = np.array([-np.inf, -1e200, -1e3, 1e3, 1e200, np.inf])
    with np.errstate(divide="raise", invalid="raise"):
        assert not np.isnan(getattr(loss, method)(far, 1.0)).any()


@every_trainable
@pytest.mark.parametrize("method", METHODS)
def test_what_is_given_stays_as_it_was(loss, method):
    z, t = on_a_grid(loss)
    z.flags.writeable = t.flags.writeable = False
    first = getattr(loss, method)(z, t)
    second = getattr(loss, method)(z, t)
    np.testing.assert_array_equal(first, second)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, z)


@every_trainable
@pytest.mark.parametrize("method", METHODS)
def test_arrays_broadcast_and_numbers_give_numbers(loss, method):
    of, (Z, T) = getattr(loss, method), on_a_grid(loss)
    z, t = Z[0], np.array(targets_of(loss))[:, None]
    assert of(z, t).shape == (len(t), len(z))
    np.testing.assert_array_equal(of(z, t), of(Z, T))
    np.testing.assert_array_equal(of(list(z), targets_of(loss)[0]), of(Z, T)[0])
    assert of(np.empty(0), 1.0).shape == (0,)
    alone = of(z[3], targets_of(loss)[1])
    assert isinstance(alone, np.float64)
    assert alone == of(Z, T)[1, 3]
    assert of(z.astype(np.float32), np.float32(1)).dtype == np.float64


@every_trainable
@pytest.mark.parametrize("method", METHODS)
def test_threads_do_not_disturb_each_other(loss, method):
    pieces = [np.linspace(-800, 800, 1000) + k for k in range(16)]
    of = getattr(loss, method)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda z: of(z, 1.0), pieces))
    np.testing.assert_array_equal(together, [of(z, 1.0) for z in pieces])


@every_trainable
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 12))
def test_the_best_shift_is_lowest(loss, seed, rows):
    """Of all shifts on a grid, and with weights; classes are mixed, so that there is a minimum."""
    rng = np.random.default_rng(seed)
    z, weight = rng.normal(size=rows + 2), rng.uniform(0.1, 2.0, size=rows + 2)
    t = np.append(rng.choice(targets_of(loss), size=rows), targets_of(loss)[:2])
    c = loss.best_shift(z, t, weight)
    total = weight @ loss.value(z + c, t)
    others = c + np.concatenate([-np.logspace(-8, 1, 40), np.logspace(-8, 1, 40)])
    assert all(total <= weight @ loss.value(z + o, t) + 1e-12 * (1 + abs(total)) for o in others)


@every_trainable
@given(seed=st.integers(0, 2**32 - 1))
def test_what_is_found_without_closed_forms_is_the_same(loss, seed):
    rng = np.random.default_rng(seed)
    z, weight = rng.normal(size=9), rng.uniform(0.1, 2.0, size=9)
    t = np.append(rng.choice(targets_of(loss), size=7), targets_of(loss)[:2])
    generic = weight @ loss.value(z + Loss.best_shift(loss, z, t, weight), t)
    own = weight @ loss.value(z + loss.best_shift(z, t, weight), t)
    assert own == pytest.approx(generic, rel=1e-9, abs=1e-9)


@every_trainable
def test_a_newton_shift_leads_towards_the_minimum(loss):
    rng = np.random.default_rng(0)
    z, weight = 0.1 * rng.normal(size=40), rng.uniform(0.5, 1.5, size=40)
    t = rng.choice(targets_of(loss), size=40)
    step = loss.newton_shift(z, t, weight)
    assert weight @ loss.value(z + 0.5 * step, t) <= weight @ loss.value(z, t)
    assert step * loss.best_shift(z, t, weight) >= 0


@every
def test_a_loss_without_a_link_predicts_what_it_is_given(loss):
    z = np.array([-1.0, 0.0, 2.0])
    expected = np.exp(z) if isinstance(loss, Poisson | Gamma | Tweedie) else z
    np.testing.assert_array_equal(loss.response(z), expected)

"""Ways to get a wrong answer quietly, each closed."""

import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info

from maxmargin import SVC, Status
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF, Precomputed
from maxmargin.ops.compiler import blas
from maxmargin.solvers.box_qp import together

X, y = load_mixture(return_X_y=True)


@pytest.mark.parametrize("kernel", [1.0 * Precomputed(), Precomputed() ** 2])
def test_algebra_on_a_matrix_is_refused(kernel):
    with pytest.raises(ValueError, match="combine the matrices yourself"):
        SVC(kernel=kernel).fit(RBF(gamma=1.0)(X), y)


def test_an_indefinite_matrix_is_found_wherever_it_is_indefinite():
    K = RBF(gamma=1.0)(X)
    settled = np.setdiff1d(np.arange(len(X)), SVC(kernel="precomputed").fit(K, y).support_)
    p, q = settled[y[settled] == 0][0], settled[y[settled] == 1][0]
    K[p, q] = K[q, p] = 60.0
    with pytest.warns(ConvergenceWarning, match="NOT_CONVEX"):
        model = SVC(kernel="precomputed").fit(K, y)
    assert model.certificate_.status is Status.NOT_CONVEX


def test_an_interrupt_ends_all_problems_of_a_fit(monkeypatch):
    data, label = make_blobs(120, centers=4, cluster_std=4.0, random_state=0)
    step = together._in_one_call

    def interrupted_step(*arguments):
        found = step(*arguments)
        signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(together, "_GROUP", 1)  # a problem each
    monkeypatch.setattr(together, "_in_one_call", interrupted_step)
    with pytest.raises(KeyboardInterrupt):
        SVC(n_jobs=1).fit(data, label)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model = SVC(n_jobs=1, on_interrupt="keep").fit(data, label)
    assert [c.status for c in model.certificates_[1:]] == [Status.INTERRUPTED] * 5
    assert model.fit_status_ == 1


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = SVC(gamma=1.0).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        model.fit(X, np.arange(len(X)) % 3, sample_weight=np.zeros(len(X)))
    np.testing.assert_array_equal(model.predict(X), before)


def test_certify_asks_for_the_weights_of_the_fit():
    model = SVC(gamma=1.0).fit(X, y, sample_weight=np.full(len(X), 2.0))
    assert model.certify(X, y, np.full(len(X), 2.0)).status is Status.CERTIFIED
    with pytest.raises(ValueError, match="sample_weight"):
        model.certify(X, y)


def test_certify_asks_for_a_label_for_every_row():
    with pytest.raises(ValueError, match=f"{len(X)} rows"):
        SVC(gamma=1.0).fit(X, y).certify(X, y[:5])


def test_fits_in_several_threads_leave_blas_as_it_was():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    usual = [library.get_num_threads() for library in blas._blas().lib_controllers]
    for library in blas._blas().lib_controllers:
        blas._set_threads(library, 2)
    before = threads()
    with ThreadPoolExecutor(4) as pool:
        fits = list(pool.map(lambda C: SVC(C=C).fit(X, y), [0.5, 1.0, 2.0, 4.0] * 3))
    assert all(model.certificate_.status is Status.CERTIFIED for model in fits)
    assert threads() == before
    assert set(before) == {2}
    for library, number in zip(blas._blas().lib_controllers, usual, strict=True):
        blas._set_threads(library, number)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.inf])
def test_a_class_weight_that_is_no_weight(weight):
    with pytest.raises(ValueError, match="class_weight must be finite and greater than 0"):
        SVC(class_weight={0: weight}).fit(X, y)


def test_a_kernel_name_from_an_array():
    assert SVC(kernel=np.str_("linear")).fit(X, y).coef_.shape == (1, 2)

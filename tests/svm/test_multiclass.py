"""What the wrappers add: one kernel matrix, threads, and errors that say where."""

import pickle
import signal
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from maxmargin import SVC, OneVsOneClassifier, OneVsRestClassifier, Status
from maxmargin.kernels import RBF, FromFunction
from maxmargin.ops.threads import count_threads
from maxmargin.solvers import Trace
from maxmargin.svm.hard_margin import HardMarginSVC, NotSeparable

WRAPPERS = [
    pytest.param(OneVsOneClassifier, id="one"),
    pytest.param(OneVsRestClassifier, id="rest"),
]
both = pytest.mark.parametrize("wrapper", WRAPPERS)


@pytest.fixture
def four():
    return make_blobs(120, centers=4, cluster_std=3.0, random_state=0)


class Counting:
    """A kernel function that counts the values it is asked for."""

    def __init__(self):
        self.values, self._lock = 0, threading.Lock()

    def __call__(self, X, Y):
        with self._lock:
            self.values += len(X) * len(Y)
        return RBF(gamma=0.1)(np.asarray(X), np.asarray(Y))

    def __deepcopy__(self, memo):
        return self  # clones count together


# one kernel matrix


@both
@pytest.mark.parametrize("psd", [True, None])
def test_every_kernel_value_is_evaluated_once(four, wrapper, psd):
    X, y = four
    counting = Counting()
    kernel = FromFunction(counting, psd=psd, batch=True)
    model = wrapper(SVC(kernel=kernel, tol=1e-8)).fit(X, y)
    assert counting.values == len(X) ** 2
    plain = wrapper(SVC(kernel=RBF(gamma=0.1), tol=1e-8)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-5)


@both
def test_a_plain_function_is_called_once_to_fit(four, wrapper):
    X, y = four
    counting = Counting()
    wrapper(SVC(kernel=counting)).fit(X, y)
    assert counting.values == len(X) ** 2


@both
def test_without_room_for_the_matrix_the_model_is_the_same(four, wrapper):
    X, y = four
    counting = Counting()
    small = wrapper(SVC(kernel=FromFunction(counting, psd=True, batch=True), cache_size=0.05))
    small.fit(X, y)
    assert counting.values > len(X) ** 2
    options = {"tol": 1e-9}
    values = [
        wrapper(SVC(cache_size=size, **options)).fit(X, y).decision_function(X)
        for size in (0.05, 200)
    ]
    np.testing.assert_allclose(*values, atol=1e-7)


@both
def test_two_classes_evaluate_only_what_they_need(wrapper):
    """One problem has nobody to share with."""
    X, y = make_blobs(3000, centers=[[-9, 0], [9, 0]], random_state=0)
    counting = Counting()
    wrapper(SVC(kernel=FromFunction(counting, psd=True, batch=True))).fit(X, y)
    assert counting.values < len(X) ** 2


@both
def test_the_matrix_is_not_kept(four, wrapper):
    model = wrapper(SVC()).fit(*four)
    assert not any("_ready" in vars(each) for each in model.estimators_)
    assert len(pickle.dumps(model)) < 120 * 120 * 8


@both
def test_items_of_any_kind(wrapper):
    words = ["aab", "aba", "abb", "cdd", "dcd", "cdc", "xyz", "yzz", "zxy"]
    labels = np.repeat(["a", "c", "x"], 3)

    def common_letters(a, b):
        return float(sum(a.count(letter) * b.count(letter) for letter in set(a)))

    model = wrapper(SVC(kernel=FromFunction(common_letters, psd=True))).fit(words, labels)
    assert model.predict(["bba", "ddc", "xxy"]).tolist() == ["a", "c", "x"]


@both
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_every_problem_has_its_certificate(four, wrapper, layout):
    X, y = four
    model = wrapper(SVC(C=2.0)).fit(layout(X), y)
    for each in model.estimators_:
        assert each.certificate_.status is Status.CERTIFIED
    if wrapper is OneVsRestClassifier:
        for c, each in enumerate(model.estimators_):
            assert each.certify(layout(X), (y == c).astype(int)).status is Status.CERTIFIED


class Spy(SVC):
    def _learn(self, training, clock):
        self.seen_ = training.X
        return super()._learn(training, clock)


def test_one_against_the_rest_copies_no_rows(four):
    X, y = four
    model = OneVsRestClassifier(Spy()).fit(X, y)
    assert all(np.shares_memory(each.seen_, X) for each in model.estimators_)


def test_single_precision_stays_single(four):
    X, y = four[0].astype(np.float32), four[1]
    for wrapper in (OneVsOneClassifier, OneVsRestClassifier):
        for each in wrapper(SVC()).fit(X, y).estimators_:
            assert each.support_vectors_.dtype == np.float32


@both
def test_a_hard_margin_has_its_matrix_in_double(four, wrapper):
    X, y = four[0].astype(np.float32), four[1]
    model = HardMarginSVC(kernel=RBF(gamma=5.0))
    for each in wrapper(model).fit(X, y).estimators_:
        assert each.certificate_.status is Status.CERTIFIED
        assert each.certificate_.precision == "float64"


@both
def test_a_solver_without_a_bias_gets_its_offset(four, wrapper):
    X, y = four
    other = wrapper(SVC(solver="coordinate_ascent", tol=1e-6)).fit(X, y)
    X, c = (X, 0) if wrapper is OneVsRestClassifier else (X[y < 2], 1)
    labels = (y == 0) if c == 0 else (y[y < 2] == 1)
    gamma = other.estimators_[0]._machine.seen.kernel.gamma
    alone = SVC(solver="coordinate_ascent", tol=1e-6, gamma=gamma)
    np.testing.assert_allclose(
        other.estimators_[0].decision_function(X),
        alone.fit(X, labels).decision_function(X),
        atol=1e-8,
    )


# threads


@both
@pytest.mark.parametrize("estimator", [SVC(), LogisticRegression()], ids=["own", "other"])
def test_the_number_of_threads_changes_no_bit(four, wrapper, estimator):
    X, y = four
    one, *others = (wrapper(estimator, n_jobs=n).fit(X, y) for n in (1, 2, 3, None, -1))
    for other in others:
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


class Threads(ClassifierMixin, BaseEstimator):
    """Counts the threads that a fit may use, and where it runs."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.threads_, self.thread_ = count_threads(None), threading.current_thread()
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


@both
def test_problems_share_the_threads(four, wrapper):
    for n_jobs, share in [(1, 1), (2, 1), (9, None), (24, None)]:
        model = wrapper(Threads(), n_jobs=n_jobs).fit(*four)
        wanted = share or n_jobs // len(model.estimators_)
        assert {each.threads_ for each in model.estimators_} == {wanted}
        alone = {each.thread_ for each in model.estimators_} == {threading.current_thread()}
        assert alone == (n_jobs == 1)


class Failing(ClassifierMixin, BaseEstimator):
    """Refuses problems whose class 1 is one of those given; the label is the first column."""

    def __init__(self, refused=(), arguments=("no such class",)):
        self.refused = refused
        self.arguments = arguments

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if X[y == 1, 0].min() in self.refused:
            raise ZeroDivisionError(*self.arguments)
        return self

    def decision_function(self, X):
        return np.zeros(len(X))


LABELS = np.repeat(["a", "b", "c", "d"], 3)
NUMBERED = np.repeat(np.arange(4.0), 3)[:, None]


@both
@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_an_error_names_its_problem_and_the_first_is_raised(wrapper, n_jobs):
    where = {OneVsOneClassifier: "'a' against class 'c'", OneVsRestClassifier: "'c' against the"}
    model = wrapper(Failing(), n_jobs=n_jobs).fit(NUMBERED, LABELS)
    before = dict(vars(model))
    model.estimator.refused = (3.0, 2.0)
    with pytest.raises(ZeroDivisionError, match=rf"^Class {where[wrapper]}.*: no such class$"):
        model.fit(NUMBERED, LABELS)
    assert vars(model) == before


@both
def test_an_error_of_several_arguments_keeps_them(wrapper):
    model = wrapper(Failing(refused=(2.0,), arguments=(1, "two")))
    with pytest.raises(ZeroDivisionError) as caught:
        model.fit(NUMBERED, LABELS)
    assert caught.value.args == (1, "two")
    assert "'c'" in caught.value.__notes__[0]


@both
def test_the_proof_of_an_error_is_kept(four, wrapper):
    with pytest.raises(NotSeparable, match=r"^Class 0 against .*: No hyperplane") as caught:
        wrapper(HardMarginSVC()).fit(*four)
    assert caught.value.witness.sum() == pytest.approx(2.0)


class CtrlC:
    """Pressed once, by whoever calls first."""

    def __init__(self):
        self._pressed, self._lock = False, threading.Lock()

    def __call__(self, *_):
        with self._lock:
            if not self._pressed:
                self._pressed = True
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def __deepcopy__(self, memo):
        return self


def pressed(ctrl_c):
    """An estimator of which the first to be fitted presses Ctrl-C."""

    class Pressed(SVC):
        def _learn(self, training, clock):
            ctrl_c()
            return super()._learn(training, clock)

    return Pressed()


@both
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("on_interrupt", ["raise", "keep"])
@pytest.mark.parametrize("how", ["in a fit", "in a step"])
def test_ctrl_c_ends_all_problems(wrapper, n_jobs, how, on_interrupt):
    """Nobody could tell that a model was made of problems of which some were cut short."""
    X, y = make_blobs(400, centers=4, cluster_std=9.0, random_state=0)
    step = SVC(C=1e4, tol=1e-9, cache_size=0.3, callback=CtrlC())
    estimator = step if how == "in a step" else pressed(CtrlC())
    model = wrapper(estimator.set_params(on_interrupt=on_interrupt), n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "estimators_")


class Interrupting(Threads):
    def __init__(self, ctrl_c):
        self.ctrl_c = ctrl_c

    def fit(self, X, y):
        self.ctrl_c()
        return super().fit(X, y)


@both
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_between_problems_of_others_is_passed_on(four, wrapper, n_jobs):
    model = wrapper(Interrupting(CtrlC()), n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*four)
    assert not hasattr(model, "estimators_")


# what every estimator does


@both
def test_clone_pickle_and_parameters(four, wrapper):
    X, y = four
    model = wrapper(SVC(C=2.0), n_jobs=2)
    assert clone(model).set_params(estimator__C=3.0).get_params()["estimator__C"] == 3.0
    assert model.estimator.C == 2.0
    again = pickle.loads(pickle.dumps(model.fit(X, y)))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert not hasattr(model.estimator, "classes_")
    assert all(each.n_jobs is None for each in model.estimators_)


@both
def test_inside_search_and_pipeline(four, wrapper):
    X, y = four
    search = GridSearchCV(wrapper(SVC()), {"estimator__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_["estimator__C"] in (0.1, 1.0)
    assert cross_val_score(make_pipeline(wrapper(SVC())), X, y, cv=3).min() > 0.3


@both
def test_a_trace_holds_one_problem_after_the_other(four, wrapper):
    trace = Trace()
    model = wrapper(SVC(callback=trace), n_jobs=2).fit(*four)
    starts = [line for line in trace if line.iterations == 0]
    assert len(starts) == len(model.estimators_)
    assert all(line.gap >= -1e-12 * line.primal for line in trace)


@both
def test_a_fit_prints_when_asked(four, wrapper, capsys):
    wrapper(SVC()).fit(*four)
    assert capsys.readouterr().out == ""
    if wrapper is OneVsRestClassifier:
        OneVsRestClassifier(SVC(), verbose=1).fit(*four)
        assert sorted(capsys.readouterr().out.splitlines()) == [
            f"Class {c} against the rest: fitted" for c in range(4)
        ]


X_BAD = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 3.0], [4.0, 4.0], [5.0, 4.0]])
Y_BAD = np.array([0, 0, 1, 1, 2, 2])


def with_nan():
    bad = X_BAD.copy()
    bad[4, 1] = np.nan
    return bad


class Undecided(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        return self


class Unweighted(Threads):
    def fit(self, X, y):
        return super().fit(X, y)


COMPLAINTS = {
    "one class": (SVC(), X_BAD, np.ones(6), {}, "only one class is present; .* class 1.0"),
    "nan": (SVC(), with_nan(), Y_BAD, {}, r"^Input X contains NaN \(row 4, column 1\)"),
    "a parameter": (SVC(C=-1.0), X_BAD, Y_BAD, {}, "'C' parameter of SVC must be"),
    "a number": (3, X_BAD, Y_BAD, {}, "must be a classifier with a fit method. Got 3 instead"),
    "a class": (SVC, X_BAD, Y_BAD, {}, "must be a classifier with a fit method"),
    "no decision": (Undecided(), X_BAD, Y_BAD, {}, "have a decision_function or a predict_proba"),
    "continuous": (SVC(), X_BAD, Y_BAD + 0.5, {}, "Unknown label type"),
    "no label": (SVC(), X_BAD, [0, 0, 1, 1, 2, np.nan], {}, "Input y contains NaN"),
    "fewer labels": (SVC(), X_BAD, Y_BAD[:5], {}, "inconsistent numbers of samples"),
    "nan, another's": (LogisticRegression(), with_nan(), Y_BAD, {}, "^Class 0 against .* NaN"),
    "no weights taken": (
        Unweighted(),
        X_BAD,
        Y_BAD,
        {"sample_weight": np.ones(6)},
        "^Unweighted.fit takes no sample_weight.$",
    ),
    "too few weights": (SVC(), X_BAD, Y_BAD, {"sample_weight": [1.0]}, "incompatible shapes"),
    "a class of no weight": (
        SVC(),
        X_BAD,
        Y_BAD,
        {"sample_weight": [1, 1, 1, 1, 0, 0]},
        "^Class (0|2) against .*: .* belong to the same class",
    ),
    "something else": (
        SVC(),
        X_BAD,
        Y_BAD,
        {"colour": "red"},
        r"hands on colour only after sklearn.set_config\(enable_metadata_routing=True\)",
    ),
}


@both
@pytest.mark.parametrize("name", COMPLAINTS)
def test_bad_input_gets_a_sentence(wrapper, name):
    estimator, X, y, params, sentence = COMPLAINTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, TypeError), match=sentence):
            wrapper(estimator).fit(X, y, **params)


@both
def test_no_threads_and_half_a_thread(wrapper):
    with pytest.raises(ValueError, match="n_jobs == 0 has no meaning"):
        wrapper(SVC(), n_jobs=0).fit(X_BAD, Y_BAD)
    with pytest.raises(TypeError, match=r"'n_jobs' parameter of One.* must be a whole number"):
        wrapper(SVC(), n_jobs=1.5).fit(X_BAD, Y_BAD)


def test_several_labels_a_row_are_for_one_against_the_rest():
    with pytest.raises(ValueError, match="y should be a 1d array"):
        OneVsOneClassifier(SVC()).fit(X_BAD, np.eye(6, dtype=int))


@both
def test_not_fitted(wrapper):
    model = wrapper(SVC())
    for method in (model.predict, model.decision_function):
        with pytest.raises(NotFittedError):
            method(X_BAD)
    assert not hasattr(model, "predict_proba")

"""Workers are killed, schedulers go and fits are stopped: for real."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import distributed
import numpy as np
import pytest
from distributed import Client, LocalCluster

from maxmargin.boosting import Stop
from maxmargin.dask import SVC, AdaBoostClassifier, BoostingClassifier, LinearSVC
from maxmargin.dask.cluster import ClusterLost

rng = np.random.default_rng(3)
X = rng.normal(size=(3000, 4))
y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=3000) > 0).astype(int)


def rows(chunk=400):
    """Partitions that a worker can make again, from nothing that the client holds."""
    return da.from_array(X, chunks=(chunk, 4)), da.from_array(y, chunks=chunk)


@pytest.fixture
def own():
    """A cluster that a test may break."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        LocalCluster(**options, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield cluster, client


def killer(client, rounds):
    """A callback that kills a worker in these rounds."""
    calls = []

    def kill(made):
        calls.append(made)
        if len(calls) in rounds:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    return kill


BITS = {
    "ada": (AdaBoostClassifier(n_estimators=8), lambda m: m.estimator_weights_),
    "loss": (BoostingClassifier(n_estimators=6), lambda m: m.train_loss_),
    "linear": (LinearSVC(loss="hinge", C=0.1, tol=1e-8), lambda m: m.coef_),
    "kernel": (SVC(C=5.0, tol=1e-5), lambda m: m.decision_function(X[:200])),
}


@pytest.mark.parametrize(
    "names",
    [
        ("ada",),
        pytest.param(("loss", "linear", "kernel"), marks=pytest.mark.sweep),
    ],
)
def test_a_worker_killed_twice_in_a_fit_changes_no_bit(own, names):
    _, client = own
    arrays = rows()
    for name in names:
        model, numbers = BITS[name]
        calm = model.set_params(client=client, callback=None).fit(*arrays)
        expected = numbers(calm).tobytes()
        disturbed = model.set_params(callback=killer(client, (2, 4))).fit(*arrays)
        assert numbers(disturbed).tobytes() == expected


def test_a_worker_that_joins_is_used_and_changes_no_bit(own, monkeypatch):
    cluster, client = own
    monkeypatch.setattr("maxmargin.dask.cluster.REGROUP", 0.0)
    expected = AdaBoostClassifier(n_estimators=6, client=client).fit(*rows())
    seen = []

    def join(made):
        if made.round == 2:
            cluster.scale(3)
            client.wait_for_workers(3)
        held = client.has_what()
        seen.append(sum(1 for keys in held.values() if any("read" in str(k) for k in keys)))

    model = AdaBoostClassifier(n_estimators=6, client=client, callback=join).fit(*rows())
    assert model.estimator_weights_.tobytes() == expected.estimator_weights_.tobytes()
    assert seen[-1] == 3


def test_without_workers_one_sentence_or_what_was_reached(own, monkeypatch):
    cluster, client = own
    monkeypatch.setattr("maxmargin.dask.cluster.PATIENCE", 1.0)

    def all_go(made):
        if made.round == 3:
            cluster.scale(0)

    kept = AdaBoostClassifier(client=client, callback=all_go, on_interrupt="keep")
    with (
        pytest.warns(RuntimeWarning, match="No worker of the cluster has answered"),
        pytest.warns(match="INTERRUPTED"),
    ):
        kept.fit(*rows())
    assert (len(kept.estimators_), kept.stop_) == (3, Stop.INTERRUPTED)
    with pytest.raises(ClusterLost, match="No worker of the cluster has answered for 1 seconds"):
        LinearSVC(client=client).fit(*rows())


def test_a_scheduler_that_goes_and_a_closed_client_are_one_sentence(own, monkeypatch):
    cluster, client = own
    monkeypatch.setattr("maxmargin.dask.cluster.PATIENCE", 1.0)

    def gone(made):
        if made.round == 2:
            cluster.close()

    with pytest.raises(ClusterLost, match="nothing can be computed until a cluster is there"):
        AdaBoostClassifier(client=client, callback=gone).fit(*rows())
    client.close()
    with pytest.raises(ClusterLost, match="client is closed"):
        LinearSVC(client=client).fit(*rows())


def test_without_a_client_the_error_says_what_to_create(monkeypatch):
    def none(*_args, **_kwargs):
        raise ValueError("No global client found")

    monkeypatch.setattr(distributed, "get_client", none)
    with pytest.raises(ValueError, match="There is no Dask client: create one"):
        LinearSVC().fit(*rows())


def running(client):
    """How many tasks run on workers, by their own numbers."""
    return sum(len(tasks) for tasks in client.processing().values())


def wait_until(quiet, seconds=3.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not quiet():
        threading.Event().wait(0.02)
    return quiet()


def test_a_time_limit_reaches_the_workers_and_leaves_nothing(client, nothing_left):
    AdaBoostClassifier(n_estimators=1).fit(*rows())  # loads the code on the workers
    model = AdaBoostClassifier(n_estimators=100_000, time_limit=3.0)
    start = time.monotonic()
    model.fit(*rows())
    assert model.stop_ is Stop.TIME_LIMIT
    assert time.monotonic() - start < 10.0  # one round more at most, on a busy machine
    assert wait_until(lambda: running(client) == 0)


def slowly(part):
    """Read a partition for a long time, unless it is stopped."""
    from maxmargin.ops.clock import look  # noqa: PLC0415

    for _ in range(2000):
        threading.Event().wait(0.01)
        look()
    return part


def test_ctrl_c_in_the_middle_ends_the_fit_and_the_tasks(client, nothing_left):
    def press(made):
        if made.round == 2:
            os.kill(os.getpid(), signal.SIGINT)

    model = AdaBoostClassifier(n_estimators=50, callback=press, on_interrupt="keep")
    with pytest.warns(match="INTERRUPTED"):
        model.fit(*rows())
    assert model.stop_ is Stop.INTERRUPTED
    with pytest.raises(KeyboardInterrupt):
        AdaBoostClassifier(n_estimators=50, callback=press).fit(*rows())
    assert wait_until(lambda: running(client) == 0)


def test_a_cancelled_task_stops_in_the_middle(client):
    from maxmargin.dask.interrupt import under_the_scheduler  # noqa: PLC0415

    future = client.submit(under_the_scheduler, slowly, 1, pure=False)
    assert wait_until(lambda: running(client) > 0)
    busy = next(w for w, tasks in client.processing().items() if tasks)
    client.cancel([future], force=True)
    answer = client.submit(lambda: "free", workers=[busy], pure=False)
    assert answer.result(timeout=5) == "free"


def test_two_fits_at_once_and_a_fit_inside_of_a_task(client, nothing_left):
    expected = AdaBoostClassifier(n_estimators=5).fit(*rows()).estimator_weights_.tobytes()
    found = []

    def fit():
        found.append(AdaBoostClassifier(n_estimators=5, client=client).fit(*rows()))

    threads = [threading.Thread(target=fit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    inside = client.submit(_fit_inside, pure=False).result(timeout=60)
    assert {each.estimator_weights_.tobytes() for each in found} == {expected}
    assert inside == expected


def _fit_inside():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 4))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    arrays = da.from_array(X, chunks=(400, 4)), da.from_array(y, chunks=400)
    return AdaBoostClassifier(n_estimators=5).fit(*arrays).estimator_weights_.tobytes()


def test_a_partition_too_large_for_its_worker_is_one_sentence():
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": True}
    quiet = {"distributed.scheduler.allowed-failures": 0}
    with (
        dask.config.set(quiet),
        LocalCluster(**options, memory_limit="400MB", dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        large = da.ones((40_000_000, 2), chunks=(40_000_000, 2))
        with pytest.raises(RuntimeError, match="do not fit into a worker's memory"):
            LinearSVC(client=client).fit(large, da.ones(40_000_000, chunks=40_000_000))


def test_tasks_have_names_that_say_what_is_done(client):
    names = []

    def look(made):
        names.extend(
            client.run_on_scheduler(
                lambda dask_scheduler: [str(name) for name in dask_scheduler.task_prefixes]
            )
        )

    AdaBoostClassifier(n_estimators=2, callback=look).fit(*rows())
    assert "round 1 of 2: sums" in names

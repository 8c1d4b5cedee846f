import faulthandler

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

HANG = 600  # seconds after which a test is a hang, and a hang is a failure


@pytest.fixture(scope="session")
def client():
    """Two worker processes of one thread each."""
    dask.config.set({"distributed.comm.timeouts.connect": "10s"})
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        LocalCluster(**options, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def _hangs_fail():
    faulthandler.dump_traceback_later(HANG, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def cut(n_rows, pieces, seed=0):
    """Unequal partitions, some of them empty."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.integers(0, n_rows + 1, pieces - 1))
    return tuple(np.diff([0, *places, n_rows]).tolist())


def collections(X, *lines, pieces, seed=0):
    chunks = cut(len(X), pieces, seed)
    arrays = [da.from_array(X, chunks=(chunks, X.shape[1]))]
    return [*arrays, *(da.from_array(np.asarray(line), chunks=(chunks,)) for line in lines)]


@pytest.fixture
def cut_up():
    return collections


def held_by(client):
    """Bytes that the cluster's own numbers say are held, and what tasks it knows."""
    return client.run_on_scheduler(
        lambda dask_scheduler: (
            sum(ws.metrics["managed_bytes"] for ws in dask_scheduler.workers.values()),
            sorted(str(key) for key in dask_scheduler.tasks),
        )
    )


@pytest.fixture
def nothing_left(client):
    """The fit of this test leaves no task on the cluster."""
    before = set(held_by(client)[1])
    yield
    for _ in range(100):
        left = set(held_by(client)[1]) - before
        if not left:
            break
        client.run(lambda: None)
    assert left == set()

"""Fits on a cluster beside local ones: ``python -m benchmarks.cluster`` (options below).

A LocalCluster of two worker processes of one thread each against the local fit on two threads, on
the same data, alternating; the persisted collection is read before. Then traffic, tasks and
milliseconds a round, and what a worker and the client hold at most.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import statistics
import time

import numpy as np


def generate(block, n, d, seed):
    rng = np.random.default_rng([seed, block])
    X = rng.normal(size=(n, d))
    f = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + rng.normal(size=n)
    return X, (f > 0).astype(np.int64)


def collections(n, d, pieces, seed=0):
    import dask
    import dask.array as da

    size = n // pieces
    made = [dask.delayed(generate, nout=2)(i, size, d, seed) for i in range(pieces)]
    X = da.concatenate([da.from_delayed(a, (size, d), np.float64) for a, _ in made])
    y = da.concatenate([da.from_delayed(b, (size,), np.int64) for _, b in made])
    return X, y


def local_data(n, d, pieces, seed=0):
    made = [generate(i, n // pieces, d, seed) for i in range(pieces)]
    return np.concatenate([a for a, _ in made]), np.concatenate([b for _, b in made])


def jobs(svc_rows):
    from maxmargin import dask as cluster

    return {
        "LinearSVC": (cluster.LinearSVC(C=1e-5), None),
        "LinearSVC hinge": (cluster.LinearSVC(C=1e-5, loss="hinge"), None),
        "AdaBoost 50": (cluster.AdaBoostClassifier(n_estimators=50), None),
        "BoostingClassifier 50": (cluster.BoostingClassifier(n_estimators=50), None),
        "SVC": (cluster.SVC(C=1.0, gamma=0.02), svc_rows),
    }


def peak(_=None):
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seconds(fit):
    start = time.perf_counter()
    fit()
    return time.perf_counter() - start


def race(client, args):
    import dask
    import distributed

    for name, (model, rows) in jobs(args.svc).items():
        if args.only and args.only not in name:
            continue
        n, d = (rows or args.rows), (50 if rows else args.columns)
        X, y = dask.persist(*collections(n, d, args.pieces))
        distributed.wait([X, y])
        client.run(peak)
        local = model._local_copy()
        A, b = local_data(n, d, args.pieces)
        small = slice(0, 4000)
        local.set_params(n_jobs=2).fit(A[small], b[small])  # compiled before the clock runs
        model.fit(X[: n // args.pieces], y[: n // args.pieces])
        both = [(seconds(lambda m=model, x=X, t=y: m.fit(x, t)),
                 seconds(lambda m=local, x=A, t=b: m.fit(x, t)))
                for _ in range(args.repeats)]  # fmt: skip
        ours, its = (statistics.median(side) for side in zip(*both, strict=True))
        ratio = statistics.median(a / b for a, b in both)
        workers = max(client.run(peak).values())
        held = A.nbytes / 2**20 / 2
        print(
            f"| {name} | {n:,} x {d} | {ours:.2f} | {its:.2f} | {ratio:.2f} | {workers:.0f} | "
            f"{held:.0f} |",
            flush=True,
        )
        del X, y, A, b
        gc.collect()


def latency(client, rounds=100):
    from maxmargin.dask.cluster import Cluster
    from maxmargin.ops.clock import Clock

    cluster = Cluster(client, Clock())
    import dask

    for parts in (2, 8, 32, 128):
        table = cluster.hold("hold", [dask.delayed(_number)(i) for i in range(parts)])
        cluster.ask(table, "nothing", _nothing)
        before, start = cluster.tasks, time.perf_counter()
        for _ in range(rounds):
            cluster.ask(table, "nothing", _nothing)
        spent = (time.perf_counter() - start) / rounds
        print(f"{parts} partitions: {1e3 * spent:.1f} ms a question, "
              f"{(cluster.tasks - before) / rounds:.0f} tasks")  # fmt: skip
    cluster.release()
    table = client.map(_nothing, range(2))
    start = time.perf_counter()
    for k in range(20):
        client.gather(client.map(_nothing, range(100), key=f"cost {k}", pure=False))
    print(f"one more task: {1e3 * (time.perf_counter() - start) / 2000:.2f} ms")
    del table


def _number(i):
    return i


def _nothing(_):
    return 0


def main():
    from distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--svc", type=int, default=100_000)
    parser.add_argument("--pieces", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--latency", action="store_true")
    args = parser.parse_args()
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", "65536")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        if args.latency:
            latency(client)
            return
        print("| fit | size | cluster, s | local, s | ratio | worker at most, MB | its rows, MB |")
        print("|---|---|---|---|---|---|---|")
        race(client, args)


if __name__ == "__main__":
    main()

from types import SimpleNamespace

from maxmargin.dask.cluster import group


def futures(count):
    return [SimpleNamespace(key=f"k{i}") for i in range(count)]


def test_each_thread_gets_neighbours_of_its_worker():
    held = {f"k{i}": ["a"] if i < 4 else ["b"] for i in range(8)}
    found = group(futures(8), held, {"a": 1, "b": 2})
    assert sorted(place for _, places in found for place in places) == list(range(8))
    assert [worker for worker, _ in found].count("b") == 2


def test_a_worker_without_partitions_gets_its_share():
    held = {f"k{i}": ["a"] for i in range(6)}
    found = dict(group(futures(6), held, {"a": 1, "b": 1}))
    assert {worker: len(places) for worker, places in found.items()} == {"a": 3, "b": 3}


def test_partitions_that_are_read_again_have_no_worker_yet():
    found = group(futures(2), {}, {"a": 1})
    assert sorted(place for _, places in found for place in places) == [0, 1]

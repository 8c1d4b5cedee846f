"""Boosted stumps on a cluster, stopped early by rows that lie in one partition."""

import dask.array as da
from distributed import Client

from maxmargin import AdaBoostClassifier as OnOneMachine
from maxmargin.dask import AdaBoostClassifier

with Client(n_workers=2, processes=False, dashboard_address=":0") as client:
    draw = da.random.default_rng(1)
    rows = draw.normal(size=(12_000, 4), chunks=(1_500, 4)).persist()
    noise = draw.normal(size=12_000, chunks=1_500)
    label = (da.sin(2 * rows[:, 0]) + rows[:, 1] + 0.5 * noise > 0).astype(int).persist()
    train, held = slice(0, 10_500), slice(10_500, None)
    model = AdaBoostClassifier(n_estimators=40, n_iter_no_change=4, client=client)
    model.fit(rows[train], label[train], X_val=rows[held], y_val=label[held])
    print(f"{model.stop_.name} after {len(model.estimators_)} rounds")
    X, y = rows[train].compute(), label[train].compute()
    local = OnOneMachine(n_estimators=len(model.estimators_)).fit(X, y)
    pairs = zip(model.estimators_, local.estimators_, strict=True)
    print("same splits:", all(a.split_ == b.split_ for a, b in pairs))

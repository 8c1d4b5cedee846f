"""A linear machine on rows that two workers hold; its certificate is judged on all of them."""

import dask.array as da
import numpy as np
from distributed import Client

from maxmargin.dask import LinearSVC

with Client(n_workers=2, processes=False, dashboard_address=":0") as client:
    rows = da.random.default_rng(0).normal(size=(40_000, 10), chunks=(5_000, 10))
    label = (rows[:, 0] + 0.5 * rows[:, 1] > 0).astype(int)
    model = LinearSVC(C=0.01, client=client).fit(rows, label)
    print(f"{model.certificate_.status.name} on {len(rows):,} rows")
    print("weights of the first columns:", model.coef_[0, :3].round(2) + 0.0)
    share = da.mean(model.predict(rows) == label).compute()
    print(f"right: {share:.3f}")
    local = model.to_local()
    print(type(local).__module__, local.predict(np.eye(10)[:2]))

"""An exact kernel machine whose rows lie on workers, proven and equal to the local one."""

import dask.array as da
from distributed import Client

import maxmargin
from maxmargin.dask import SVC

with Client(n_workers=2, processes=False, dashboard_address=":0") as client:
    draw = da.random.default_rng(2)
    rows = draw.normal(size=(4_000, 3), chunks=(500, 3)).persist()
    label = ((rows**2).sum(axis=1) > 2.4).astype(int).persist()
    model = SVC(C=10.0, tol=1e-4, client=client).fit(rows, label)
    print(f"{model.certificate_.status.name}, {len(model.support_)} support vectors")
    local = maxmargin.SVC(C=10.0, tol=1e-4).fit(rows.compute(), label.compute())
    ratio = model.certificate_.dual / local.certificate_.dual
    print(f"dual value over the local one: {ratio:.6f}")

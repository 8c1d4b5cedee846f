"""The curse of dimension: neighbours are far, and all rows are as far."""

import matplotlib.pyplot as plt

from maxmargin.neighbors import dimension_facts
from maxmargin.plots import palette

columns = [1, 2, 3, 5, 10, 20, 50, 100, 200]
facts = dimension_facts(columns, n_rows=1000, random_state=0)
print("columns   nearest / farthest   outer tenth of a ball   edge of a hundredth of a cube")
for f in facts:
    print(f"{f.n_columns:7d} {f.nearest_over_farthest:20.3f} {f.shell:23.3f} {f.edge:31.3f}")

curves = {
    "nearest over farthest of 1,000 rows": [f.nearest_over_farthest for f in facts],
    "volume of a ball in its outer tenth": [f.shell for f in facts],
    "edge of a cube with 1% of the volume": [f.edge for f in facts],
}
figure, ax = plt.subplots(figsize=(7.6, 4.4), layout="constrained")
for k, (name, values) in enumerate(curves.items()):
    ax.plot(columns, values, color=palette.CURVES[k], ls=palette.DASHES[k], marker="o", label=name)
ax.set(xscale="log", xlabel="columns", ylabel="share", ylim=(0.0, 1.05))
ax.set_xticks(columns, columns)
ax.minorticks_off()
ax.legend(frameon=False, loc="lower right")
plt.show()

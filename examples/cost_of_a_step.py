"""One coordinate step by a kernel row, O(n), and by explicit weights, O(d)."""

from timeit import repeat

import matplotlib.pyplot as plt
import numpy as np

from maxmargin.plots import palette

d, rng = 20, np.random.default_rng(0)
sizes = [1_000, 4_000, 16_000, 64_000, 256_000]
by_kernel, by_weights = [], []
for n in sizes:
    X, alpha_y = rng.normal(size=(n, d)), rng.normal(size=n)
    row, x, w = X @ X[0], X[0], alpha_y @ X
    assert np.isclose(alpha_y @ row, w @ x)  # sum_j alpha_j y_j k(x_i, x_j) = <w, x_i>
    for seconds, left, right in ((by_kernel, alpha_y, row), (by_weights, w, x)):
        times = repeat(lambda a=left, b=right: a @ b, number=100, repeat=20)
        seconds.append(min(times) / 100)

print("rows n     multiplications: kernel   weights")
for n in sizes:
    print(f"{n:7,d} {n:21,d} {d:13,d}")
growth = by_kernel[-1] / by_kernel[0] > 4 * by_weights[-1] / by_weights[0]
print(f"time grows with n for the kernel step, and not for the other: {growth}")
plt.loglog(sizes, np.multiply(by_kernel, 1e6), "o-", color=palette.CURVES[1], label="kernel row")
plt.loglog(sizes, np.multiply(by_weights, 1e6), "^--", color=palette.CURVES[0], label="weights w")
plt.gca().set(xlabel="rows n", ylabel="microseconds for one product")
plt.legend(frameon=False)
plt.show()

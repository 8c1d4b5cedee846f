import os
import signal

from hypothesis import HealthCheck, settings

# Pictures are drawn in memory, on a machine without a screen too.
os.environ.setdefault("MPLBACKEND", "Agg")

# Of several test processes each has its share of the cores, and our loops two threads in any case.
# BLAS has no more than the share, and OpenMP sleeps where it has nothing to do: their threads burn
# a core while they wait, which another process needs (a fit of 120 rows took six times as long).
if "PYTEST_XDIST_WORKER_COUNT" in os.environ:
    share = (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(2, share)))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(max(1, share)))
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# A shell has what it runs in the background ignore Ctrl-C; the tests of it need the usual handler.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Scripts of their own, run by make compat and make test-matrix.
collect_ignore = ["compat", "matrix"]

# The first call of a compiled function takes seconds, so a deadline would measure the compiler.
settings.register_profile(
    "local", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

"""Run the examples of the course: python docs/course.py [ten_points ...].

Each script of ``examples/`` runs by itself in a process of its own, its warnings being errors; what
it prints and draws lies then under ``docs/course/run/``, where the pages of the course
include them. So whatever a page shows comes from the run that built it.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
RUN = Path(__file__).parent / "course" / "run"

# Two at a time on two cores, so each may have but one thread: pictures do not depend on it.
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
AS_A_SCRIPT = """
import runpy, sys
import matplotlib.pyplot as plt
plt.show = lambda: None
runpy.run_path(sys.argv[1], run_name="__main__")
for number in plt.get_fignums():
    name = sys.argv[2] + ("" if number == 1 else f"_{number}") + ".png"
    plt.figure(number).savefig(name, dpi=110, bbox_inches="tight")
"""


def run(script: Path) -> tuple[str, float, str]:
    """Run one script and keep what it prints; return its name, its seconds and what went wrong."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", AS_A_SCRIPT, script, RUN / script.stem],
        env=os.environ | ALONE | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    (RUN / f"{script.stem}.txt").write_text(done.stdout or "\n", encoding="utf-8")
    return script.stem, time.perf_counter() - begun, done.stderr if done.returncode else ""


def main() -> int:
    """Run all examples, or those named; tell each one's time and whatever failed."""
    parser = argparse.ArgumentParser(description="Run the examples of the course.")
    parser.add_argument("names", nargs="*", help="which (all of them)")
    chosen = parser.parse_args().names or sorted(path.stem for path in EXAMPLES.glob("*.py"))
    RUN.mkdir(exist_ok=True)
    begun, failed = time.perf_counter(), []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, seconds, error in pool.map(run, (EXAMPLES / f"{name}.py" for name in chosen)):
            print(f"{seconds:6.1f} s  {name}{'  FAILED' if error else ''}", flush=True)
            failed += [f"{name}:\n{error}"] if error else []
    print(f"{time.perf_counter() - begun:6.1f} s  together, {len(chosen)} examples")
    print("\n".join(failed), end="", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())

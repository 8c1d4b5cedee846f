"""Run the examples of the course: python docs/course.py [ten_points ...].

Each script of ``examples/`` runs by itself in a process of its own, its warnings being errors; what
it prints and draws lies then under ``docs/course/run/``, where the pages of the course
include them. So whatever a page shows comes from the run that built it.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = Path(__file__).parent
RUN = PAGES / "course" / "run"
SECONDS = 300.0  # that a script may take, a hundred times as many as it should
SHOWN = re.compile(r"\brun/(\w+\.(?:png|txt))\b")  # by a page, as a picture or included

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


def run(script: Path, run_to: Path, seconds: float = SECONDS) -> tuple[str, float, str]:
    """Run one script and keep what it prints; return its name, its seconds and what went wrong.

    What an earlier run left is removed first: a picture that is no longer drawn is not shown.
    """
    begun, name = time.perf_counter(), script.stem
    for old in [run_to / f"{name}.txt", run_to / f"{name}.png", *run_to.glob(f"{name}_[0-9].png")]:
        old.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", AS_A_SCRIPT, script, run_to / name],
            env=os.environ | ALONE | {"MPLBACKEND": "Agg"},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return name, time.perf_counter() - begun, f"It took more than {seconds:g} seconds.\n"
    (run_to / f"{name}.txt").write_text(done.stdout or "\n", encoding="utf-8")
    return name, time.perf_counter() - begun, wrong(done)


def wrong(done: "subprocess.CompletedProcess[str]") -> str:
    """Say what went wrong, whether or not the script did; nothing if nothing."""
    code = done.returncode
    if code == 0:
        return ""
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return f"{done.stderr}It {how}.\n"


def undrawn(pages: list[Path], run_to: Path, chosen: list[str]) -> list[str]:
    """Name what pages show of the chosen scripts and no run has drawn or printed."""
    shown = {name for page in pages for name in SHOWN.findall(page.read_text(encoding="utf-8"))}
    mine = {name for name in shown if re.sub(r"(_\d)?\.\w+$", "", name) in chosen}
    return sorted(name for name in mine if not (run_to / name).is_file())


def build(
    chosen: list[str],
    examples: Path = EXAMPLES,
    run_to: Path = RUN,
    pages: Path = PAGES,
    seconds: float = SECONDS,
) -> int:
    """Run examples, tell each one's time and whatever failed; return how much did."""
    run_to.mkdir(parents=True, exist_ok=True)
    begun, failed = time.perf_counter(), []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda name: run(examples / f"{name}.py", run_to, seconds), chosen)
        for name, took, error in runs:
            print(f"{took:6.1f} s  {name}{'  FAILED' if error else ''}", flush=True)
            failed += [f"{name}:\n{error}"] if error else []
    print(f"{time.perf_counter() - begun:6.1f} s  together, {len(chosen)} examples")
    missing = undrawn(sorted(pages.rglob("*.md")), run_to, chosen)
    failed += [f"A page shows {name}, which no script has made.\n" for name in missing]
    print("\n".join(failed), end="", file=sys.stderr)
    return len(failed)


def main() -> int:
    """Run all examples, or those named."""
    parser = argparse.ArgumentParser(description="Run the examples of the course.")
    parser.add_argument("names", nargs="*", help="which (all of them)")
    return build(parser.parse_args().names or sorted(path.stem for path in EXAMPLES.glob("*.py")))


if __name__ == "__main__":
    sys.exit(main())

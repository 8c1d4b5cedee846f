import os
import subprocess
import sys

MARKED = """
from maxmargin.ops.warm_marks import is_marked
print(is_marked("DecisionStump"), is_marked("SVC"))
"""


def test_the_worker_compiles_what_its_input_names_and_marks_it(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    facts = {"env": environment, "text": True, "capture_output": True}
    worker = [sys.executable, "-m", "maxmargin.warmup.worker"]
    subprocess.run(worker, check=True, input="DecisionStump\nno estimator\n", **facts)
    assert list(tmp_path.rglob("*.nbc"))
    assert list(tmp_path.rglob("DecisionStump.*.warm"))
    marked = subprocess.run([sys.executable, "-c", MARKED], check=True, **facts).stdout.split()
    assert marked == ["True", "False"]

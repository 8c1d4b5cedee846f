import os
import subprocess
import sys

import pytest

from maxmargin.warmup.image import settings_of, usage_of

USE = """
from numba.core import event
import maxmargin
from maxmargin.ops.compiler.event import CompileListener, listening


class Count(CompileListener):
    done = 0

    def begin(self):
        Count.done += 1


with listening(Count()):
    maxmargin.DecisionStump().fit([[0.0], [1.0], [2.0]], [0, 1, 1]).predict([[0.5]])
print(Count.done)
"""


def run(*command, **environment):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    return subprocess.run(
        [sys.executable, *command],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_loops_of_an_image_serve_a_read_only_folder(tmp_path):
    warm = ["-m", "maxmargin.warmup", "--into", str(tmp_path / "loops"), "--cpu", "generic"]
    done = run(*warm, "DecisionStump", "--kind", "float64")
    assert done.returncode == 0, done.stderr
    assert f'ENV NUMBA_CACHE_DIR="{tmp_path / "loops"}"' in done.stdout
    settings = settings_of(str(tmp_path / "loops"), "generic")
    assert run("-c", USE, **settings).stdout.strip() == "0"
    assert "+avx2" in settings_of(None, "x86-64-v3")["NUMBA_CPU_FEATURES"]


@pytest.mark.parametrize("cpu", ["host", "generic"])
def test_what_is_not_asked_for_is_not_set(cpu):
    settings = settings_of(None, cpu)
    assert ("NUMBA_CPU_NAME" in settings) == (cpu != "host")
    assert usage_of(settings).count("ENV") == len(settings)

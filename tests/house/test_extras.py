"""What is not installed is named in one sentence, with the line that installs it."""

import subprocess
import sys

import pytest

HIDE = """
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name in {hidden} else found(name, *rest)
"""


def run(code, *hidden):
    script = HIDE.format(hidden=set(hidden)) + code
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("plots", "matplotlib", "plots"), ("tables", "polars", "command"), ("job", "rich", "command")],
)
def test_a_module_names_what_it_needs(module, package, extra):
    done = run(f"import maxmargin.{module}", package)
    last = done.stderr.strip().splitlines()[-1]
    line = f'maxmargin.{module} needs {package}: pip install "maxmargin[{extra}]"'
    assert last.endswith(line)


def test_the_command_ends_with_a_sentence():
    done = run("from maxmargin.cli import main; main()", "typer", "polars")
    line = 'The command maxmargin needs typer, polars: pip install "maxmargin[command]"\n'
    assert (done.returncode, done.stderr) == (1, line)


def test_machines_and_export_need_neither_tables_nor_pictures():
    code = """
import maxmargin
from maxmargin.export import to_onnx, to_python
model = maxmargin.LinearSVC().fit([[0.0], [1.0]], [0, 1])
assert len(to_onnx(model).graph.output) == 3
assert "def predict" in to_python(model)
import sys
print({"polars", "matplotlib", "typer"} & sys.modules.keys())
"""
    done = run(code, "polars", "matplotlib", "typer", "rich", "jinja2")
    assert (done.returncode, done.stdout) == (0, "set()\n"), done.stderr

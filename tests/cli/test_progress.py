import os
import pty
import subprocess
import sys

from maxmargin.cli.tell import progress
from maxmargin.job import Progress

FIRST = Progress("boosted stumps", "fold 2 of 5", 0.25, 10.0, 30.0)


def test_a_pipe_has_a_line_for_each_model(capsys):
    with progress() as tell:
        tell(Progress("majority class", "fold 1 of 5", 0.0, 0.0, float("nan")))
        tell(FIRST)
        tell(FIRST)
    assert capsys.readouterr().err.splitlines() == [
        "   0.0 s  majority class ...",
        "  10.0 s  boosted stumps ...  about 30 s left",
    ]


def test_a_terminal_has_the_bar_that_notebooks_have():
    ours, theirs = pty.openpty()
    code = (
        "from maxmargin.cli.tell import progress\n"
        "from maxmargin.job import Progress\n"
        "with progress() as tell:\n"
        "    tell(Progress('boosted stumps', 'fold 2 of 5', 0.25, 10.0, 3600.0))\n"
    )
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    subprocess.run([sys.executable, "-c", code], stderr=theirs, check=True, env=environment)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "boosted stumps" in shown
    assert "about 1 h left" in shown

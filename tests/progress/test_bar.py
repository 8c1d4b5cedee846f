import os
import pty
import subprocess
import sys

from maxmargin.job import Progress
from maxmargin.progress.bar import progress_bar

FIRST = Progress("SVC <&>", "fold 2 of 5", 0.25, 10.0, 30.0)
SECOND = Progress("SVC <&>", "fold 3 of 5", 0.5, 20.0, float("nan"))


def test_a_notebook_has_one_bar_that_is_drawn_anew(cells, capsys):
    with progress_bar() as tell:
        tell(FIRST)
        words = "SVC <&>, fold 2 of 5, 25 %, 10 s, about 30 s left"
        bar = '<progress value="0.250" max="1"></progress>'
        assert cells == [
            {"text/plain": words, "text/html": f"<div>{bar} SVC &lt;&amp;&gt;{words[7:]}</div>"}
        ]
        tell(SECOND)
        assert [cell["text/plain"] for cell in cells] == ["SVC <&>, fold 3 of 5, 50 %, 20 s"]
    assert [cell["text/plain"] for cell in cells] == ["done, 100 %, 20 s"]
    assert capsys.readouterr() == ("", "")


def test_a_bar_that_hears_nothing_shows_nothing(cells):
    with progress_bar():
        pass
    assert cells == []


def test_a_pipe_has_a_line_for_each_title(capsys):
    with progress_bar() as tell:
        for report in (FIRST, SECOND, Progress("test rows", "", 1.0, 40.0, 0.0)):
            tell(report)
    assert capsys.readouterr().err.splitlines() == [
        "  10.0 s  SVC <&> ...  about 30 s left",
        "  40.0 s  test rows ...",
    ]


def test_a_terminal_has_a_bar():
    ours, theirs = pty.openpty()
    code = (
        "from maxmargin.job import Progress\n"
        "from maxmargin.progress.bar import progress_bar\n"
        "with progress_bar() as tell:\n"
        "    tell(Progress('SVC [red]', 'fold 2 of 5', 0.25, 10.0, 3600.0))\n"
    )
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    subprocess.run([sys.executable, "-c", code], stderr=theirs, check=True, env=environment)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "SVC [red]" in shown
    assert "fold 2 of 5" in shown
    assert "about 1 h left" in shown
    assert "\x1b[2K" in shown  # and it is taken away at the end

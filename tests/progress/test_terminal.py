import os
import pty
import subprocess
import sys

from maxmargin.progress import audience


def test_a_terminal_device_shows_the_line():
    ours, theirs = pty.openpty()
    code = "from maxmargin.progress.audience import announce; announce('one line')"
    environment = {k: v for k, v in os.environ.items() if k != audience.QUIET}
    subprocess.run([sys.executable, "-c", code], stderr=theirs, check=True, env=environment)
    os.close(theirs)
    shown = os.read(ours, 1000)
    os.close(ours)
    assert shown == b"maxmargin: one line (MAXMARGIN_QUIET=1 hides this line).\r\n"

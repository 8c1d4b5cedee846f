"""The command: choose a port, print the address, open the browser, serve until Ctrl-C."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from typing import Any, Final

HOST: Final = "127.0.0.1"
INSTALL: Final = "The studio needs starlette and uvicorn: pip install 'maxmargin[studio]'."


class StudioError(RuntimeError):
    """The studio cannot start."""


def serve(
    port: int = 0, *, browser: bool = True, folder: str | Path = ".", write: Any = print
) -> None:
    """Serve the studio on this machine until Ctrl-C.

    Parameters
    ----------
    port : int, default=0
        0 takes any free port.
    browser : bool, default=True
        Whether to open the page in the browser.
    folder : path, default="."
        Whose tables and models the page lists.
    write : callable, default=print
        Given the lines for the terminal; the address, with its token, is a line of its own.

    Raises
    ------
    StudioError
        If packages are missing or the port is taken.
    """
    try:
        import uvicorn  # noqa: PLC0415

        from maxmargin.studio.app import make_app  # noqa: PLC0415
        from maxmargin.studio.guard import new_token  # noqa: PLC0415
    except ImportError:
        raise StudioError(INSTALL) from None
    listening = _listen(port)
    number, token = listening.getsockname()[1], new_token()
    address = f"http://{HOST}:{number}/?token={token}"
    app = make_app(token, number, Path(folder))
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="none", server_header=False,
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    write("The studio is open in your browser at this address; Ctrl-C ends it.")
    write(address)
    if browser:
        webbrowser.open(address)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
    write("The studio has ended.")


def _listen(port: int) -> socket.socket:
    """Open the socket, so that the address is known before anything is served."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except (OSError, OverflowError) as error:
        found.close()
        raise StudioError(f"Port {port} cannot be used ({error}); choose another --port.") from None
    found.listen(128)
    return found

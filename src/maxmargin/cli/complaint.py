"""One sentence for whatever the user should put right, and safe ways to print what they gave."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.text import Text

BAD_INPUT, CANNOT_WRITE, INTERRUPTED = 2, 1, 130


class InputError(ValueError):
    """Something about the input that the user can put right; the message is one sentence."""


def shown(text: object) -> str:
    r"""Return text without the characters that could steer a terminal or hide what is written.

    Parameters
    ----------
    text : object
        A name from a file or from the command line.

    Returns
    -------
    str
        The same with control, bidirectional and undecodable characters spelt out.

    Examples
    --------
    >>> shown("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in str(text)
    )


@contextmanager
def complaining() -> Iterator[None]:
    """Turn what can go wrong into one sentence on stderr and an exit code."""
    try:
        yield
    except InputError as error:
        raise _exit(str(error), BAD_INPUT) from error
    except OSError as error:
        raise _exit(str(error), CANNOT_WRITE) from error
    except MemoryError as error:
        raise _exit("There is not enough memory for this table.", CANNOT_WRITE) from error
    except KeyboardInterrupt as error:
        raise _exit("Interrupted: nothing was written.", INTERRUPTED) from error


def _exit(sentence: str, code: int) -> typer.Exit:
    message = Text.assemble(("maxmargin: ", "bold red"), shown(sentence))
    Console(stderr=True, highlight=False).print(message, soft_wrap=True)
    return typer.Exit(code)

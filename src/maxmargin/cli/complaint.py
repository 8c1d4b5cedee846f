"""One sentence for whatever went wrong, and safe ways to print what the user gave."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Never

import typer
from rich.console import Console
from rich.text import Text

from maxmargin.inputs.exhaustion import lacks_memory, missing_addresses
from maxmargin.progress.event import event_line

CANNOT, BAD_INPUT, DIFFERENT, INTERRUPTED = 1, 2, 4, 130

EXIT_CODES = """Exit codes: 0 done, also where Ctrl-C or the time budget left models out; 1 a file
could not be written, memory ran out, or there is a fault in maxmargin; 2 something about the input
that you can put right: an option, a file that cannot be read, a column, a label; 4 a repeat gave
other numbers; 130 Ctrl-C before there was anything to show."""


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


class Departure(typer.Exit):
    """The end of a command, with the sentence that says why."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(code)
        self.sentence = sentence


@contextmanager
def complaining(*, json: bool = False) -> Iterator[None]:
    """Turn what can go wrong into one sentence on stderr and an exit code.

    Libraries warn of nothing: what the user should know stands in a note.

    Parameters
    ----------
    json : bool, default=False
        Whether programs listen: then the sentence is on stdout too, as an event.
    """
    begun = perf_counter()
    try:
        with _explaining():
            yield
    except Departure as end:
        if json:
            tell_programs(end.sentence, end.exit_code, begun)
        raise


def tell_programs(sentence: str, code: int, begun: float | None = None) -> None:
    """Write the event that says what went wrong.

    Parameters
    ----------
    sentence : str
    code : int
        Of the exit.
    begun : float, default=None
        When the command was, by ``perf_counter``.
    """
    seconds = 0.0 if begun is None else perf_counter() - begun
    typer.echo(event_line("error", seconds, {"message": sentence, "exit_code": code}))


@contextmanager
def _explaining() -> Iterator[None]:
    _refuse_few_addresses()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except KeyboardInterrupt:
        leave("Interrupted: nothing was written.", INTERRUPTED)
    except (typer.Exit, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of compiled code is no Exception
        _explain(error)


def _refuse_few_addresses() -> None:
    """Say so before a library ends the process in its own way."""
    found = missing_addresses()
    if found is not None:
        allowed, needed = (f"{size / 1e9:.1f} GB" for size in found)
        leave(
            f"ulimit -v allows {allowed} of memory, and at least {needed} are needed: raise it.",
            CANNOT,
        )


def _explain(error: BaseException) -> Never:
    if lacks_memory(error):
        leave("There is not enough memory for this table.", CANNOT)
    if isinstance(error, OSError):
        leave(str(error), CANNOT)
    if isinstance(error, ValueError) and type(error).__module__.startswith("maxmargin."):
        leave(str(error), BAD_INPUT)
    _confess(error)


def _confess(error: BaseException) -> Never:
    """Say that the fault is not the user's, and where it is."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    leave(f"A fault of maxmargin, please report it ({place}: {error!r}).", CANNOT)


def leave(sentence: str, code: int) -> Never:
    """End with a sentence on stderr.

    Parameters
    ----------
    sentence : str
    code : int
        Of the exit.
    """
    message = Text.assemble(("maxmargin: ", "bold red"), shown(sentence))
    Console(stderr=True, highlight=False).print(message, soft_wrap=True)
    raise Departure(sentence, code)

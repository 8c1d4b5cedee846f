"""The command ``python -m maxmargin.warmup``."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches

from maxmargin.inputs.outlet import flush_streams, guard_streams
from maxmargin.warmup.image import HOST, settings_of, usage_of, warm_elsewhere

CANNOT, BAD_INPUT, INTERRUPTED = 1, 2, 130

_ABOUT = """Compile maxmargin's loops now, so that no later fit waits for it. Without names all
estimators are compiled, for float32, float64 and CSR rows. What is compiled already is left as it
is. Cascades of maxmargin.vision are not among them."""
_AFTER = """Exit codes: 0 done; 1 the cache could not be written; 2 no such estimator; 130 Ctrl-C,
and what was compiled before stays. NUMBA_CACHE_DIR names another folder for the cache."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except KeyboardInterrupt:
        return _complain("Interrupted: what was compiled so far stays.", INTERRUPTED)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        reason = f"The cache cannot be written: {error.strerror or error}{where}"
        return _complain(f"{reason}; name another folder with NUMBA_CACHE_DIR.", CANNOT)


def _parser() -> argparse.ArgumentParser:
    name = "python -m maxmargin.warmup"
    parser = argparse.ArgumentParser(prog=name, description=_ABOUT, epilog=_AFTER)
    parser.add_argument("estimator", nargs="*", help="such as SVC or AdaBoostClassifier")
    parser.add_argument(
        "--kind",
        action="append",
        choices=["float32", "float64", "csr"],
        help="of rows; may be given more than once (default: all)",
    )
    parser.add_argument("--into", metavar="DIR", help="the folder that the loops go to")
    parser.add_argument(
        "--cpu",
        default=HOST,
        metavar="NAME",
        help="what they are compiled for: host (default), generic, x86-64-v3, x86-64-v4, ...",
    )
    parser.add_argument("--list", action="store_true", help="list the names and do nothing else")
    return parser


def _run(options: argparse.Namespace) -> int:
    # Only now: --help and what is wrong with an option need no compiler.
    from maxmargin.warmup import ESTIMATORS, KINDS, warm  # noqa: PLC0415

    if options.list:
        sys.stdout.write("\n".join(ESTIMATORS) + "\n")
        return 0
    for name in options.estimator:
        if name not in ESTIMATORS:
            near = get_close_matches(name, ESTIMATORS, 1, 0.0)[0]
            said = f"There is no estimator {name!r} to compile; the nearest name is {near}"
            return _complain(f"{said}, and --list gives all.", BAD_INPUT)
    if options.into is not None or options.cpu != HOST:
        return _warm_for_an_image(options)
    warmed = warm(options.estimator or tuple(ESTIMATORS), options.kind or KINDS, _tell)
    _clear()
    sys.stdout.write(f"{warmed}\n")
    return 0


def _warm_for_an_image(options: argparse.Namespace) -> int:
    settings = settings_of(options.into, options.cpu)
    kinds = [part for kind in options.kind or () for part in ("--kind", kind)]
    code = warm_elsewhere(settings, [*options.estimator, *kinds])
    if code == 0:
        sys.stdout.write(usage_of(settings))
    return code


def _tell(done: int, of: int, what: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K[{done + 1}/{of}] {what}")
        sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def _complain(sentence: str, code: int) -> int:
    _clear()
    sys.stderr.write(f"{sentence}\n")
    return code


if __name__ == "__main__":
    OUTLETS = guard_streams()
    CODE = main()
    flush_streams(OUTLETS)
    sys.exit(CODE)

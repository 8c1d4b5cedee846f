"""The command line: ``fit``, ``compare``, ``predict``, ``evaluate``, ``info`` and ``demo``."""

from maxmargin.inputs.extra import MissingPackageError, require

__all__ = ["app", "main"]

try:
    require("The command maxmargin", "command", "typer", "rich", "jinja2", "polars", "matplotlib")
except MissingPackageError as error:
    import sys

    _SENTENCE = f"{error}\n"
    app = None

    def main() -> None:
        """Say in one sentence which packages the command needs."""
        sys.stderr.write(_SENTENCE)
        sys.exit(1)

else:
    from maxmargin.cli.app import app, main  # type: ignore[assignment]

"""All commands, whose options are checked before they run: programs are told what is wrong, too."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from maxmargin.cli.complaint import tell_programs

_FOR_PROGRAMS = "--json"


class Commands(TyperGroup):
    """The group of commands; with ``--json`` an option that is wrong is an event on stdout."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Note who listens."""
        ctx.meta[_FOR_PROGRAMS] = _FOR_PROGRAMS in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what its options lack is said on stderr by whoever called."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if ctx.meta[_FOR_PROGRAMS] and hasattr(error, "format_message"):
                tell_programs(error.format_message(), getattr(error, "exit_code", 2))
            raise

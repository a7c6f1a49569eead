"""The options that several commands have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from looptx.cli.output import FORMATS, Console
from looptx.errors import LooptxError

Function = Callable[..., Any]


def console_options(function: Function) -> Function:
    """``--output-format``, ``--quiet`` and ``--verbose``, given as one ``console``.

    An error that ends the command is shown in that format too.
    """

    def with_console(
        *args: object, output_format: str, quiet: bool, verbose: bool, **rest: object
    ) -> object:
        console = Console(output_format, quiet, verbose)
        try:
            return function(*args, console=console, **rest)
        except LooptxError as error:
            console.errors(error.together)
            console.document([], error.together)
            return error.exit_status

    with_console.__doc__ = function.__doc__
    with_console.__dict__.update(function.__dict__)
    for option in (
        click.option(
            "--output-format",
            type=click.Choice(FORMATS),
            default="full",
            help="How errors are shown; json puts one document on standard output.",
        ),
        click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help="Show what a compiler said, and tracebacks of internal errors.",
        ),
    ):
        with_console = option(with_console)
    return with_console


def exclude_option(function: Function) -> Function:
    """``--exclude PATTERN``, as often as wanted."""
    return click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Leave out files whose path, name or folder matches (repeatable).",
    )(function)


def jobs_option(function: Function) -> Function:
    """``--jobs N``: how many processes."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Work on N files at once (default: one per core).",
    )(function)


def directives_option(function: Function) -> Function:
    """``--directives FILE``: directives from outside the source."""
    return click.option(
        "--directives",
        metavar="FILE",
        help="Directives for functions that cannot be edited.",
    )(function)

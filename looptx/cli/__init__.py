"""The command ``looptx``: one file per subcommand, and ``main`` that runs them.

Nothing heavy is imported before it is needed: a command that has nothing to do starts
and ends in the time click takes.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

import click

from looptx import __version__
from looptx.cli import build, cache, doctor, explain, listing, output, show, transform
from looptx.errors import LooptxError

_SELDOM = 20_000
"""Allocations between garbage collections; Python's default is 700."""


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"looptx {__version__}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version and exit.",
)
def group() -> None:
    """Prove, rewrite and compile annotated Python loops.

    Exit status: 0 fine, 1 refused or would change, 2 usage or syntax.
    """


for _command in (
    transform.command,
    build.command,
    show.command,
    explain.command,
    listing.command,
    doctor.command,
    cache.command,
):
    group.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; nothing escapes as a traceback.

    Args:
        arguments: what follows the program's name; those of the process when absent.
    """
    if arguments is None:
        # The process is ours, and what it makes lives as long: there is little to find.
        gc.set_threshold(_SELDOM)
    words = list(sys.argv[1:] if arguments is None else arguments)
    console = output.Console(verbose=bool({"-v", "--verbose"} & set(words)))
    try:
        result = group.main(words, prog_name="looptx", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        output.say("looptx: interrupted")
        return 130
    except BrokenPipeError:
        # The output pipe is closed: exit quietly, also in Python's final flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except LooptxError as error:
        console.errors(error.together)
        return error.exit_status
    except Exception as error:
        console.errors([output.internal(error)])
        return 2
    return result if isinstance(result, int) else 0

"""``looptx list``: the verbs of the language and the error codes."""

from __future__ import annotations

import click

from looptx.cli.output import table
from looptx.errors import CODES


def verbs() -> dict[str, str]:
    """Each verb and, in a few words, what it does."""
    from looptx.directives import VERBS

    return {name: _summary(kind) for name, kind in VERBS.items()}


def _summary(kind: type) -> str:
    first, *_ = (kind.__doc__ or "").strip().splitlines() or [""]
    return first.rstrip(".")


@click.command("list")
def command() -> int:
    """List the verbs of the directive language and the error codes."""
    for title, rows in (("Verbs", verbs()), ("Error codes", CODES)):
        click.echo("\n".join((*table(title, rows), "")))
    click.echo("`looptx explain NAME` tells more about each.")
    return 0

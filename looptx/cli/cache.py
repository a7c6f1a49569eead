"""``looptx cache``: where compiled nests are kept, and how to be rid of them."""

from __future__ import annotations

import click


@click.group("cache")
def command() -> None:
    """The compiled nests that are kept between runs."""


@command.command("dir")
def directory() -> int:
    """Print the directory."""
    from looptx.native.cache import places

    click.echo(places.location())
    return 0


@command.command("clear")
def clear() -> int:
    """Delete what looptx keeps there; it is compiled again when needed."""
    from looptx.native.cache import eviction

    size = eviction.size()
    count = eviction.clear()
    click.echo(f"removed {count} compiled nests ({size / 2**20:.1f} MiB)")
    return 0

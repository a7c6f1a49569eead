"""``looptx explain``: the page of a directive or of an error code."""

from __future__ import annotations

from pathlib import Path

import click

from looptx.cli.output import table
from looptx.errors import CODES, Malformed

ERRORS = "errors"
"""The folder of the pages of error codes."""


def pages(folder: str = "") -> dict[str, Path]:
    """The Markdown pages of a folder: of the installed looptx, or of its checkout."""
    package = Path(__file__).parents[1]
    for manual in (package / "pages", package.parent / "directives"):
        found = {page.stem: page for page in sorted((manual / folder).glob("*.md"))}
        found.pop("README", None)
        if found:
            return found
    return {}


def explanation(topic: str) -> str:
    """The page of a directive, of another topic of the manual, or of an error code.

    Raises:
        LooptxError: LX101 when there is no such topic.
    """
    known, codes = pages(), pages(ERRORS)
    name, code = topic.lower().replace("-", "_"), topic.upper()
    if name in known:
        return _text(known[name])
    if code in codes:
        return _text(codes[code])
    from looptx.language.words import nearest

    near = nearest(topic, known) or nearest(code, codes)
    hint = f"did you mean `{near}`?" if near else "`looptx explain` lists the pages"
    raise Malformed(
        "LX101", f"no directive and no error code is called `{topic}`", hint=hint
    )


def contents() -> str:
    """Every page with its first sentence, every error code with its meaning."""
    topics = {name: _summary(page) for name, page in pages().items()}
    lines = (*table("Pages", topics), "", *table("Error codes", CODES), "")
    return "\n".join((*lines, "`looptx explain NAME` prints one."))


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8").strip("\n")


def _summary(page: Path) -> str:
    """The first sentence under the title, without its full stop."""
    _, first, *_ = _text(page).split("\n\n")
    return " ".join(first.split()).partition(". ")[0].rstrip(".")


@click.command("explain")
@click.argument("topic", metavar="[NAME|LX...]", default="")
def command(topic: str) -> int:
    """Explain a directive (split) or an error code (LX201); alone, list the pages."""
    click.echo(explanation(topic) if topic else contents())
    return 0

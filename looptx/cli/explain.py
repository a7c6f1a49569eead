"""``looptx explain``: the page of a directive, or what an error code means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

import click

from looptx.errors import CODES, Malformed


def pages() -> dict[str, Path]:
    """The Markdown page of each topic: of the installed looptx, or of its checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / "pages", package.parent / "directives"):
        found = {page.stem: page for page in sorted(folder.glob("*.md"))}
        found.pop("README", None)
        if found:
            return found
    return {}


def explanation(topic: str) -> str:
    """The text about a directive, another topic of the manual, or an error code.

    Raises:
        LooptxError: LX101 when there is no such topic.
    """
    from looptx.cli.codes import EXPLANATIONS

    code = topic.upper()
    if code in EXPLANATIONS:
        return EXPLANATIONS[code].page(code, CODES[code])
    known = pages()
    name = topic.lower().replace("-", "_")
    if name in known:
        return _text(known[name])
    near = _nearest(topic, known) or _nearest(code, CODES)
    hint = f"did you mean `{near}`?" if near else "`looptx explain` lists the pages"
    raise Malformed(
        "LX101", f"no directive and no error code is called `{topic}`", hint=hint
    )


def contents() -> str:
    """Every page with its first sentence."""
    known = pages()
    width = max(map(len, known), default=0)
    lines = [f"  {name:<{width}}  {_summary(page)}" for name, page in known.items()]
    return "\n".join(("Pages:", *lines, "", "`looptx explain NAME` prints one."))


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8").strip("\n")


def _summary(page: Path) -> str:
    """The first sentence under the title, without its full stop."""
    _, first, *_ = _text(page).split("\n\n")
    return " ".join(first.split()).partition(". ")[0].rstrip(".")


def _nearest(name: str, known: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(name, list(known), 1)), "")


@click.command("explain")
@click.argument("topic", metavar="[NAME|LX...]", default="")
def command(topic: str) -> int:
    """Explain a directive (split) or an error code (LX201); alone, list the pages."""
    click.echo(explanation(topic) if topic else contents())
    return 0

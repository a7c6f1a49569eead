"""``looptx explain``: the page of a directive, or what an error code means."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from looptx.errors import CODES, Malformed


def pages() -> dict[str, Path]:
    """The Markdown page of each verb: of the installed looptx, or of its checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / "pages", package.parent / "directives"):
        found = {page.stem: page for page in sorted(folder.glob("*.md"))}
        found.pop("README", None)
        if found:
            return found
    return {}


def explanation(topic: str) -> str:
    """The text about a verb or an error code.

    Raises:
        LooptxError: LX101 when there is no such topic.
    """
    from looptx.cli.codes import EXPLANATIONS

    code = topic.upper()
    if code in EXPLANATIONS:
        return EXPLANATIONS[code].page(code, CODES[code])
    verbs = pages()
    verb = topic.lower().replace("-", "_")
    if verb in verbs:
        return verbs[verb].read_text(encoding="utf-8").strip("\n")
    known = (*verbs, *CODES)
    close = difflib.get_close_matches(topic, known, 1) or difflib.get_close_matches(
        code, known, 1
    )
    hint = f"did you mean `{close[0]}`?" if close else "`looptx list` shows all topics"
    raise Malformed(
        "LX101", f"no verb and no error code is called `{topic}`", hint=hint
    )


@click.command("explain")
@click.argument("topic", metavar="VERB|LX...")
def command(topic: str) -> int:
    """Explain a directive (split) or an error code (LX201)."""
    click.echo(explanation(topic))
    return 0

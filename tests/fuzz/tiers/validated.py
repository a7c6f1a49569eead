"""What ``--validate`` says of a share of the cases: nothing that is not so.

Of what is accepted and computes the same it must not say that it differs, nor fail; of
a wrong schedule that is trusted it must say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from fuzz.programs.model import Program
from looptx.cli.text import transform_text

OFTEN = 10
"""Of so many cases one is validated; all that have what it failed for."""

UNSET = "np.empty's value"
"""What a cell holds that was never written; a program that reads it has no meaning."""

DIFFERENT, UNCOMPARED = "LX208", "LX209"


def chosen(program: Program, seed: int) -> bool:
    """Whether a case is validated."""
    return seed % OFTEN == 3 or any(
        one.setting.idle or any(own.like or own.behind for own in one.locals)
        for one in program.functions
    )


def said(text: str, *, strict: bool = False) -> Iterator[tuple[str, str]]:
    """The codes and texts of what validation has against a text.

    Args:
        text: the module. strict: whether loops that never ran are something, too.
    """
    for error in transform_text(text, "f.py", validate=True, strict=strict).errors:
        yield error.code, str(error)


def wrong(text: str) -> tuple[str, str]:
    """What is wrong with what is said of a text that is right, and the error."""
    for code, detail in said(text):
        if code != UNCOMPARED and not _meaningless(detail):
            return f"validation says {code}", detail
    return "", ""


def _meaningless(detail: str) -> bool:
    """Whether the source, and not the rewritten loops alone, reads what is not set.

    What is left out of a long expression may do so.
    """
    source = detail.partition("in the source, and")[0]
    return UNSET in source or ("..." in source and UNSET in detail)


def overlooked(text: str) -> bool:
    """Whether a text that is wrong counts as right."""
    return not any(
        code in (DIFFERENT, UNCOMPARED) for code, _ in said(text, strict=True)
    )

"""From planned nests to the edits that put them into their file."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from looptx.errors import Unproven

if TYPE_CHECKING:
    from looptx.looptree.planned import Planned
    from looptx.model.program import Kernel, Nest
    from looptx.model.storage import Allocation
    from looptx.source import Edit, Module

NEWLINE = re.compile(r"\r\n?|\n")
"""What ends a line, to Python; ``str.splitlines`` knows more."""


def stamp(module: Module, nest: Nest) -> str:
    """What tells the original nest from an edited one: 12 digits of its sha256."""
    lines = NEWLINE.split(module.text)[nest.first_line - 1 : nest.last_line]
    text = "\n".join(lines)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def nest_edit(module: Module, planned: Planned) -> Edit:
    """The planned loops in the place of the nest they came from."""
    from looptx.emit.python import nest_lines
    from looptx.source import Edit

    nest = planned.nest
    _check_exceptions(planned)
    text = NEWLINE.split(module.text)
    original, hoisted, sunk = (
        [text[number - 1] for number in numbers] for numbers in _parts(nest)
    )
    for own in _allocations(planned):
        original = [*text[own.first_line - 1 : own.last_line], *original]
    mark = stamp(module, nest)
    lines = nest_lines(planned, nest.indent, mark, original=original)
    return Edit(nest.first_line, nest.last_line, (*hoisted, *lines, *sunk))


def _check_exceptions(planned: Planned) -> None:
    """What is read after an exception in a nest is what it was in the source.

    Errors: LX210.
    """
    for name in planned.lost_in_exceptions():
        raise Unproven(
            "LX210",
            f"unknown: after an exception in the nest `{name}` may hold another value",
            planned.nest.place,
            detail=(
                "the function goes on then and reads it, but the rewritten loops run",
                "in another order, or under other names.",
            ),
            hint="move the loops into a function of their own, and call that",
        )


def _allocations(planned: Planned) -> list[Allocation]:
    """The allocations that the planned loops have in another size, or not at all."""
    return [b.allocation for b in planned.buffers if b.allocation is not None]


def _parts(nest: Nest) -> tuple[list[int], list[int], list[int]]:
    """The line numbers of a nest, and of what moves before and behind it."""
    hoisted, sunk = (
        [number for low, high in ranges for number in range(low, high + 1)]
        for ranges in (nest.hoisted, nest.sunk)
    )
    moved = {*hoisted, *sunk}
    whole = range(nest.first_line, nest.last_line + 1)
    return [number for number in whole if number not in moved], hoisted, sunk


def rewritten(module: Module, parts: Sequence[tuple[Kernel, Sequence[Planned]]]) -> str:
    """The text of a module in which the planned nests are carried out.

    What was a local variable stays one, though no statement may be left to assign it.
    """
    from looptx.source import functions, lost, rewrite

    found = list(edits(module, parts))
    text = rewrite(module, found)
    new = functions(ast.parse(text, module.filename))
    old = functions(module.parsed.tree)
    became = {id(before): after for before, after in zip(old, new, strict=True)}
    kept = []
    for kernel, planned in parts:
        definition = module.definition(kernel)
        names = lost(definition, became[id(definition)])
        if names:
            kept.append(_local(names, planned[0].nest))
    return rewrite(module, [*found, *kept]) if kept else text


def _local(names: Sequence[str], nest: Nest) -> Edit:
    """Lines in front of a nest that make names local, and give them no value."""
    from looptx.emit.format import indent_unit
    from looptx.source import Edit

    quoted = ", ".join(f"`{name}`" for name in names)
    lines = (
        f"{nest.indent}if False:  # {quoted}: local, though nothing is assigned",
        f"{nest.indent}{indent_unit(nest.indent)}{' = '.join(names)} = None",
    )
    return Edit(nest.first_line, nest.first_line - 1, lines)


def edits(
    module: Module, parts: Sequence[tuple[Kernel, Sequence[Planned]]]
) -> Iterator[Edit]:
    """What makes of a module the one in which the planned nests are carried out.

    Besides the nests it changes what would schedule them again: directives above the
    ``def``, or above nests that they are not about, go, and the decorator with its
    import.
    """
    from looptx.source import Edit, strip_decorator

    for kernel, planned in parts:
        written: set[int] = set()
        for each in planned:
            yield nest_edit(module, each)
            written.update(range(each.nest.first_line, each.nest.last_line + 1))
            for own in _allocations(each):
                yield Edit(own.first_line, own.last_line, ())
        elsewhere = (each for nest in kernel.nests for each in nest.directives)
        for directive in (*kernel.directives, *elsewhere):
            if directive.place.line not in written:
                yield Edit(directive.place.line, directive.place.line, ())
    yield from strip_decorator(module, *(k for k, _ in parts if k.decorated))

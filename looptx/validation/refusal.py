"""What a user is told of a difference, and of a function that cannot be run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NoReturn

from looptx.errors import LooptxError, Place, Refused, Unproven
from looptx.looptree.planned import Planned
from looptx.model.nests.applied import Applied
from looptx.model.trees import dotted
from looptx.source.names.subscripts import subscripts
from looptx.validation.comparison import Difference, Pair, named
from looptx.validation.result import Validation, at
from looptx.validation.subject import Subject
from looptx.validation.symbols.cells import Unrunnable
from looptx.validation.symbols.pretty import parted, short

DIFFERENT = "LX208"
UNRUNNABLE = "LX209"


def different(
    subject: Subject, pair: Pair, found: Difference, planned: Planned
) -> LooptxError:
    """The refusal of loops that compute something else.

    Args:
        subject: the function. pair: its two versions. found: how they differ.
        planned: the nest that is to blame.

    Returns:
        LX208.
    """
    inputs = at(found.sizes, found.repeated)
    where = f"at {inputs}:" if found.sizes or found.repeated else "Here"
    loops = "in the rewritten loops."
    if found.disordered:
        loops = "in the rewritten loops, as threads may take the iterations."
    if found.raised is not None:
        raised = named(found.raised)
        detail = [
            f"{where} the rewritten loops raise {raised},",
            "the source does not.",
        ]
    else:
        detail = [
            f"{where} {found.where} is {short(found.before)}",
            f"in the source, and {short(found.after)}",
            loops,
        ]
        one, two = parted(found.before, found.after)
        if one is not found.before:
            detail.append(f"Inside, {short(one)} became {short(two)}.")
    verbs = " | ".join(each.text for each in planned.schedule.applied)
    place, source = _place(subject, planned)
    return Refused(
        DIFFERENT,
        f"the rewritten loops of {subject.kernel.qualname} compute something else: "
        f"{verbs or planned.nest.name}",
        place,
        detail=tuple(detail),
        hint=_hint(pair, found, planned.schedule.trusted),
        source=source,
    )


def _hint(pair: Pair, found: Difference, trusted: Sequence[Applied]) -> str:
    """What to do about a difference."""
    if not trusted:
        return "this is a defect of looptx: please report it, with the file"
    hint = f"`{trusted[0].text}` vouches for what does not hold: remove it"
    arrays = " ".join(dict.fromkeys(_scattered(pair, found.repeated)))
    if arrays:
        names = ", ".join(f"`{name}`" for name in found.repeated)
        hint += f", or write `trust independent {arrays}` if {names} never repeats"
    return hint


def _scattered(pair: Pair, repeated: tuple[str, ...]) -> Iterator[str]:
    """The arrays that are written at positions from the index arrays that repeat."""
    into = pair.inputs.indices.into
    for node in ast.walk(pair.before.scope.function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            name = dotted(subscripts(node)[0])
            if not into.get(name, frozenset()).isdisjoint(repeated):
                yield name


def _place(subject: Subject, planned: Planned) -> tuple[Place, str]:
    """The directive that was trusted, or else the nest."""
    for directive in planned.schedule.trusted:
        if directive.place is not None:
            return directive.place, directive.source
    place = planned.nest.place
    return place, subject.module.parsed.line(place.line)


def refuse(subject: Subject, error: Unrunnable) -> NoReturn:
    """The refusal of a function that symbols cannot run through.

    Raises:
        LooptxError: LX209.
    """
    kernel, parsed = subject.kernel, subject.module.parsed
    place = kernel.place
    if error.line:
        line = parsed.line(error.line)
        column = len(line) - len(line.lstrip()) + 1
        place = Place(subject.module.filename, error.line, column)
    raise Unproven(
        UNRUNNABLE,
        f"not validated: {kernel.qualname} cannot be run on symbols",
        place,
        detail=(str(error),),
        hint="`looptx explain LX209` says what can be run",
        source=parsed.line(place.line),
    )


def incomplete(subject: Subject, result: Validation) -> LooptxError:
    """The refusal of a validation that left loops out. Code: LX209."""
    kernel = subject.kernel
    return Unproven(
        UNRUNNABLE,
        f"not validated: loops of {kernel.qualname} never ran",
        kernel.place,
        detail=(f"not compared: {result.missing}",),
        hint="smaller blocks have loops that run at smaller sizes; "
        "`kernel.validate(n=...)` takes sizes of any cost",
        source=subject.module.parsed.line(kernel.place.line),
    )

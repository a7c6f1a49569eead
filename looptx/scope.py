"""Which nest each directive of a function belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from looptx.directives import Verb, parse
from looptx.directives.assume import Assume
from looptx.errors import LooptxError, Malformed
from looptx.model.expr import variables
from looptx.model.program import Directive, Kernel, Nest
from looptx.model.schedule import Schedule, initial


def assign(
    kernel: Kernel, directives: Sequence[Directive] = ()
) -> tuple[tuple[Nest, tuple[Verb, ...]], ...]:
    """Every nest with its directives: those of the function first, then its own.

    Raises:
        LooptxError: LX104 and LX105 for names, LX108 when comments and ``directives``
            (a decorator or a directive file) schedule one nest, LX111 for a nest that
            is a result already.
    """
    own = [
        tuple(verb for directive in nest.directives for verb in parse(directive))
        for nest in kernel.nests
    ]
    nests = [_named(nest, verbs) for nest, verbs in zip(kernel.nests, own, strict=True)]
    shared: list[list[Verb]] = [[] for _ in nests]
    given: list[list[Verb]] = [[] for _ in nests]
    schedules = [initial(nest, kernel.names) for nest in nests]
    for group, target in ((kernel.directives, shared), (directives, given)):
        for directive in group:
            for verb in parse(directive):
                for at in _targets(verb, schedules):
                    schedules[at] = verb.apply(schedules[at])
                    target[at].append(verb)
    result = []
    for nest, commented, above, outside in zip(nests, own, shared, given, strict=True):
        if outside and (commented or above):
            verb = outside[0]
            raise Malformed(
                "LX108",
                f"nest `{nest.name}` is scheduled by comments and a decorator or file",
                verb.place,
                hint="keep one of them",
                source=verb.source,
            )
        verbs = (*above, *outside, *commented)
        nest = _with_assumed(nest, verbs)
        if nest.applied and verbs:
            raise verbs[0].located(
                Malformed(
                    "LX111",
                    f"nest `{nest.name}` is already transformed",
                    hint="transform the original, or remove the `applied` line",
                )
            )
        # What is only asserted about the whole function schedules no further nest.
        idle = not commented and not any(verb.loops for verb in verbs)
        result.append((nest, () if idle and len(nests) > 1 else verbs))
    return tuple(result)


def _named(nest: Nest, verbs: Sequence[Verb]) -> Nest:
    """The nest under the name its first ``nest NAME`` gives it."""
    schedule = initial(nest)
    for verb in verbs:
        if verb.verb == "nest":
            schedule = verb.apply(schedule)
    return replace(nest, name=schedule.nest.name)


def _with_assumed(nest: Nest, verbs: Sequence[Verb]) -> Nest:
    """The nest, reading what its assumptions speak of, too."""
    names = list(nest.live_in)
    for verb in verbs:
        if isinstance(verb, Assume):
            for text in sorted(variables(verb.cond)):
                name = text.removeprefix("len(").partition(".shape[")[0].rstrip(")")
                canonical = nest.equal.get(text, name)
                names.append(canonical if canonical.isidentifier() else name)
    return replace(nest, live_in=tuple(dict.fromkeys(names)))


def _targets(verb: Verb, schedules: Sequence[Schedule]) -> list[int]:
    """The nests a directive of the function applies to."""
    found: list[int] = []
    errors: list[LooptxError] = []
    for at, schedule in enumerate(schedules):
        try:
            verb.apply(schedule)
        except LooptxError as error:
            errors.append(error)
            if error.code in ("LX104", "LX110"):
                continue
        found.append(at)
    if not schedules:
        raise verb.located(
            Malformed(
                "LX107", "the function has no loop nest", hint="remove the directive"
            )
        )
    if not found:
        raise errors[0]
    if len(found) > 1 and verb.loops:
        names = [schedules[at].nest.name for at in found]
        choices = " or ".join(f"`{name}.{verb.loops[0]}`" for name in names)
        raise verb.located(
            Malformed(
                "LX105",
                f"`{verb.loops[0]}` is a loop of several nests: {', '.join(names)}",
                hint=f"write {choices}",
            )
        )
    return found

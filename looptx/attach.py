"""Which nest each directive of a function belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from looptx.directives import Verb, parse
from looptx.directives.around.fuse_around import Cost, numbered
from looptx.directives.facts.nests import (
    with_assumed,
    with_others,
    with_sizes,
    with_temporaries,
)
from looptx.directives.names import nest_of
from looptx.directives.nest import named
from looptx.errors import LooptxError, Malformed, Together
from looptx.model.program import Directive, Kernel, Nest
from looptx.model.records import replace
from looptx.model.schedule import Schedule, initial
from looptx.units import units

if TYPE_CHECKING:
    from looptx.around import Expansion

_NAME = re.compile(r"[^\W\d]\w*")


def assign(
    kernel: Kernel, directives: Sequence[Directive] = ()
) -> tuple[tuple[Nest, tuple[Verb, ...]], ...]:
    """Every nest with its directives: those of the function first, then its own.

    Raises:
        LooptxError: LX104 and LX105 for names, LX108 when comments and ``directives``
            (a decorator or a directive file) schedule one nest, LX106 and LX109 for
            what cannot have a name, LX111 for a nest that
            is a result already, LX118 for what looks like a misspelt directive.
    """
    _check_spelling(kernel)
    parsed = _all(kernel, directives)
    expansions = _expansions(kernel, parsed, {})
    written = [tuple(_written(verbs, expansions)) for verbs in parsed]
    try:
        assigned = _assigned(kernel, written)
    except LooptxError as error:
        raise _explained(error, kernel, parsed, expansions.values()) from None
    return tuple(
        (_scheduled(_with_told(nest, expansions.values()), verbs), verbs)
        for nest, verbs in assigned
    )


def _scheduled(nest: Nest, verbs: Sequence[Verb]) -> Nest:
    """A nest of which others may have written where a part of it starts again.

    Args:
        nest: it. verbs: what schedules it.
    """
    return replace(nest, host=replace(nest.host, filled=())) if verbs else nest


def amounts(
    kernel: Kernel, directives: Sequence[Directive], costs: Mapping[str, Cost]
) -> Mapping[str, Expansion]:
    """What each ``fuse_around`` of a function amounts to, by its key.

    Args:
        kernel: the function. directives: those beside its comments.
        costs: what a place costs, for some of them.

    Raises:
        LooptxError: as ``assign``; LX120 for a cost.
    """
    return _expansions(kernel, _all(kernel, directives), costs)


def _all(kernel: Kernel, directives: Sequence[Directive]) -> list[tuple[Verb, ...]]:
    """The verbs above a function, those given beside it, and those of each nest."""
    inside = (nest.text.directives for nest in kernel.nests)
    parsed = _parsed(kernel.directives, directives, *inside)
    return [tuple(each) for each in numbered(parsed)]


def _expansions(
    kernel: Kernel, parsed: Sequence[Sequence[Verb]], costs: Mapping[str, Cost]
) -> Mapping[str, Expansion]:
    """The same for verbs, group by group."""
    found: dict[str, Expansion] = {}
    if any(verb.key for verbs in parsed for verb in verbs):
        from looptx.around import expansions

        assigned = _assigned(kernel, parsed)
        for at, (nest, verbs) in enumerate(assigned):
            others = [one for other, (one, _) in enumerate(assigned) if other != at]
            found |= expansions(nest, verbs, kernel, costs, others)
    return found


def _written(
    verbs: Sequence[Verb], expansions: Mapping[str, Expansion]
) -> Iterator[Verb]:
    """Verbs, each with those in its place that it amounts to, if any."""
    for verb in verbs:
        known = expansions.get(verb.key)
        yield from (verb,) if known is None else known.written


def _with_told(nest: Nest, expansions: Iterable[Expansion]) -> Nest:
    """The nest with what is told of the anchors in it."""
    names = {nest.name, *nest.asked.subnests}
    own = (one for one in expansions if one.around.nest in names)
    told = tuple(line for one in own for line in one.lines)
    return replace(nest, asked=replace(nest.asked, told=told))


def _explained(
    error: LooptxError,
    kernel: Kernel,
    parsed: Sequence[tuple[Verb, ...]],
    expansions: Iterable[Expansion],
) -> LooptxError:
    """An error with the reasons why nests stayed that use what is no temporary.

    Args:
        error: what is wrong. kernel: the function. parsed: the verbs of each nest.
        expansions: what became of the nests around anchors.
    """
    if error.code in ("LX104", "LX117"):
        temporaries = (x for verbs in parsed for one in verbs for x in one.temporaries)
        shared = {array for array in temporaries if f"`{array}`" in error.message}
        nests, _ = named(kernel.nests, parsed[2:])
        users = {one.name for one in nests if not shared.isdisjoint(one.arrays)}
        error.detail += tuple(x for one in expansions for x in one.left(users))
    return error


def _assigned(
    kernel: Kernel, parsed: Sequence[Sequence[Verb]]
) -> list[tuple[Nest, tuple[Verb, ...]]]:
    """Every nest with its directives, which are plain.

    Args:
        kernel: the function.
        parsed: the verbs above it, those given beside it, and those of each nest.
    """
    above, outside, *inside = map(tuple, parsed)
    nests, own = named(kernel.nests, inside)
    known = nests
    nests, own = units(kernel, nests, own, (*above, *outside))
    shared: list[list[Verb]] = [[] for _ in nests]
    given: list[list[Verb]] = [[] for _ in nests]
    nests = [with_others(nest, known) for nest in nests]
    schedules = [initial(nest, kernel.names) for nest in nests]
    for group, target in ((above, shared), (outside, given)):
        for verb in group:
            for one in verb.each() if len(nests) > 1 else (verb,):
                for at in _targets(one, schedules):
                    schedules[at] = one.apply(schedules[at])
                    target[at].append(one)
    result = []
    for nest, commented, general, strings in zip(
        nests, own, shared, given, strict=True
    ):
        if strings and not all(verb.nest_name for verb in (*commented, *general)):
            verb = strings[0]
            raise Malformed(
                "LX108",
                f"nest `{nest.name}` is scheduled by comments and a decorator or file",
                verb.place,
                hint="keep one of them",
                source=verb.source,
            )
        verbs = (*general, *strings, *commented)
        nest = with_assumed(nest, verbs, kernel.names)
        nest = with_temporaries(with_sizes(nest, verbs), verbs)
        if nest.text.applied and verbs:
            raise verbs[0].located(
                Malformed(
                    "LX111",
                    f"nest `{nest.name}` is already transformed",
                    hint="transform the original, or remove the `applied` line",
                )
            )
        # What is only asserted about the whole function schedules no further nest.
        idle = not commented and all(verb.asserts for verb in verbs)
        result.append((nest, () if idle and len(nests) > 1 else verbs))
    return result


def _parsed(*groups: Sequence[Directive]) -> list[tuple[Verb, ...]]:
    """The verbs of each group of directives."""
    wrong = Together()
    result: list[tuple[Verb, ...]] = []
    for group in groups:
        verbs: list[Verb] = []
        for directive in group:
            with wrong:
                verbs += parse(directive)
        result.append(tuple(verbs))
    wrong.fail()
    return result


def _check_spelling(kernel: Kernel) -> None:
    """Check that no comment is a directive with a misspelt `looptx:`.

    Raises LX118 for a comment that reads as directives, of which a word is a name of
    the function: prose about looptx is not.
    """
    for comment in kernel.nearly:
        try:
            verbs = parse(comment)
        except LooptxError:
            continue
        words = {word for verb in verbs for word in _NAME.findall(verb.text)[1:]}
        if not words.isdisjoint(kernel.names):
            column = comment.place.column - 1
            written = comment.source[column:].partition(comment.text)[0].rstrip()
            raise Malformed(
                "LX118",
                f"`{written}` does not begin a directive",
                comment.place,
                hint=f"write `# looptx: {comment.text}`",
                source=comment.source,
            )


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
        raise _closest(verb, schedules, errors)
    if len(found) > 1 and verb.loops:
        names = [nest_of(schedules[at], verb.loops[0]) for at in found]
        choices = " or ".join(f"`{name}.{verb.loops[0]}`" for name in names)
        raise verb.located(
            Malformed(
                "LX105",
                f"`{verb.loops[0]}` is a loop of several nests: {', '.join(names)}",
                hint=f"write {choices}",
            )
        )
    return found


def _closest(
    verb: Verb, schedules: Sequence[Schedule], errors: Sequence[LooptxError]
) -> LooptxError:
    """Of the errors of all nests that of one with what is named, if any."""
    named = {loop.rpartition(".")[2].partition("#")[0] for loop in verb.loops}
    for schedule, error in zip(schedules, errors, strict=True):
        if any(loop.var in named for loop in schedule.nest.text.kept):
            return error
    names = {x for loop in verb.loops for x in (loop, loop.rpartition(".")[0])}
    for schedule, error in zip(schedules, errors, strict=True):
        if not names.isdisjoint(schedule.groups):
            return error
    return errors[0]

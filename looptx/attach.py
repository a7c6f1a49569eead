"""Which nest each directive of a function belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from looptx.directives import Verb, parse
from looptx.directives.facts.nests import (
    with_assumed,
    with_others,
    with_temporaries,
)
from looptx.directives.names import nest_of, unknown_nest
from looptx.directives.nest import named
from looptx.errors import LooptxError, Malformed, Together
from looptx.model.program import Directive, Kernel, Nest
from looptx.model.schedule import Schedule, initial

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
    above, outside, *inside = _parsed(
        kernel.directives, directives, *(nest.directives for nest in kernel.nests)
    )
    nests, own = named(kernel.nests, inside)
    known = nests
    nests, own = _units(kernel, nests, own, (*above, *outside))
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
        nest = with_temporaries(nest, verbs)
        if nest.applied and verbs:
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
    return tuple(result)


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


def _units(
    kernel: Kernel,
    nests: Sequence[Nest],
    own: Sequence[tuple[Verb, ...]],
    general: Sequence[Verb],
) -> tuple[list[Nest], list[tuple[Verb, ...]]]:
    """The nests, those that are fused as one, each with the directives about it."""
    known = {name: at for at, nest in enumerate(nests) for name in nest.subnests}
    known |= {nest.name: at for at, nest in enumerate(nests)}
    everywhere = [(verb, -1) for verb in general]
    for at, verbs in enumerate(own):
        everywhere += [(verb, at) for verb in verbs]
    for verb, at in everywhere:
        home = _found(verb, _home(verb, at, known, nests), nests)
        known |= dict.fromkeys(verb.makes, home)
        for each in range(len(nests)) if home < 0 else (home,):
            known = {**dict.fromkeys(verb.makes_of(nests[each]), each), **known}
    units: list[Nest] = []
    verbs_of: list[list[Verb]] = []
    unit_of: list[int] = []
    for low, high, fuse in _spans(kernel, everywhere, known, nests):
        unit_of += [len(units)] * (high + 1 - low)
        units.append(_joined(kernel, nests[low : high + 1], fuse))
        verbs_of.append([])
    for verb, at in everywhere:
        home = _home(verb, at, known, nests)
        _check_used(verb, _found(verb, home, nests), nests, unit_of)
        if at >= 0:
            together = unit_of.count(unit_of[home]) > 1
            if not (together and verb.nest_name):
                within = nests[home].name if together else ""
                verbs_of[unit_of[home]].append(replace(verb, within=within))
    return units, [tuple(verbs) for verbs in verbs_of]


def _joined(kernel: Kernel, nests: Sequence[Nest], fuse: Verb | None) -> Nest:
    """Several nests as one; a single one as it is."""
    if fuse is None or len(nests) == 1:
        return nests[0]
    assert kernel.join is not None
    try:
        return kernel.join(list(nests))
    except LooptxError as error:
        raise fuse.located(error) from None


def _home(verb: Verb, at: int, known: Mapping[str, int], nests: Sequence[Nest]) -> int:
    """The nest that a directive is about: the one that its loops' names say, or else
    the one it stands on.

    Args:
        verb: the directive.
        at: the nest it stands on; -1 for the function.
        known: the nests and sub-nests by name. nests: those of the function.

    Raises LX104 for the name of a nest that there is none of.
    """
    own = {loop.var for loop in nests[at].loops.values()} if at >= 0 else set()
    homes = set()
    for loop in verb.loops:
        prefix, dot, _ = loop.rpartition(".")
        if dot and known and prefix not in known:
            raise verb.located(unknown_nest(prefix, known))
        # A cache may name a whole nest in the place of a loop.
        name = prefix if dot or loop in own else loop
        homes.add(known.get(name, at))
    return homes.pop() if len(homes) == 1 else at


def _found(verb: Verb, home: int, nests: Sequence[Nest]) -> int:
    """The nest of a directive above the function: the one with loops of its names.

    A name may be that of a whole nest.
    """
    if home >= 0:
        return home
    names = {loop.partition("#")[0] for loop in verb.loops}
    found = [
        at
        for at, nest in enumerate(nests)
        if len(nests) == 1
        or names & {nest.name, *nest.subnests, *(x.var for x in nest.loops.values())}
    ]
    return found[0] if len(found) == 1 else home


def _check_used(
    verb: Verb, home: int, nests: Sequence[Nest], unit_of: Sequence[int]
) -> None:
    """See that no other nests but that of a directive use what it names. (LX104)"""
    for array in verb.uses:
        users = [at for at, nest in enumerate(nests) if array in nest.arrays]
        if home >= 0 and users and unit_of[home] not in {unit_of[x] for x in users}:
            message = f"the nest `{nests[home].name}` does not use `{array}`"
            detail = f"nests that do: {', '.join(nests[x].name for x in users)}"
            hint = f"name a loop of `{nests[users[0]].name}`"
            raise verb.located(Malformed("LX104", message, detail=(detail,), hint=hint))


def _spans(
    kernel: Kernel,
    everywhere: Sequence[tuple[Verb, int]],
    known: Mapping[str, int],
    nests: Sequence[Nest],
) -> list[tuple[int, int, Verb | None]]:
    """The first and the last of the nests that are read as one, in order, and why.

    Args:
        kernel: the function.
        everywhere: the directives, each with the nest it stands on.
        known: the nests and sub-nests by name.
        nests: those of the function.
    """
    spans: list[tuple[int, int, Verb | None]] = []
    for verb, at in everywhere:
        if verb.joins:
            low, high = _span(verb, at, known, nests)
            invited = [known[name] for name in verb.invites(nests)]
            low, high = _extended(kernel, nests, low, high, invited)
            for one in [one for one in spans if one[0] <= high and low <= one[1]]:
                spans.remove(one)
                low, high = min(low, one[0]), max(high, one[1])
            spans.append((low, high, verb))
    held = {at for low, high, _ in spans for at in range(low, high + 1)}
    return sorted(
        [*spans, *((at, at, None) for at in range(len(nests)) if at not in held)],
        key=lambda one: one[0],
    )


def _extended(
    kernel: Kernel, nests: Sequence[Nest], low: int, high: int, invited: Sequence[int]
) -> tuple[int, int]:
    """A span with the nests that are invited, up to the first that cannot come.

    Args:
        kernel: the function. nests: its nests.
        low, high: the first and the last of the nests that are read as one.
        invited: others.
    """
    before = sorted((x for x in invited if x < low), reverse=True)
    for at in (*before, *sorted(x for x in invited if x > high)):
        first, last = min(low, at), max(high, at)
        assert kernel.join is not None
        try:
            kernel.join(list(nests[first : last + 1]))
        except LooptxError:
            continue
        low, high = first, last
    return low, high


def _span(
    verb: Verb, at: int, known: Mapping[str, int], nests: Sequence[Nest]
) -> tuple[int, int]:
    """The first and the last of the nests that a directive makes one.

    A loop without the name of its nest is that of any nest that has it; all may have
    one that no nest has as it is written.

    Args:
        verb: the directive.
        at: the nest it stands on; -1 for the function.
        known: the nests and sub-nests by name. nests: those of the function.

    Raises LX104 for a name that no nest has.
    """
    found = [at] if at >= 0 else []
    for name in (*verb.joins, *verb.reaches(nests)):
        if name not in known:
            raise verb.located(unknown_nest(name, known))
        if known[name] >= 0:
            found.append(known[name])
    for loop in verb.loops:
        if at < 0 and "." not in loop:
            name = loop.partition("#")[0]
            having = [
                one
                for one, nest in enumerate(nests)
                if any(each.var == name for each in nest.loops.values())
            ]
            found += having or range(len(nests))
    found = found or [*range(len(nests))]
    return min(found), max(found)


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
        if any(loop.var in named for loop in schedule.nest.kept):
            return error
    names = {x for loop in verb.loops for x in (loop, loop.rpartition(".")[0])}
    for schedule, error in zip(schedules, errors, strict=True):
        if not names.isdisjoint(schedule.groups):
            return error
    return errors[0]

"""Which nests of a function are read as one, and the directives of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from looptx.directives import Verb
from looptx.directives.names import unknown_nest
from looptx.errors import LooptxError, Malformed
from looptx.model.program import Kernel, Nest
from looptx.model.records import replace


def units(
    kernel: Kernel,
    nests: Sequence[Nest],
    own: Sequence[tuple[Verb, ...]],
    general: Sequence[Verb],
) -> tuple[list[Nest], list[tuple[Verb, ...]]]:
    """The nests, those that are fused as one, each with the directives about it.

    Args:
        kernel: the function. nests: its nests.
        own: the directives on each of them. general: those of the function.

    Raises:
        LooptxError: LX104 for names, LX206 where nests cannot be one.
    """
    known = {name: at for at, nest in enumerate(nests) for name in nest.asked.subnests}
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
        or names
        & {nest.name, *nest.asked.subnests, *(x.var for x in nest.loops.values())}
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
    whole = [*invited, low, high]
    before = sorted((x for x in invited if x < low), reverse=True)
    one_by_one = [(x, x) for x in (*before, *sorted(x for x in invited if x > high))]
    for least, most in ((min(whole), max(whole)), *one_by_one):
        first, last = min(low, least), max(high, most)
        assert kernel.join is not None
        if (first, last) != (low, high):
            with suppress(LooptxError):
                kernel.join(list(nests[first : last + 1]))
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
            error = unknown_nest(name, known)
            if any(each.var == name for one in nests for each in one.loops.values()):
                error.hint = f"`{name}` is a loop: `collapse` makes one loop of two"
            raise verb.located(error)
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

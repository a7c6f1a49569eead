"""Nests, and what their function and its directives say of them besides the order."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.directives.base import Verb
from looptx.model.expr import variables
from looptx.model.program import Nest
from looptx.model.records import replace
from looptx.model.shapes import owner
from looptx.model.storage import Allocation


def with_others(nest: Nest, nests: Sequence[Nest]) -> Nest:
    """The nest, which knows the loops of the other nests of its function."""
    found: dict[str, str] = {}
    for one in nests:
        for loop in one.loops.values():
            if one.name != nest.name and one.name not in nest.asked.subnests:
                found.setdefault(loop.var, one.name)
    return replace(nest, asked=replace(nest.asked, elsewhere=found))


def with_assumed(nest: Nest, verbs: Sequence[Verb], known: frozenset[str]) -> Nest:
    """The nest, with the names of its assumptions among those it reads.

    Args:
        nest: the nest. verbs: its directives. known: the names of the function.
    """
    names = list(nest.live_in)
    for verb in verbs:
        for text in sorted(variables(verb.assumed)):
            name = owner(text)
            canonical = nest.entry.equal.get(text, name)
            name = canonical if canonical.isidentifier() else name
            names += [name] if name.partition(".")[0] in known else []
    return replace(nest, live_in=tuple(dict.fromkeys(names)))


def with_sizes(nest: Nest, verbs: Sequence[Verb]) -> Nest:
    """The nest, with the arguments that its directives take for sizes."""
    named = frozenset[str]().union(*(verb.parameters for verb in verbs))
    loops = {loop.var for loop in nest.loops.values()}
    found = sorted(named & nest.entry.spare - loops)
    return replace(
        nest,
        live_in=tuple(dict.fromkeys((*nest.live_in, *found))),
        parameters=tuple(dict.fromkeys((*nest.parameters, *found))),
    )


def temporaries(nest: Nest, verbs: Sequence[Verb]) -> list[Allocation]:
    """The allocations that directives replace, in the order of the source."""
    named = {array for verb in verbs for array in verb.made(nest)}
    return [own for array, own in nest.allocations.items() if array in named]


def with_temporaries(nest: Nest, verbs: Sequence[Verb]) -> Nest:
    """The nest, which makes the temporaries of its directives itself."""
    made = temporaries(nest, verbs)
    gone = {own.array for own in made}
    kept = [name for name in nest.live_in if name not in gone]
    kept += sorted(name for own in made for name in own.reads)
    facts = {**nest.entry.equal, **{x: y for own in made for x, y in own.equal.items()}}
    sizes = {text: known for text, known in facts.items() if owner(text) not in gone}
    extents = (text for own in made for size in own.shape for text in variables(size))
    return replace(
        nest,
        live_in=tuple(dict.fromkeys(kept)),
        parameters=tuple(dict.fromkeys((*nest.parameters, *sorted(extents)))),
        entry=replace(nest.entry, equal=sizes),
    )

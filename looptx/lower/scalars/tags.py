"""The scalars beside which C keeps which of several types they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.errors import LooptxError
from looptx.lower.loops.statements import Frame, Statements
from looptx.lower.scalars.infer import assignments
from looptx.lower.scope import Scope
from looptx.lower.tree import Assign, used
from looptx.lower.values.alternatives import tag
from looptx.lower.values.expressions import Expressions
from looptx.model.program import Statement
from looptx.model.records import replace


def tagged(scope: Scope) -> frozenset[str]:
    """The scalars whose type something depends on, with those it comes from.

    Args:
        scope: the nest; the kinds of its scalars are known.
    """
    nest = scope.planned.nest
    several = {name for name, kind in scope.kinds.items() if len(kind.members) > 1}
    several = {name for name in several if not scope.is_listed(name)}
    found = several & set(nest.live_out)
    kept = several - scope.buffers.keys()
    if not kept:
        return frozenset(found)
    # What is lowered here is thrown away, and so are the names it takes.
    aside = replace(scope, names=scope.names.copy())
    marks = {aside.tag(name).name: name for name in sorted(kept)}
    sources: dict[str, set[str]] = {name: set() for name in several}
    for statement in scope.statements:
        try:
            lines = Statements(aside).lowered(statement, statement.own_index, Frame())
        except LooptxError as error:
            raise error.at(statement.place) from None
        found |= {marks[one] for one in used(lines) & marks.keys()}
        for name, source in _sources(aside, statement, marks):
            if name in sources:
                sources[name].add(source)
    left = [*found]
    while left:
        more = sources[left.pop()] - found
        found |= more
        left += more
    return frozenset(found)


def _sources(
    scope: Scope, statement: Statement, marks: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The scalars that a statement gives values, with those whose types they take."""
    expressions = Expressions(scope, statement, statement.own_index)
    for name, make in assignments(expressions, statement.code):
        mark = tag(make())
        if mark is not None:
            yield from (
                (name, marks[one]) for one in used([Assign(mark, mark)]) & marks.keys()
            )

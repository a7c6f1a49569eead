"""Which scalars a nest surely gives a value, and which may keep none.

A name without a value stays one: what the nest gives back says so, and the function's
own line raises what Python raises. C keeps beside such a scalar whether it has a value,
as it keeps which of several types it has.
"""

from __future__ import annotations

from looptx.lower.scope import Scope
from looptx.model.expr import And, Compare, Cond, variables
from looptx.model.naming import is_noted


def unbound(scope: Scope) -> list[str]:
    """What is read after the nest, and nothing says that it had a value before."""
    nest = scope.planned.nest
    # What a `return` has is looked at only where it was come to.
    given = (name for name in nest.live_out if not is_noted(name))
    return [name for name in given if name in nest.scalars and name not in nest.live_in]


def perhaps(scope: Scope) -> frozenset[str]:
    """The scalars that may get no value, for all that the entry can test."""
    names = (name for name in unbound(scope) if name in scope.kinds)
    kept = (name for name in names if name not in scope.buffers)
    return frozenset(name for name in kept if assigned(scope, name) is None)


def assigned(scope: Scope, name: str) -> list[Cond] | None:
    """Conditions under which a scalar surely gets a value; None if there are none."""
    nest = scope.planned.nest
    known = set(nest.parameters)
    for statement in nest.statements.values():
        sure = any(
            access.array == name and access.write and access.certain
            for access in statement.accesses
        )
        loops = [nest.loops[loop] for loop in statement.loops]
        ends = [bound for loop in loops for bound in (loop.start, loop.stop)]
        fixed = all(variables(bound) <= known for bound in ends)
        if statement.guard == And(()) and sure and fixed:
            return [
                Compare("<" if loop.step > 0 else ">", loop.start, loop.stop)
                for loop in loops
            ]
    return None

"""Values of one of several Python types, and what is made of them by each type.

``s = 0.0`` and ``s += A[i]`` leave a Python float or a ``numpy.float64`` in one C
variable. Mostly the same C computes with both. Where it does not (a division by zero
raises for one and not for the other), a small integer beside the variable tells which
of them it holds, and what is computed is chosen by it at run time: a sum of types, as
far as it is needed (as in the type tags of soft typing: Cartwright and Fagan, PLDI
1991).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from looptx.lower import advice
from looptx.lower.checks import SATURATED
from looptx.lower.kinds import BOOL, TAG, Kind, fail, join, names, of
from looptx.lower.tree import Expr, either, infix, inside, intrinsic, number
from looptx.lower.types import RANK, c_name
from looptx.lower.values.literals import cast, converted, shared
from looptx.model.dtypes import DTYPES, INTEGERS
from looptx.model.records import replace
from looptx.model.types import ScalarType

Cases: TypeAlias = Mapping[tuple[ScalarType, ...], Expr]
"""Values, by the types that others have."""

_MOST = 400
"""The parts of what is chosen by types at most: every choice repeats its operands."""


def code(kind: ScalarType) -> int:
    """The number that tells a type from others; 0 is none."""
    return 2 * RANK[kind.dtype] + kind.weak + 1


def tag(value: Expr) -> Expr | None:
    """What tells in C which of its types a value has: a ``code``; None if nothing."""
    members = value.kind.members
    if len(members) == 1:
        return number(code(*members))
    known = value.tag
    return known if known is not None and known.kind.members == members else None


def told(value: Expr, by: Expr | None) -> Expr:
    """A value with what tells which of its types it has."""
    members = value.kind.members
    if by is None or len(members) == 1:
        return replace(value, tag=None)
    return replace(value, tag=replace(by, kind=Kind(TAG.dtype, members)))


def several(*values: Expr) -> bool:
    """Whether one of some values has one of several types."""
    return any(len(value.kind.members) > 1 for value in values)


def own(value: Expr) -> Expr:
    """A value of one type in the C type of that, not in one that held others, too."""
    (member,) = value.kind.members
    held = value.kind.dtype
    if held == member.dtype:
        return value
    if DTYPES[held].is_complex and not DTYPES[member.dtype].is_complex:
        kind = of(ScalarType(DTYPES[held].part))
        part = intrinsic("real", kind, value, dtype=held)
        return replace(cast(part, member.dtype), kind=_as(value, member))
    if member.dtype == "bool" or DTYPES[held].is_complex:
        return replace(cast(value, member.dtype), kind=_as(value, member))
    return converted(value, c_name(member.dtype), _as(value, member), value.literal)


def real(value: Expr) -> Expr:
    """A value of one type; no complex number of C unless that is its type."""
    return own(value) if value.kind.is_complex else value


def integral(value: Expr) -> Expr:
    """A value of one type; an integer in a C type of integers."""
    (member,) = value.kind.members
    inexact = DTYPES[value.kind.dtype].is_inexact
    return own(value) if inexact and member.dtype in ("bool", *INTEGERS) else value


def _as(value: Expr, member: ScalarType) -> Kind:
    return Kind(member.dtype, frozenset((member,)), value.kind.numbers)


def choice(cond: Expr, left: Expr, right: Expr, *, strong: bool = False) -> Expr:
    """``left if cond else right``."""
    kind = join(left.kind, right.kind)
    parts = cond, shared(left, kind), shared(right, kind)
    if strong:
        kind = of(ScalarType(kind.dtype))
    facts = (left.facts | right.facts) & {SATURATED}
    value = Expr("choice", kind, parts, facts=facts)
    return told(value, picked(cond, left, right))


def picked(cond: Expr, left: Expr, right: Expr) -> Expr | None:
    """What tells the type of one of two values: the first where a condition holds."""
    one, two = tag(left), tag(right)
    if one is None or two is None or one == two:
        return one and two
    return Expr("choice", of(TAG), (cond, one, two))


def by_types(values: Sequence[Expr]) -> dict[tuple[ScalarType, ...], tuple[Expr, ...]]:
    """Values as those of each of their types, in the C types that they have."""
    kinds = [sorted(value.kind.members, key=str) for value in values]
    return {types: tuple(map(_single, values, types)) for types in product(*kinds)}


def _single(value: Expr, member: ScalarType) -> Expr:
    if len(value.kind.members) == 1:
        return value
    numbers = value.kind.numbers if member.weak else None
    kind = Kind(value.kind.dtype, frozenset((member,)), numbers)
    return replace(value, kind=kind, tag=None)


def each(make: Callable[..., Expr], *values: Expr, what: str) -> Expr:
    """What is made of values: the same for all their types, or chosen by them.

    Args:
        make: makes it of values of one type each.
        values: the values.
        what: it, in words.

    Raises:
        Unsupported: LX504 where nothing tells which type a value has, and it matters.
    """
    if not several(*values):
        return make(*values)
    made = {types: make(*single) for types, single in by_types(values).items()}
    return chosen(made, values, what)


def chosen(made: Cases, values: Sequence[Expr], what: str) -> Expr:
    """One of several values, by the types of others.

    Args:
        made: each, by these types. values: the others. what: it, in words.

    Raises:
        Unsupported: as of ``each``.
    """
    kind = join(*(one.kind for one in made.values()))
    alike = {types: shared(one, kind) for types, one in made.items()}
    value = replace(_decided(alike, values, kind, what), kind=kind)
    if len(kind.members) == 1:
        return replace(value, tag=None)
    return told(value, _tag_of(made, values))


def _tag_of(made: Cases, values: Sequence[Expr]) -> Expr | None:
    """What tells the type of one of several values."""
    tags = {types: tag(one) for types, one in made.items()}
    marks = {types: one for types, one in tags.items() if one is not None}
    if len(marks) < len(tags) or any(
        len(one.kind.members) > 1 for one in made.values()
    ):
        return None
    for at, value in enumerate(values):
        if all(one == number(code(types[at])) for types, one in marks.items()):
            return tag(value)
    if any(len(one.kind.members) > 1 and tag(one) is None for one in values):
        return None
    return _decided(marks, values, of(TAG), "")


def _decided(made: Cases, values: Sequence[Expr], kind: Kind, what: str) -> Expr:
    """A chain of choices, none by what makes no difference."""
    if not values:
        return made[()]
    value, *rest = values
    found: dict[Expr, list[ScalarType]] = {}
    for member in sorted(value.kind.members, key=str):
        part = {types[1:]: one for types, one in made.items() if types[0] == member}
        found.setdefault(_decided(part, rest, kind, what), []).append(member)
    *others, (last, _) = sorted(found.items(), key=lambda one: len(one[1]))
    if not others:
        return last
    by = tag(value)
    if by is None:
        fail(
            f"{what} depends on whether a value is {names(value.kind)}",
            hint=advice.CONVERT,
        )
    for one, members in others:
        tests = (infix("==", by, number(code(x)), of(BOOL)) for x in members)
        last = Expr("choice", kind, (either(*tests), one, last))
    if sum(1 for _ in inside(last)) > _MOST:
        fail(f"{what} depends on the types of too many values", hint=advice.CONVERT)
    return last

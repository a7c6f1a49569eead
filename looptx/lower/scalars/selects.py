"""Numbers that both ways of a branch give values, chosen without it.

Where data say which way a loop goes no processor foresees it. What counts on one way
and begins anew on the other is done for both, and one of two results is taken
(if-conversion: Allen, Kennedy, Porterfield, Warren, POPL 1983). A branch that only
remembers what is better stays: it is seldom taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.lower import tree
from looptx.lower.kinds import BOOL, INT, of
from looptx.lower.scalars.branches import READY, subscripts
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Run,
    Stmt,
    While,
    assignments,
    constant,
    infix,
    inside,
    intrinsic,
    loops,
    number,
    used,
)
from looptx.lower.values.literals import converted
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.lower.vectors.masks.masked import CELLS
from looptx.lower.vectors.places import standing
from looptx.lower.vectors.strips import rewritten
from looptx.model.dtypes import DTYPES
from looptx.model.records import replace

_MOST = 40
"""The parts of what is computed for both ways."""


def with_selects(scope: Scope, one: Function) -> Function:
    """A function whose loops choose integers without branches.

    Args:
        scope: the nest. one: the function.
    """
    given = {n: c for n, c in one.arguments.items() if isinstance(c, str)}
    types, declared = {**given, **one.variables}, {**one.variables}

    def fresh(stem: str, c_type: str) -> str:
        name = scope.names.fresh(stem)
        declared[name] = c_type
        return name

    def chosen(node: Stmt, changed: set[str], places: frozenset[str]) -> list[Stmt]:
        """A statement of a loop, or the same without a branch."""
        if isinstance(node, Assign):
            return [replace(node, value=_without_choices(node.value, changed))]
        if not isinstance(node, If) or not _is_unforeseen(node.cond, changed):
            return [node]
        if number := _number(node):
            return [replace(number, value=_without_choices(number.value, changed))]
        bits = tree.variable(fresh("chosen", "int64_t"), of(INT))
        values = _values(node, bits)
        if not values or not places.isdisjoint(values):
            return [node]
        news = {
            name: tree.variable(fresh(name, types[name]), value.kind)
            for name, value in values.items()
        }
        olds = {name: tree.variable(name, x.kind) for name, x in values.items()}
        first = (Assign(news[name], value) for name, value in values.items())
        then = (Assign(olds[name], new) for name, new in news.items())
        return [Assign(bits, _bits(node.cond)), *first, *then]

    def change(node: Stmt) -> list[Stmt]:
        if not isinstance(node, For | While) or any(True for _ in loops(node.body)):
            return [node]
        changed = _written(node.body) - ({node.var} if isinstance(node, For) else set())
        places = subscripts(node.body)
        body = [line for x in node.body for line in chosen(x, changed, places)]
        return [replace(node, body=(*body,))]

    return replace(one, body=rewritten(one.body, change), variables=declared)


def _without_choices(expr: Expr, changed: set[str]) -> Expr:
    """A value with both sides of choices computed where each is more than a name.

    Args:
        expr: the value. changed: the variables that the loop gives values.
    """
    parts = tuple(_without_choices(part, changed) for part in expr.parts)
    found = expr if parts == expr.parts else replace(expr, parts=parts)
    if found.op != "choice":
        return found
    if _is_of_floats(found) and _is_unforeseen(parts[0], changed):
        cond = _bits(parts[0])
        return intrinsic("picked", found.kind, cond, *parts[1:], dtype="float64")
    if found.kind.dtype != "int64":
        return found
    cond, *sides = parts
    computed = all(x.parts and _made(x, {}) is not None for x in sides)
    if not computed or not _is_unforeseen(cond, changed):
        return found
    chosen = _one_of(_bits(cond), *sides)
    return chosen if sum(1 for _ in inside(chosen)) <= _MOST else found


def _number(node: If) -> Assign | None:
    """A branch that gives a float one of two numbers, as a choice; None for others."""
    match node:
        case If(cond, (Assign(target, one, ""),), (Assign(other, two, ""),)):
            choice = Expr("choice", target.kind, (cond, one, two))
            if target.op == "name" and target == other and _is_of_floats(choice):
                return Assign(target, choice)
    return None


def _is_of_floats(choice: Expr) -> bool:
    """Whether integers decide which of two numbers of the source a float is.

    Of floats C takes one by what compares them.
    """
    cond, *sides = choice.parts
    floats = (x.parts[0] if x.op == "neg" else x for x in sides)
    plain = all(x.op == "number" and isinstance(x.number, float) for x in floats)
    seen = (part for part in inside(cond) if part.op in COMPARISONS)
    tested = [part.kind.dtype for one in seen for part in one.parts]
    whole = bool(tested) and all(DTYPES[x].is_integer for x in tested)
    return plain and choice.kind.dtype == "float64" and whole and choice.lanes == 1


def _values(node: If, bits: Expr) -> dict[str, Expr]:
    """What integers are behind a branch; nothing where it does more, or too much.

    Args:
        node: the branch. bits: its condition, as the bits of an integer.
    """
    if not _written(node.body) & _written(node.orelse):
        return {}
    sides = _after(node.body, {}), _after(node.orelse, {})
    if sides[0] is None or sides[1] is None:
        return {}
    values = _joined(bits, sides[0], sides[1])
    size = sum(1 for value in values.values() for _ in inside(value))
    return values if size <= _MOST else {}


def _written(block: Block) -> set[str]:
    """The variables that statements give values."""
    return {x.target.name for x in assignments(block) if x.target.op == "name"}


def _is_unforeseen(cond: Expr, changed: set[str]) -> bool:
    """Whether data decide a condition, and not how far the loop is.

    Args:
        cond: it. changed: the variables that the loop gives values, but for its own.
    """
    cells = any(part.op in CELLS for part in inside(cond))
    return cells or not changed.isdisjoint(used([Run(cond)]))


def _after(block: Block, known: Mapping[str, Expr]) -> dict[str, Expr] | None:
    """What statements leave in integer variables; None where they do more than that.

    Args:
        block: the statements.
        known: what the variables are, made of what they were in front of all.
    """
    found = {**known}
    for node in block:
        match node:
            case Assign(Expr("name") as target, value, op):
                if op:
                    value = Expr(op, target.kind, (target, value))
                made = _made(value, found)
                if made is None or target.kind.dtype != "int64":
                    return None
                found[target.name] = replace(made, kind=target.kind)
            case If(cond, body, orelse):
                whole = _made(cond, found)
                one, two = _after(body, found), _after(orelse, found)
                if whole is None or one is None or two is None:
                    return None
                found = _joined(_bits(whole), one, two)
            case _:
                return None
    return found


def _joined(
    bits: Expr, one: Mapping[str, Expr], two: Mapping[str, Expr]
) -> dict[str, Expr]:
    """What variables are behind two ways.

    Args:
        bits: which way is taken. one, two: what they are there.
    """
    found = {**one}
    for name in {**one, **two}:
        kind = (one.get(name) or two[name]).kind
        same = tree.variable(name, kind)
        sides = one.get(name, same), two.get(name, same)
        if sides[0] != sides[1]:
            found[name] = _one_of(bits, *sides)
    return found


def _one_of(bits: Expr, one: Expr, two: Expr) -> Expr:
    """One of two integers, by bits: for a choice C might branch.

    Args:
        bits: all are set, or none. one, two: what is taken where they are, or not.
    """
    kind = one.kind
    if two.number == 0:
        return infix("&", one, bits, kind)
    if bits.op == "~":
        return _one_of(bits.parts[0], two, one)
    for base in (two, *two.parts[:1]):
        more, other = _addend(one, base), _addend(two, base)
        if more is not None and other is not None:
            return infix("+", base, _one_of(bits, more, other), kind)
    apart = infix("&", infix("^", one, two, kind), bits, kind)
    return infix("^", two, apart, kind)


def _addend(value: Expr, base: Expr) -> Expr | None:
    """What an integer is more than another, where it is a sum with that one."""
    if value == base:
        return constant(0, value.kind)
    if value.op not in ("+", "-") or value.parts[0] != base:
        return None
    added = value.parts[1]
    if added.kind.dtype != value.kind.dtype:
        added = converted(added, "int64_t", value.kind)
    return added if value.op == "+" else Expr("neg", value.kind, (added,))


def _bits(cond: Expr) -> Expr:
    """A condition as the bits of an integer: all are set where it holds, else none."""
    if cond.op in ("<", ">=") and cond.parts[1].number == 0:
        value = cond.parts[0]
        if value.kind.dtype == "int64":
            sign = infix(">>", value, number(63), of(INT))
            return sign if cond.op == "<" else Expr("~", of(INT), (sign,))
    if cond.op not in COMPARISONS:
        cond = infix("!=", cond, number(0), of(BOOL))
    return Expr("neg", of(INT), (converted(cond, "int64_t", of(INT)),))


def _made(value: Expr, known: Mapping[str, Expr]) -> Expr | None:
    """A value by what variables were, if it is quickly computed, and never raises."""
    if not all(part.op in READY or part.op in COMPARISONS for part in inside(value)):
        return None
    return standing(value, {tree.variable(name): x for name, x in known.items()})

"""Draws ways to write loops that are right and seldom seen, with dice of their own.

Nests under a condition or in a loop of their own, arrays that are views of others or
are made anew, bodies in one line, loop variables used behind their loops, bounds from
arrays, comparisons in chains, reductions turned round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fuzz.generate.surroundings import Loops, put_in
from fuzz.programs.dice import Dice
from fuzz.programs.model import (
    Assign,
    For,
    Function,
    If,
    Local,
    Node,
    Odd,
    Program,
    walk,
)
from fuzz.programs.setting import PLAIN, VIEWS, Setting
from fuzz.programs.terms import ONE, ZERO, Call, Cell, Chain, Expr, Name, Num, Op

SHARE = 14
"""How many of a hundred programs that have no other form are written so."""

ROOM = 24
"""The extent of an array that is made anew."""


def unusual(program: Program, body: int) -> Program:
    """A program that is written in another way, at times.

    Args:
        program: with its directives. body: the number of its statements.
    """
    dice = Dice(f"unusual {body}")
    plain = all(one.setting == PLAIN for one in program.functions)
    if not dice.chance(SHARE) or not plain or program.hides:
        return program
    at = dice.pick(*range(len(program.functions)))
    changed = dice.pick(*KINDS)(program.functions[at], dice)
    functions = (*program.functions[:at], changed, *program.functions[at + 1 :])
    return replace(program, functions=functions)


def _wrapped(function: Function, dice: Dice) -> Function:
    """A nest under a condition, or run twice."""
    nests = [node for node in function.body if isinstance(node, For)]
    one = dice.pick(*nests)
    around: Node = dice.pick(
        If(Op(">", Name("n"), ONE), (one,)), For("r", ZERO, Num(2), 1, (one,))
    )
    return replace(
        function, body=tuple(around if x is one else x for x in function.body)
    )


def _viewed(function: Function, dice: Dice) -> Function:
    """An array is a view of another, or a copy."""
    same = [
        (one, other)
        for one in function.arrays
        for other in function.arrays
        if one.rank == other.rank == 2 and one is not other
    ]
    if function.annotated or function.shaped or not same:
        return function
    old, new = dice.pick(*same)
    arrays = tuple(one for one in function.arrays if one is not new)
    alias = new.name, old.name, dice.pick(*VIEWS)
    return replace(function, arrays=arrays, setting=Setting(alias=alias))


def _remade(function: Function, dice: Dice) -> Function:
    """An array is no more the one that was given."""
    one = dice.pick(*function.arrays)
    maker = dice.pick("zeros", "ones")
    if one.name == "idx" or (function.shaped and one.name == function.giver):
        return function
    own = Local(one.name, (Num(ROOM),) * one.rank, maker)
    return replace(function, locals=(*function.locals, own))


def _in_one_line(function: Function, dice: Dice) -> Function:
    """The body of innermost loops stands behind their colon."""

    def flat(node: Node) -> Node:
        if not isinstance(node, For):
            return node
        if all(isinstance(x, Assign) and not x.comment + x.label for x in node.body):
            return replace(node, flat=True)
        return replace(node, body=tuple(map(flat, node.body)))

    return replace(function, body=tuple(map(flat, function.body)))


def _behind(function: Function, dice: Dice) -> Function:
    """A loop variable is used behind its loop, or was something before."""
    loops = sorted({x.var for x in walk(function.body) if isinstance(x, For)})
    known = dict(function.starts)
    if dice.chance(50):
        var = dice.pick(*loops)
        starts = {**known, var: dice.pick(0, 1, -3)}
        returns = dict.fromkeys((*function.returns, var))
        return replace(function, starts=tuple(starts.items()), returns=tuple(returns))
    array = function.arrays[0]
    cell = f"{array.name}[{', '.join('0' * array.rank)}]"

    def behind(node: Node) -> Node:
        if not isinstance(node, For):
            return node
        found: list[Node] = []
        for inner in node.body:
            found.append(behind(inner))
            if isinstance(inner, For):
                uses = frozenset((array.name, inner.var))
                found.append(
                    Odd((f"{cell} = {inner.var}",), uses, frozenset((array.name,)))
                )
        return replace(node, body=tuple(found))

    starts = {**known, **dict.fromkeys(loops, 0)}
    body = tuple(map(behind, function.body))
    return replace(function, body=body, starts=tuple(starts.items()))


def _bounded(function: Function, dice: Dice) -> Function:
    """An inner loop runs as far as an array of positions says."""
    if function.annotated or any(one.name == "idx" for one in function.arrays):
        return function

    def bound(node: Node, outer: str = "") -> Node:
        if not isinstance(node, For):
            return node
        if outer and node.step > 0 and dice.chance(70):
            node = replace(node, stop=Cell("idx", (Name(outer),)))
        return replace(node, body=tuple(bound(x, node.var) for x in node.body))

    given = replace(function.arrays[0], name="idx", rank=1, dtype="int64")
    body = tuple(bound(x) for x in function.body)
    return replace(function, body=body, arrays=(*function.arrays, given))


def _spoken(function: Function, dice: Dice) -> Function:
    """Conditions in chains and denials, values under signs, sums turned round."""

    def condition(expr: Expr) -> Expr:
        match expr:
            case Op("<" | "<=" as op, left, right):
                return dice.pick(
                    Chain(ZERO, "<", left, op, right),
                    Call("not ", (Op(">", left, right),)),
                )
            case Op(">" | "!=" | "==", _, _):
                return Call("not ", (expr,))
        return expr

    def value(expr: Expr) -> Expr:
        return dice.pick(
            expr,
            Call("-", (expr,)),
            Op("%", expr, Num(5)),
            Op("*", expr, Call("-", (ONE,))),
        )

    def again(node: Node) -> Node:
        match node:
            case Assign(target, "+" | "+=", given):
                total = dice.pick(
                    Op("+", given, target), Op("-", Op("+", target, given), ONE)
                )
                return replace(node, op="=", value=total)
            case Assign(_, _, given):
                return replace(node, value=value(given))
            case If(test, body, orelse):
                body, orelse = (tuple(map(again, x)) for x in (body, orelse))
                return If(condition(test), body, orelse)
            case For(body=body):
                return replace(node, body=tuple(map(again, body)))
        return node

    return replace(function, body=tuple(map(again, function.body)))


def _odd(function: Function, dice: Dice) -> Function:
    """One more statement of a kind that is seldom written."""
    two = [one.name for one in function.arrays if one.rank == 2]
    if not two:
        return function
    array = dice.pick(*two)

    def statement(loops: Loops) -> Node:
        i, j = dice.pick(*loops), dice.pick(*loops)
        cell, other = f"{array}[{i}, {j}]", f"{array}[{j}, {i} + 1]"
        lines = dice.pick(
            (f"{array}[{i}, :] += {j}",),
            (f"{cell} = {i} if {i} > {cell} else {cell}",),
            (f"{cell}, {other} = {other}, {i}",),
            (f"{cell} = {other} * 2 + {cell}",),
            (f"p = {i} // 2", f"{array}[p, {j}] = {i}"),
            (f"p, r = {other}, {i}", "p, r = r, p", f"{cell} = p - r"),
            (
                f"if -2 < {cell} <= {j}:",
                f"    {cell} = {i}",
                f"elif {i} > 1:",
                f"    {other} = 0",
            ),
        )
        return Odd(lines, frozenset((*loops, array, "p", "r")), frozenset((array,)))

    return replace(function, body=put_in(function.body, dice, statement))


Kind = Callable[[Function, Dice], Function]

KINDS: tuple[Kind, ...] = (
    _wrapped, _wrapped, _viewed, _remade, _in_one_line, _behind, _bounded, _spoken,
    _spoken, _odd, _odd,
)  # fmt: skip
"""What is drawn, and how often."""

"""Loops inside a statement: what counts the rounds of those C cannot count itself."""

from __future__ import annotations

from looptx.lower import tree
from looptx.lower.checks import INTERRUPT
from looptx.lower.kinds import INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Run,
    Stmt,
    infix,
    intrinsic,
    number,
)
from looptx.model.expr import Const

ZERO_STEP = "a step of zero"
"""What ``range`` may raise, in words."""

_ROUNDS = 64
"""How often a loop that may have no end goes round between looks at the clock."""


def polled(scope: Scope, declared: dict[str, str]) -> list[Stmt]:
    """What lets Ctrl-C end a loop that may have no end, now and then.

    Loops inside of others that count have an end as a rule, and may be scheduled.

    Args:
        scope: the nest. declared: is given the variable that counts the rounds.
    """
    loops = scope.planned.nest.loops.values()
    if any((loop.start, loop.stop) != (Const(0), Const(1)) for loop in loops):
        return []
    name = scope.names.fresh("rounds")
    declared[name] = "unsigned int"
    rounds = tree.variable(name)
    often = infix("==", infix("&", rounds, number(_ROUNDS - 1)), number(0))
    poll = intrinsic("poll", of(INT), raises=INTERRUPT)
    counted = Assign(rounds, infix("+", rounds, number(1)))
    return [counted, If(often, (Run(poll),))]


def stepped(
    scope: Scope,
    variable: Expr,
    values: list[Expr],
    inner: tuple[Stmt, ...],
    declared: dict[str, str],
    backwards: bool,
) -> tuple[list[Stmt], For]:
    """A loop by a step known only now; like ``range``, its bounds are read once.

    Args:
        scope: the nest. variable: the loop's. values: its bounds and its step.
        inner: its body. declared: is given the variables it needs besides.
        backwards: whether it goes that way.

    Returns:
        What runs in front of the loop, and the loop.
    """
    stem = variable.name
    names = [scope.names.fresh(f"{stem}_{word}") for word in ("from", "to", "by")]
    count = scope.names.fresh(f"{stem}_count")
    declared.update(dict.fromkeys((*names, count), "Py_ssize_t"))
    start, _, step = bounds = [tree.variable(name) for name in names]
    known = values[2].literal not in (None, 0)
    reason, word = ("", "count") if known else (ZERO_STEP, "steps")
    steps = intrinsic(word, of(INT), *bounds, raises=reason)
    value = infix("+", start, infix("*", tree.variable(count), step))
    body = (Assign(variable, value), *inner)
    loop = For(count, number(0), steps, body)
    if backwards:
        last = infix("-", steps, number(1))
        loop = For(count, last, number(-1), body, number(-1))
    lines = [Assign(name, value) for name, value in zip(bounds, values, strict=True)]
    return [*lines], loop

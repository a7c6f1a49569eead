"""What a loop does to a list: it appends, takes, counts, or looks at elements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.reading.axes import literal

Parents: TypeAlias = Mapping[ast.AST, ast.AST]
"""What each node of a function stands in."""


class What(Enum):
    """What is done to a list."""

    APPEND = "append"
    POP = "pop"
    FIRST = "popleft"
    CLEAR = "clear"
    COUNT = "len"
    TRUTH = "bool"
    RETURN = "return"
    LOAD = "[]"
    STORE = "[] ="


LISTS, QUEUES = "list", "deque"
"""The kinds of lists: methods of one of them may be none of the other."""

METHODS = ("append", "extend", "pop", "popleft", "clear")
"""What is called of lists that may be arrays."""

WHOLE = (What.POP, What.FIRST, What.LOAD)
"""What gives an element."""


@dataclass(frozen=True, eq=False)
class Operation:
    """One use of a list.

    Attributes:
        what: it is. name: of the list.
        node: the expression that it is: a call, a subscript, or the name; of a
            subscript of an element that is a tuple, that one.
        stmt: the statement in which it stands.
        values: what is appended.
        at: which element; None but for elements.
        part: which part of an element that is a tuple is looked at; None for all.
        beside: the numbers with which an element that is a tuple is compared.
        of: the kind of list that has it: ``LISTS``, ``QUEUES``, or empty for both.
    """

    what: What
    name: str
    node: ast.expr
    stmt: ast.stmt
    values: tuple[ast.expr, ...] = ()
    at: ast.expr | None = None
    part: int | None = None
    beside: tuple[ast.expr, ...] = ()
    of: str = ""

    @property
    def keeps(self) -> bool:
        """Whether it neither takes elements nor looks at one."""
        return self.what in (What.APPEND, What.COUNT, What.TRUTH, What.RETURN)

    @property
    def adds(self) -> bool:
        """Whether the elements that there were stay as they are."""
        return self.keeps or self.what is What.LOAD


def parents(nodes: Sequence[ast.AST]) -> dict[ast.AST, ast.AST]:
    """What each of some nodes stands in."""
    return {child: node for node in nodes for child in ast.iter_child_nodes(node)}


def statement(node: ast.AST, around: Parents) -> ast.stmt:
    """The statement in which a node stands."""
    while not isinstance(node, ast.stmt):
        node = around[node]
    return node


def operation(use: ast.Name, scope: Scope, around: Parents) -> Operation | None:
    """What is done to the list that a name holds; None for anything else.

    Args:
        use: the name, where it is used. scope: of the function.
        around: what its nodes stand in.
    """
    node, stmt = around[use], statement(use, around)
    match node:
        case ast.Attribute(_, name) if name in METHODS:
            return _method(use, node, stmt, around)
        case ast.Call(ast.Name("len"), [_], []) if not scope.hides("len"):
            return Operation(What.COUNT, use.id, node, stmt)
        case ast.Subscript(value) if value is use and not scope.hides("int"):
            return _element(use, node, stmt, around)
    if _is_returned(use, around):
        return Operation(What.RETURN, use.id, use, stmt)
    if _is_asked(use, around):
        return Operation(What.TRUTH, use.id, use, stmt)
    return None


def display(stmt: ast.stmt, scope: Scope) -> tuple[str, Sequence[ast.expr]] | None:
    """The name and the elements of a list that a statement makes."""
    match stmt:
        case ast.Assign([ast.Name(name)], value):
            pass
        case ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
            pass
        case _:
            return None
    match value:
        case ast.Call(func, args, []) if len(args) < 2:
            full = scope.resolve(func)
            if full not in ("builtins.list", "collections.deque"):
                return None
            inner = args[0] if args else ast.List([], ast.Load())
            if isinstance(inner, ast.List | ast.Tuple) and not _starred(inner.elts):
                return name, inner.elts
        case ast.List(elements) if not _starred(elements):
            return name, elements
    return None


def kind_of(stmt: ast.stmt, scope: Scope) -> str:
    """The kind of list that a statement makes.

    Args:
        stmt: it. scope: of the function.
    """
    value = stmt.value if isinstance(stmt, ast.Assign | ast.AnnAssign) else None
    called = scope.resolve(value.func) if isinstance(value, ast.Call) else ""
    return QUEUES if called == "collections.deque" else LISTS


def is_number(node: ast.expr) -> bool:
    """Whether an expression may be a number."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, bool | int | float | complex)
    return not isinstance(node, _OTHERS)


_OTHERS = (
    *(ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp),
    *(ast.DictComp, ast.GeneratorExp, ast.JoinedStr, ast.Lambda),
)


def parted(value: ast.expr, scope: Scope) -> tuple[ast.expr, ...]:
    """The parts of an element of a list; it alone where it is no tuple.

    Args:
        value: the element. scope: of the function.
    """
    match value:
        case ast.Tuple([_, _, *_] as parts) if not _starred(parts):
            return (*parts,)
        case ast.Name(name):
            bound = [one.value for one in scope.bindings.get(name, ())]
            sizes = {len(x.elts) if isinstance(x, ast.Tuple) else 0 for x in bound}
            if len(sizes) == 1 and min(sizes) > 1:
                return (*(_part(value, k) for k in range(sizes.pop())),)
    return (value,)


def _part(value: ast.Name, number: int) -> ast.expr:
    """One part of a tuple that has a name."""
    made = ast.Subscript(value, ast.Constant(number), ast.Load())
    for node in (made, made.slice):
        ast.copy_location(node, value)
    return made


def _starred(parts: Sequence[ast.expr]) -> bool:
    return any(isinstance(part, ast.Starred) for part in parts)


def _method(
    use: ast.Name, method: ast.Attribute, stmt: ast.stmt, around: Parents
) -> Operation | None:
    """The call of a method of a list.

    Args:
        use: the list. method, stmt: of it. around: as of ``operation``.
    """
    call = around[method]
    if not isinstance(call, ast.Call) or call.func is not method or call.keywords:
        return None
    alone = isinstance(stmt, ast.Expr) and stmt.value is call
    match method.attr, call.args:
        case "append", [value] if alone and not _starred([value]):
            return Operation(What.APPEND, use.id, call, stmt, (value,))
        case "extend", [ast.Tuple(values) | ast.List(values)] if alone:
            single = [*uses(walked(stmt), use.id)] == [use] and not _starred(values)
            added = Operation(What.APPEND, use.id, call, stmt, (*values,))
            return added if single and values else None
        case "clear", [] if alone:
            return Operation(What.CLEAR, use.id, call, stmt)
        case "pop", []:
            what, of = What.POP, ""
        case "pop", [ast.UnaryOp(ast.USub(), ast.Constant(1))]:
            what, of = What.POP, LISTS
        case "pop", [ast.Constant(0)]:
            what, of = What.FIRST, LISTS
        case "popleft", []:
            what, of = What.FIRST, QUEUES
        case _:
            return None
    single = _is_single(use, stmt) and _runs(call, around)
    return Operation(what, use.id, call, stmt, of=of) if single else None


_CHOOSING = (ast.BoolOp, ast.IfExp, ast.comprehension, ast.Lambda)
"""What may leave out, or repeat, an expression in it."""


def _is_single(use: ast.Name, stmt: ast.stmt) -> bool:
    """Whether a statement uses a list nowhere else, but appends to it in the end."""
    first = stmt.test if isinstance(stmt, ast.If) else stmt
    others = [one for one in uses(walked(first), use.id) if one is not use]
    match stmt:
        case ast.Expr(ast.Call(ast.Attribute(value, "append"))):
            return others in ([], [value])
    return not others


def _runs(node: ast.AST, around: Parents) -> bool:
    """Whether an expression is evaluated once wherever its statement is come to."""
    while not isinstance(node, ast.stmt):
        outer = around[node]
        chained = isinstance(outer, ast.Compare) and len(outer.ops) > 1
        if chained or isinstance(outer, _CHOOSING):
            return False
        node = outer
    return isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.If)


def _is_returned(node: ast.AST, around: Parents) -> bool:
    """Whether a list is what is returned, or a part of it."""
    outer = around[node]
    if isinstance(outer, ast.Tuple):
        return _is_returned(outer, around)
    return isinstance(outer, ast.Return)


def _element(
    use: ast.Name, node: ast.Subscript, stmt: ast.stmt, around: Parents
) -> Operation | None:
    """An element of a list, or a part of one.

    Args:
        use: the list. node: its subscript. stmt, around: as of ``operation``.
    """
    if isinstance(node.slice, ast.Slice | ast.Tuple):
        return None
    if isinstance(node.ctx, ast.Store):
        plain = isinstance(stmt, ast.Assign) and stmt.targets == [node]
        plain |= isinstance(stmt, ast.AugAssign) and stmt.target is node
        made = Operation(What.STORE, use.id, node, stmt, at=node.slice)
        return made if plain else None
    if not isinstance(node.ctx, ast.Load):
        return None
    whole = around[node]
    match whole:
        case ast.Compare(left, [ast.Eq() | ast.NotEq()], [ast.Tuple(numbers)]) if (
            left is node
        ):
            if len(numbers) > 1 and all(literal(x) is not None for x in numbers):
                return Operation(
                    *(What.LOAD, use.id, whole, stmt),
                    at=node.slice,
                    beside=(*numbers,),
                )
    if isinstance(whole, ast.Subscript) and whole.value is node:
        number = literal(whole.slice)
        if number is None or not isinstance(whole.ctx, ast.Load):
            return None
        return Operation(
            What.LOAD, use.id, whole, stmt, at=node.slice, part=int(number)
        )
    return Operation(What.LOAD, use.id, node, stmt, at=node.slice)


def _is_asked(node: ast.expr, around: Parents) -> bool:
    """Whether only the truth of an expression counts."""
    match around[node]:
        case ast.If(test) | ast.While(test) | ast.IfExp(test) | ast.Assert(test):
            return test is node
        case ast.UnaryOp(ast.Not()):
            return True
        case ast.BoolOp() as joined:
            return _is_asked(joined, around)
    return False


def is_there(one: Operation, around: Parents) -> bool:
    """Whether an element is only looked at where a list has some, and so has it.

    ``stack and stack[-1] > x`` looks at the last one where there is one.

    Args:
        one: the operation. around: as of ``operation``.
    """
    at = None if one.at is None else literal(one.at)
    if at is None:
        return False
    inner: ast.AST = one.node
    known = 0
    while not isinstance(inner, ast.stmt):
        outer = around[inner]
        known = max([known, *(_least(test, one.name) for test in _held(outer, inner))])
        inner = outer
    return -known <= at < known


def _held(outer: ast.AST, inner: ast.AST) -> Iterator[ast.expr]:
    """The conditions that hold where a part of an expression is evaluated.

    Args:
        outer: the expression. inner: its part.
    """
    match outer:
        case ast.BoolOp(op, values):
            before = values[: values.index(inner)]  # type: ignore[arg-type]
            if isinstance(op, ast.And):
                yield from before
            else:
                yield from (ast.UnaryOp(ast.Not(), test) for test in before)
        case ast.IfExp(test, body) if inner is body:
            yield test
        case ast.IfExp(test, _, orelse) if inner is orelse:
            yield ast.UnaryOp(ast.Not(), test)


def _least(test: ast.expr, name: str) -> int:
    """How many elements a list has at least where a condition holds."""
    match test:
        case ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), inner)):
            return _least(inner, name)
        case ast.UnaryOp(ast.Not(), ast.BoolOp(ast.Or(), parts)):
            return max(_least(ast.UnaryOp(ast.Not(), one), name) for one in parts)
        case ast.BoolOp(ast.And(), parts):
            return max(_least(one, name) for one in parts)
        case ast.Name(own) if own == name:
            return 1
        case ast.UnaryOp(
            ast.Not(),
            ast.Compare(
                ast.Call(ast.Name("len"), [ast.Name(own)]),
                [ast.Lt() | ast.LtE() as less],
                [ast.Constant(int(number))],
            ),
        ) if own == name:
            return max(0, number + isinstance(less, ast.LtE))
        case ast.Compare(
            ast.Call(ast.Name("len"), [ast.Name(own)]),
            [ast.Gt() | ast.GtE() as op],
            [ast.Constant(int(number))],
        ) if own == name:
            return max(0, number + isinstance(op, ast.Gt))
    return 0


def uses(nodes: Sequence[ast.AST], name: str) -> Iterator[ast.Name]:
    """Where a name is among nodes."""
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == name:
            yield node

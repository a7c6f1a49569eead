"""The body of a function that computes numbers, in names of its own.

It may assign to its local variables, decide by ``if``, return, read elements of arrays
that it is given, and call functions that are known. Whatever else it does, it is
refused for, by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from looptx.model.callees.callee import BEHIND, Callee
from looptx.model.functions import lookup
from looptx.model.trees import dotted
from looptx.source.callees.refusals import Refused, refuse
from looptx.source.names.calls import is_constant, is_single
from looptx.source.names.imports import resolve
from looptx.source.names.subscripts import may_be_number, subscripts

RECURSIVE = "calls itself"
"""What is said of a function that is being read already."""

_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp)
_LENGTH = "builtins.len"
_STRANGE = (ast.In, ast.NotIn, ast.Is, ast.IsNot)


class Outside(Protocol):
    """What the names around a function mean."""

    def callee(self, name: str) -> Callee | None:
        """The function of the user that a (dotted) name is, if it is one."""
        ...

    def number(self, name: str) -> ast.expr | None:
        """The number that a name is: itself for the callers, or its value."""
        ...


@dataclass
class Body:
    """Reads the body of a function.

    Attributes:
        title: its name. own: what tells its names from those of others.
        imports: what names mean in it.
        outside: what the others mean.
        variables: its arguments and local variables.
        locals, meanings, callees, reads, updates, results, arrays: as of a ``Callee``.
    """

    title: str
    own: str
    imports: Mapping[str, str]
    outside: Outside
    variables: frozenset[str]
    locals: set[str] = field(default_factory=set)
    meanings: dict[str, str] = field(default_factory=dict)
    callees: dict[str, Callee] = field(default_factory=dict)
    reads: set[str] = field(default_factory=set)
    updates: set[str] = field(default_factory=set)
    arrays: dict[str, int] = field(default_factory=dict)
    results: int | None = None
    _sized: dict[tuple[str, int], ast.Name] = field(default_factory=dict)
    _parameters: frozenset[str] = frozenset()
    _changed: set[str] = field(default_factory=set)
    _given: set[str] = field(default_factory=set)
    _numbers: dict[str, ast.AST] = field(default_factory=dict)

    def name(self, text: str) -> str:
        """What stands for a name of the function."""
        return f"{text.replace('.', ' ')}{BEHIND}{self.own}"

    def whole(
        self, code: Sequence[ast.stmt], parameters: Sequence[str]
    ) -> tuple[ast.stmt, ...]:
        """The statements of the function.

        Raises:
            Refused: it does something else than compute numbers.
        """
        self._parameters = frozenset(parameters)
        lines, left = self._block(code, self._parameters)
        if left is not None:
            raise Refused(code[-1], "may end without `return`, which gives None")
        # The value of a number is another one: nothing else sees that change.
        own = self._changed if self._changed.isdisjoint(self._given) else parameters
        self.updates |= {self.name(x) for x in parameters if x in own}
        self.updates -= self.arrays.keys()
        for (array, axis), one in self._sized.items():
            if not -1 < axis < self.arrays.get(array, 0):
                raise Refused(one, f"reads a size of `{one.id}`, and no element")
        for name, node in self._numbers.items():
            if self.name(name) in self.arrays:
                raise Refused(node, f"uses `{name}` both as an array and otherwise")
        return tuple(lines)

    def _block(
        self, code: Sequence[ast.stmt], known: frozenset[str]
    ) -> tuple[list[ast.stmt], frozenset[str] | None]:
        """Statements, and the names that have a value behind them.

        Args:
            code: the statements. known: the names that have a value before.

        Returns:
            The statements and the names; None for these where all ways return.
        """
        found: list[ast.stmt] = []
        for node in code:
            match node:
                case ast.Pass() | ast.Expr(ast.Constant()) | ast.AnnAssign(value=None):
                    continue
                case ast.Return(ast.expr() as value):
                    found.append(ast.Return(self._returned(value, known)))
                    return found, None
                case ast.If(test, body, orelse):
                    cond = self._number(test, known)
                    branches = [self._block(x, known) for x in (body, orelse)]
                    found.append(ast.If(cond, branches[0][0], branches[1][0]))
                    ends = [names for _, names in branches if names is not None]
                    if not ends:
                        return found, None
                    known = frozenset.intersection(*ends)
                case _:
                    found.append(self._assigned(node, known))
                    known |= {name for name in _targets(node)}
        return found, known

    def _assigned(self, node: ast.stmt, known: frozenset[str]) -> ast.stmt:
        """An assignment to local variables."""
        match node:
            case ast.Assign([ast.Name() as target], value) | ast.AnnAssign(
                ast.Name() as target, _, ast.expr() as value, 1
            ):
                one = self._number(value, known)
                if not self._is_new(value):
                    self._given.add(target.id)
                return ast.Assign([self._target(target)], one, lineno=0)
            case ast.AugAssign(ast.Name(name) as target, op, value):
                self._changed.add(name)
                left = self._number(ast.Name(name, ast.Load()), known, node)
                one = ast.BinOp(left, op, self._number(value, known))
                return ast.Assign([self._target(target)], one, lineno=0)
            case ast.Assign([ast.Tuple(targets)], value) if all(
                isinstance(target, ast.Name) for target in targets
            ):
                self._given.update(x.id for x in targets if isinstance(x, ast.Name))
                place = ast.Tuple([*map(self._target, targets)], ast.Store())
                several = self._several(value, len(targets), known)
                return ast.Assign([place], several, lineno=0)
        refuse(node)

    def _is_new(self, node: ast.expr) -> bool:
        """Whether a value is none that the function was given, were it an array."""
        if isinstance(node, ast.Call):
            return lookup(self._full(node.func)).fresh
        single = ast.Constant | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript
        return isinstance(node, single)

    def _target(self, target: ast.expr) -> ast.expr:
        assert isinstance(target, ast.Name)
        self.locals.add(self.name(target.id))
        self._numbers.setdefault(target.id, target)
        return ast.Name(self.name(target.id), ast.Store())

    def _returned(self, node: ast.expr, known: frozenset[str]) -> ast.expr:
        """What is returned: a number, or several."""
        callee = self._callee(node)
        count = callee.results if callee is not None else 0
        if isinstance(node, ast.Tuple):
            count = len(node.elts)
            if count < 2:
                raise Refused(node, "returns a tuple of less than two values")
        if self.results not in (None, count):
            raise Refused(node, "returns now a number, now several")
        self.results = count
        return self._several(node, count, known) if count else self._number(node, known)

    def _several(self, node: ast.expr, count: int, known: frozenset[str]) -> ast.expr:
        """As many values at once.

        Args:
            node: the expression. count: of its values. known: as in ``_block``.
        """
        if isinstance(node, ast.Tuple) and len(node.elts) == count:
            return ast.Tuple([self._number(x, known) for x in node.elts], ast.Load())
        callee = self._callee(node)
        if callee is not None and callee.results == count:
            assert isinstance(node, ast.Call)
            return self._own_call(node, callee, known)
        raise Refused(node, f"takes apart `{ast.unparse(node)}`")

    def _number(
        self, node: ast.expr, known: frozenset[str], where: ast.AST | None = None
    ) -> ast.expr:
        """An expression that is a number.

        Args:
            node: the expression. known: as in ``_block``.
            where: what is to blame, if it is not the expression.
        """
        match node:
            case ast.Constant(bool() | int() | float() | complex()):
                return node
            case ast.Name(name):
                return self._name(name, known, where or node)
            case ast.Attribute(value, attr):
                full = self._full(node)
                if is_constant(full):
                    return self._known(full)
                if attr in ("real", "imag") and not full:
                    return ast.Attribute(self._number(value, known), attr, ast.Load())
                raise Refused(node, f"reads `{ast.unparse(node)}`")
            case ast.Subscript(ast.Call() as call, ast.Constant(int(at))):
                callee = self._callee(call)
                if callee is not None and at < callee.results:
                    several = self._own_call(call, callee, known)
                    return ast.Subscript(several, node.slice, ast.Load())
            case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int(axis))):
                return self._extent(array, axis)
            case ast.Subscript():
                return self._element(node, known)
            case ast.Call(function, [array]) if self._full(function) == _LENGTH:
                return self._extent(array, 0)
            case ast.Call():
                return self._call(node, known)
            case ast.BinOp(_, ast.MatMult(), _):
                raise Refused(node, "multiplies matrices")
            case ast.Compare(left, ops, others):
                if not any(isinstance(op, _STRANGE) for op in ops):
                    parts = [self._number(x, known) for x in (left, *others)]
                    return ast.Compare(parts[0], ops, parts[1:])
            case _ if isinstance(node, _OPERATORS):
                return self._operands(node, known)
        refuse(node)

    def _operands(self, node: ast.expr, known: frozenset[str]) -> ast.expr:
        """An operation on numbers."""
        match node:
            case ast.BinOp(left, op, right):
                return ast.BinOp(
                    self._number(left, known), op, self._number(right, known)
                )
            case ast.UnaryOp(op, operand):
                return ast.UnaryOp(op, self._number(operand, known))
            case ast.BoolOp(op, values):
                return ast.BoolOp(op, [self._number(x, known) for x in values])
            case ast.IfExp(test, body, orelse):
                parts = (self._number(x, known) for x in (test, body, orelse))
                return ast.IfExp(*parts)
        refuse(node)

    def _name(self, name: str, known: frozenset[str], where: ast.AST) -> ast.expr:
        if name in self.variables:
            if name not in known:
                raise Refused(where, f"may read `{name}` before it is assigned")
            self._numbers.setdefault(name, where)
            return ast.Name(self.name(name), ast.Load())
        full = self._full(ast.Name(name, ast.Load()))
        if is_constant(full):
            return self._known(full)
        value = None if full else self.outside.number(name)
        if value is None:
            raise Refused(where, f"reads `{name}`, which is not known to be a number")
        if isinstance(value, ast.Name):
            self.reads.add(value.id)
        return value

    def _full(self, node: ast.expr) -> str:
        head = dotted(node).partition(".")[0]
        return "" if head in self.variables else resolve(node, self.imports)

    def _known(self, full: str) -> ast.expr:
        """A function or a constant by its full name."""
        name = self.name(full)
        self.meanings[name] = full
        return ast.Name(name, ast.Load())

    def _callee(self, node: ast.expr) -> Callee | None:
        """The function of the user that an expression calls, if it is one."""
        text = dotted(node.func) if isinstance(node, ast.Call) else ""
        own = text.partition(".")[0] in self.variables
        return None if own or not text else self.outside.callee(text)

    def _call(self, node: ast.Call, known: frozenset[str]) -> ast.expr:
        callee = self._callee(node)
        if callee is not None:
            if callee.results:
                raise Refused(node, f"computes with all `{callee.name}` returns")
            return self._own_call(node, callee, known)
        full, count = self._full(node.func), len(node.args)
        listed = any(isinstance(arg, ast.Starred) for arg in node.args)
        row = lookup(full)
        plain = is_single(full, count) and row.reads(count) and row.number
        if node.keywords or listed or not plain:
            raise Refused(node, f"calls `{ast.unparse(node.func)}`")
        args = [self._number(arg, known) for arg in node.args]
        return ast.Call(self._known(full), args, [])

    def _own_call(
        self, node: ast.Call, callee: Callee, known: frozenset[str]
    ) -> ast.expr:
        """A call of another function of the user.

        Args:
            node: the call. callee: the function. known: as in ``_block``.
        """
        if callee.refused:
            own = callee.refused == RECURSIVE and callee.name == self.title
            why = "" if own else f"calls `{callee.name}`, which "
            raise Refused(node, why + callee.refused)
        given = callee.given(node)
        if given is None:
            raise Refused(node, f"calls `{callee.name}` with arguments it has not")
        name = self.name(dotted(node.func))
        self.callees[name] = callee
        if callee.updates:
            self.updates |= {self.name(x) for x in self.variables}
        self.reads |= callee.reads
        ranks = {given[x]: axes for x, axes in callee.arrays.items()}

        def part(value: ast.expr) -> ast.expr:
            if value in ranks:
                return self._array(value, ranks[value])
            return self._number(value, known)

        args = [part(arg) for arg in node.args]
        keywords = [ast.keyword(one.arg, part(one.value)) for one in node.keywords]
        return ast.Call(ast.Name(name, ast.Load()), args, keywords)

    def _element(self, node: ast.Subscript, known: frozenset[str]) -> ast.expr:
        """An element of an array that the function is given."""
        base, indices = subscripts(node)
        if not all(map(may_be_number, indices)):
            refuse(node)
        array = self._array(base, len(indices))
        places = [self._number(one, known) for one in indices]
        place = places[0] if len(places) == 1 else ast.Tuple(places, ast.Load())
        return ast.Subscript(array, place, ast.Load())

    def _extent(self, node: ast.expr, axis: int) -> ast.expr:
        """How long an axis is of an array of which the function reads elements."""
        if not isinstance(node, ast.Name) or node.id not in self._parameters:
            raise Refused(node, f"reads the shape of `{ast.unparse(node)}`")
        self._sized[self.name(node.id), axis] = node
        array = ast.Name(self.name(node.id), ast.Load())
        shape = ast.Attribute(array, "shape", ast.Load())
        return ast.Subscript(shape, ast.Constant(axis), ast.Load())

    def _array(self, node: ast.expr, axes: int) -> ast.expr:
        """An array that the function is given, with so many subscripts."""
        if not isinstance(node, ast.Name) or node.id not in self._parameters:
            text = ast.unparse(node)
            raise Refused(node, f"subscripts `{text}`, which it is not given")
        name = self.name(node.id)
        if self.arrays.setdefault(name, axes) != axes:
            raise Refused(node, f"reads rows of `{node.id}` as well as its elements")
        return ast.Name(name, ast.Load())


def _targets(node: ast.stmt) -> Iterator[str]:
    """The names that an assignment binds."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id

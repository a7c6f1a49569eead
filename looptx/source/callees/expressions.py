"""The expressions of a function that computes numbers, in names of its own.

They are made of its arguments and local variables, numbers of its module, elements of
arrays that it is given, and calls of functions that are known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from looptx.model.callees.callee import BEHIND, Callee, Outside
from looptx.model.callees.views import row
from looptx.model.dtypes import DTYPES, INTEGERS, spelled
from looptx.model.functions import lookup
from looptx.model.naming import DRAW, DRAWN
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted
from looptx.source.callees.drawing import call, drawn
from looptx.source.callees.refusals import Refused, refuse
from looptx.source.names.calls import is_constant, is_single
from looptx.source.names.imports import resolve
from looptx.source.names.subscripts import may_be_number, subscripts

RECURSIVE = "calls itself"
"""What is said of a function that is being read already."""

_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp)
_LENGTH = "builtins.len"
_INTEGERS = "numpy.iinfo"
_STRANGE = (ast.In, ast.NotIn, ast.Is, ast.IsNot)


@dataclass
class Expressions:
    """Reads the expressions of a function.

    Attributes:
        title: its name. own: what tells its names from those of others.
        imports: what names mean in it.
        outside: what the others mean.
        variables: its arguments and local variables.
        drawing: gives the functions that stand for NumPy's of random numbers.
        meanings, callees, reads, updates, arrays, writes, runs, draws: as of a
            ``Callee``.
        parameters: its arguments. numbers: the names that it uses as numbers.
        sized: the axes of which it asks for the length: array, axis, as what, where.
    """

    title: str
    own: str
    imports: Mapping[str, str]
    outside: Outside
    variables: frozenset[str]
    drawing: Callable[[], Mapping[str, Callee]]
    meanings: dict[str, str] = field(default_factory=dict)
    callees: dict[str, Callee] = field(default_factory=dict)
    reads: set[str] = field(default_factory=set)
    updates: set[str] = field(default_factory=set)
    arrays: dict[str, int] = field(default_factory=dict)
    writes: set[str] = field(default_factory=set)
    runs: bool = False
    draws: bool = False
    parameters: frozenset[str] = frozenset()
    sized: list[tuple[str, int, ast.Constant, ast.expr]] = field(default_factory=list)
    numbers: dict[str, ast.AST] = field(default_factory=dict)

    def name(self, text: str) -> str:
        """What stands for a name of the function."""
        return f"{text.replace('.', ' ')}{BEHIND}{self.own}"

    def several(self, node: ast.expr, count: int, known: frozenset[str]) -> ast.expr:
        """As many values at once.

        Args:
            node: the expression. count: of its values. known: as in ``_block``.
        """
        if isinstance(node, ast.Tuple) and len(node.elts) == count:
            return ast.Tuple([self.number(x, known) for x in node.elts], ast.Load())
        match node:
            case ast.Attribute(array, "shape"):
                parts = [self._extent(array, axis) for axis in range(count)]
                self.array(array, count)
                return ast.Tuple(parts, ast.Load())
        callee = self.callee(node)
        if callee is not None and callee.results == count:
            assert isinstance(node, ast.Call)
            return self._own_call(node, callee, known)
        raise Refused(node, f"takes apart `{ast.unparse(node)}`")

    def number(
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
            case ast.Attribute():
                return self._attribute(node, known)
            case ast.Subscript(ast.Call() as call, ast.Constant(int(at))):
                callee = self.callee(call)
                if callee is not None and at < callee.results:
                    several = self._own_call(call, callee, known)
                    return ast.Subscript(several, node.slice, ast.Load())
            case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int(axis))):
                return self._extent(array, axis)
            case ast.Subscript(
                ast.Attribute(array, "shape"),
                ast.UnaryOp(ast.USub(), ast.Constant(int(axis))),
            ):
                return self._extent(array, -axis)
            case ast.Subscript():
                return self.element(node, known)
            case ast.Call(function, [array]) if self.full(function) == _LENGTH:
                return self._extent(array, 0)
            case ast.Call(ast.Attribute(of, "conj" | "conjugate" as attr), [], []) if (
                not self.full(node.func)
            ):
                made = ast.Attribute(self.number(of, known), attr, ast.Load())
                return ast.Call(made, [], [])
            case ast.Call():
                return self._call(node, known)
            case ast.BinOp(_, ast.MatMult(), _):
                raise Refused(node, "multiplies matrices")
            case ast.Compare(
                ast.Name(name), [ast.Is() | ast.IsNot()] as ops, [ast.Constant(None)]
            ) if name in self.variables:
                return ast.Compare(self.number(node.left, known), ops, node.comparators)
            case ast.Compare(left, ops, others):
                if not any(isinstance(op, _STRANGE) for op in ops):
                    parts = [self.number(x, known) for x in (left, *others)]
                    return ast.Compare(parts[0], ops, parts[1:])
            case _ if isinstance(node, _OPERATORS):
                return self._operands(node, known)
        refuse(node)

    def _attribute(self, node: ast.Attribute, known: frozenset[str]) -> ast.expr:
        """A constant, a part of a complex number, or an end of a type of integers.

        Args:
            node: the expression. known: as in ``_block``.
        """
        full = self.full(node)
        if is_constant(full):
            return self._known(full)
        held = self.outside.number(dotted(node)) if full else None
        if held is not None:
            return held
        match node:
            case ast.Attribute(value, "real" | "imag" as attr) if not full:
                return ast.Attribute(self.number(value, known), attr, ast.Load())
            case ast.Attribute(ast.Call(info, [kind], []), "max" | "min" as end):
                module, _, name = self.full(kind).rpartition(".")
                dtype = spelled(name) if module == "numpy" else ""
                if self.full(info) == _INTEGERS and dtype in INTEGERS:
                    return ast.Constant(DTYPES[dtype].range[end == "max"])
        raise Refused(node, f"reads `{ast.unparse(node)}`")

    def _operands(self, node: ast.expr, known: frozenset[str]) -> ast.expr:
        """An operation on numbers."""
        match node:
            case ast.BinOp(left, op, right):
                return ast.BinOp(
                    self.number(left, known), op, self.number(right, known)
                )
            case ast.UnaryOp(op, operand):
                return ast.UnaryOp(op, self.number(operand, known))
            case ast.BoolOp(op, values):
                return ast.BoolOp(op, [self.number(x, known) for x in values])
            case ast.IfExp(test, body, orelse):
                parts = (self.number(x, known) for x in (test, body, orelse))
                return ast.IfExp(*parts)
        refuse(node)

    def _name(self, name: str, known: frozenset[str], where: ast.AST) -> ast.expr:
        if name in self.variables:
            if name not in known:
                raise Refused(where, f"may read `{name}` before it is assigned")
            self.numbers.setdefault(name, where)
            return ast.Name(self.name(name), ast.Load())
        full = self.full(ast.Name(name, ast.Load()))
        if is_constant(full):
            return self._known(full)
        value = None if full else self.outside.number(name)
        if value is None:
            raise Refused(where, f"reads `{name}`, which is not known to be a number")
        if isinstance(value, ast.Name):
            self.reads.add(value.id)
        return value

    def full(self, node: ast.expr) -> str:
        """What a name means that is none of its variables."""
        head = dotted(node).partition(".")[0]
        return "" if head in self.variables else resolve(node, self.imports)

    def _known(self, full: str) -> ast.expr:
        """A function or a constant by its full name."""
        name = self.name(full)
        self.meanings[name] = full
        return ast.Name(name, ast.Load())

    def callee(self, node: ast.expr) -> Callee | None:
        """The function of the user that an expression calls, if it is one."""
        text = dotted(node.func) if isinstance(node, ast.Call) else ""
        own = text.partition(".")[0] in self.variables
        if text.startswith(DRAW):
            return self.drawing()[text.removeprefix(DRAW)]
        return None if own or not text else self.outside.callee(text)

    def _call(self, node: ast.Call, known: frozenset[str]) -> ast.expr:
        callee = self.callee(node)
        if callee is not None:
            if callee.results:
                raise Refused(node, f"computes with all `{callee.name}` returns")
            return self._own_call(node, callee, known)
        full, count = self.full(node.func), len(node.args)
        if name := drawn(node, full):
            return self.call(call(node, name), self.drawing()[name], known)
        listed = any(isinstance(arg, ast.Starred) for arg in node.args)
        row = lookup(full)
        plain = is_single(full, count) and row.reads(count) and row.number
        if node.keywords or listed or not plain:
            raise Refused(node, f"calls `{ast.unparse(node.func)}`")
        args = [self.number(arg, known) for arg in node.args]
        return ast.Call(self._known(full), args, [])

    def _own_call(
        self, node: ast.Call, callee: Callee, known: frozenset[str]
    ) -> ast.expr:
        """A call of another function of the user.

        Args:
            node: the call. callee: the function. known: as in ``_block``.
        """
        if not callee.refused and callee.nothing:
            raise Refused(node, f"computes with what `{callee.name}` returns: None")
        return self.call(node, callee, known)

    def call(self, node: ast.Call, callee: Callee, known: frozenset[str]) -> ast.expr:
        """A call of another function of the user, whatever it returns.

        Args:
            node: the call. callee: the function. known: as in ``_block``.
        """
        given = self._arguments(node, callee)
        name = self.name(dotted(node.func))
        self.callees[name] = callee
        self.runs |= callee.runs
        self.draws |= callee.draws or name.startswith(DRAW)
        if callee.updates:
            self.updates |= {self.name(x) for x in self.variables}
        self.reads |= callee.reads
        ranks = {given[x]: (x, axes) for x, axes in callee.arrays.items()}

        def part(value: ast.expr) -> ast.expr:
            if value not in ranks:
                return self.number(value, known)
            own, axes = ranks[value]
            return self._row(value, axes, own in callee.writes, known)

        args = [part(arg) for arg in node.args]
        keywords = [ast.keyword(one.arg, part(one.value)) for one in node.keywords]
        return ast.Call(ast.Name(name, ast.Load()), args, keywords)

    def _arguments(self, node: ast.Call, callee: Callee) -> dict[str, ast.expr]:
        """What another function is given; it has to be one that can be compiled."""
        if callee.refused:
            own = callee.refused == RECURSIVE and callee.name == self.title
            why = "" if own else f"calls `{callee.name}`, which "
            raise Refused(node, why + callee.refused)
        given = callee.given(node)
        if given is None:
            raise Refused(node, f"calls `{callee.name}` with arguments it has not")
        return given

    def _row(
        self, node: ast.expr, axes: int, written: bool, known: frozenset[str]
    ) -> ast.expr:
        """An array, or a row of one, that another function is given.

        Args:
            node: the expression. axes: those that are left of it.
            written: whether the function writes its elements.
            known: as in ``_block``.
        """
        found = row(node)
        if found is None:
            raise Refused(node, f"subscripts `{ast.unparse(node)}`")
        array = self.array(found.array, axes + found.fixed, written=written)
        self.runs |= bool(found.indices)
        indices = [x and self.number(x, known) for x in found.indices]
        return replace(found, array=array, indices=tuple(indices)).node

    def element(
        self, node: ast.Subscript, known: frozenset[str], *, written: bool = False
    ) -> ast.Subscript:
        """An element of an array that the function is given.

        Args:
            node: the expression. known: as in ``_block``.
            written: whether it is assigned.
        """
        base, indices = subscripts(node)
        if not all(map(may_be_number, indices)):
            refuse(node)
        array = self.array(base, len(indices), written=written)
        places = [self.number(one, known) for one in indices]
        place = places[0] if len(places) == 1 else ast.Tuple(places, ast.Load())
        return ast.Subscript(array, place, ast.Store() if written else ast.Load())

    def _extent(self, node: ast.expr, axis: int) -> ast.expr:
        """How long an axis is of an array of which the function uses elements."""
        if not isinstance(node, ast.Name) or node.id not in self.parameters:
            raise Refused(node, f"reads the shape of `{ast.unparse(node)}`")
        array = ast.Name(self.name(node.id), ast.Load())
        shape = ast.Attribute(array, "shape", ast.Load())
        place = ast.Constant(axis)
        self.sized.append((self.name(node.id), axis, place, node))
        return ast.Subscript(shape, place, ast.Load())

    def array(self, node: ast.expr, axes: int, *, written: bool = False) -> ast.expr:
        """An array that the function is given, with so many subscripts.

        Args:
            node: the expression. axes: the subscripts.
            written: whether an element is assigned.
        """
        if isinstance(node, ast.Name) and node.id in DRAWN:
            return node
        if not isinstance(node, ast.Name) or node.id not in self.parameters:
            text = ast.unparse(node)
            raise Refused(node, f"subscripts `{text}`, which it is not given")
        name = self.name(node.id)
        if self.arrays.setdefault(name, axes) != axes:
            raise Refused(node, f"reads rows of `{node.id}` as well as its elements")
        if written:
            self.writes.add(name)
            self.runs = True
        return ast.Name(name, ast.Load())

"""Programs that somebody wrote, as those that are drawn: all that judges one judges
the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fuzz.programs.model import (
    MARK,
    Array,
    Assign,
    For,
    Function,
    If,
    Local,
    Node,
    Odd,
    Program,
)
from fuzz.programs.terms import (
    LEVELS,
    ONE,
    ZERO,
    Call,
    Cell,
    Chained,
    Choice,
    Expr,
    Extent,
    Name,
    Num,
    Op,
)

SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
    ast.Mod: "%", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Gt: ">", ast.GtE: ">=", ast.And: "and", ast.Or: "or",
}  # fmt: skip

MAKERS = ("zeros", "ones", "empty", "full")


class Foreign(Exception):
    """What no drawn program has."""


def program(text: str, dtype: str = "int64") -> Program:
    """The program of a module of functions over arrays, ``n`` and ``m``.

    Args:
        text: the module. dtype: of arrays that are not annotated.
    """
    lines = text.split("\n")
    tree = ast.parse(text)
    found = [
        _Reader(lines, dtype).function(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name != "min"
    ]
    return Program(tuple(found), tagged=False, hides="def min(*_)" in text)


class _Reader:
    """Reads one function.

    Attributes:
        ranks: of the arrays, as far as subscripts say.
    """

    def __init__(self, lines: Sequence[str], dtype: str) -> None:
        self.text = lines
        self.dtype = dtype
        self.ranks: dict[str, int] = {}

    def function(self, node: ast.FunctionDef) -> Function:
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
                rank = len(part.slice.elts) if isinstance(part.slice, ast.Tuple) else 1
                self.ranks[part.value.id] = max(rank, self.ranks.get(part.value.id, 1))
        directives = self.above(node)
        given, returns = [*node.body], tuple[str, ...]()
        if isinstance(given[-1], ast.Return):
            value = given.pop().value
            names = value.elts if isinstance(value, ast.Tuple) else [value]
            returns = tuple(ast.unparse(one) for one in names if one is not None)
        shaped, locals_, starts = False, list[Local](), dict[str, float]()
        while given and not isinstance(given[0], ast.For | ast.If):
            first = given.pop(0)
            match first:
                case ast.Assign([ast.Name(name)], ast.Constant(value=number)):
                    starts[name] = number
                case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(attr=maker))):
                    locals_.append(self.local(name, maker, first.value))
                case ast.Assign([ast.Tuple()], ast.Attribute(attr="shape")):
                    shaped = True
                case _:
                    raise Foreign(ast.unparse(first))
        own = {one.name for one in locals_}
        taken = [argument for argument in node.args.args if argument.arg not in "nm"]
        return Function(
            node.name,
            tuple(
                Array(one.arg, self.ranks.get(one.arg, 1), self.kind(one))
                for one in taken
                if one.arg not in own
            ),
            tuple(self.block(given)),
            tuple(locals_),
            tuple(starts.items()),
            directives,
            returns,
            annotated=any(one.annotation is not None for one in taken),
            shaped=shaped,
        )

    def kind(self, argument: ast.arg) -> str:
        """The element type of an array."""
        said = ast.unparse(argument.annotation) if argument.annotation else self.dtype
        return said.strip("'\"").partition("[")[0]

    def local(self, name: str, maker: str, value: ast.expr) -> Local:
        """An array that the function makes."""
        assert isinstance(value, ast.Call)
        dtype = next((ast.unparse(x.value)[3:] for x in value.keywords), "")
        if maker.endswith("_like"):
            like = ast.unparse(value.args[0])
            shape = (Name("n"), Name("m"))[: self.ranks[name]]
            return Local(name, shape, maker.removesuffix("_like"), dtype, like)
        if maker not in MAKERS:
            raise Foreign(maker)
        sizes = value.args[0]
        each = sizes.elts if isinstance(sizes, ast.Tuple) else [sizes]
        return Local(name, tuple(map(self.expr, each)), maker, dtype)

    def above(self, node: ast.stmt) -> tuple[str, ...]:
        """The directives above a statement."""
        found: list[str] = []
        at = node.lineno - 2
        while at >= 0 and self.text[at].lstrip().startswith("#"):
            line = self.text[at].lstrip()
            found += [line.removeprefix(MARK)] if line.startswith(MARK) else []
            at -= 1
        return tuple(reversed(found))

    def label(self, node: ast.stmt) -> str:
        """The name that ``nest`` gives a statement."""
        texts = (x for x in self.above(node) if x[:5] == "nest ")
        return next(texts, "").removeprefix("nest ")

    def block(self, nodes: Sequence[ast.stmt]) -> Iterator[Node]:
        for node in nodes:
            try:
                yield self.statement(node)
            except Foreign:
                names = {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}
                lines = tuple(ast.unparse(node).split("\n"))
                yield Odd(lines, frozenset(names))

    def statement(self, node: ast.stmt) -> Node:
        match node:
            case ast.For(ast.Name(var), ast.Call(ast.Name("range"), bounds)):
                args = [self.expr(one) for one in bounds]
                start = args[0] if len(args) > 1 else ZERO
                stop = args[1] if len(args) > 1 else args[0]
                step = args[2] if len(args) > 2 else ONE
                if not isinstance(step, Num):
                    raise Foreign(ast.unparse(node.iter))
                own = tuple(x for x in self.above(node) if x[:5] != "nest ")
                body = tuple(self.block(node.body))
                label = self.label(node)
                return For(var, start, stop, step.value, body, own, label)
            case ast.If(test, body, orelse):
                return If(
                    self.expr(test), tuple(self.block(body)), tuple(self.block(orelse))
                )
            case ast.Assign([target], value):
                found = self.target(target), "=", self.expr(value)
                return Assign(*found, label=self.label(node))
            case ast.AugAssign(target, op, value) if type(op) in SIGNS:
                sign = f"{SIGNS[type(op)]}="
                if sign in ("+=", "-=", "*="):
                    found = self.target(target), sign, self.expr(value)
                    return Assign(*found, label=self.label(node))
        raise Foreign(ast.unparse(node))

    def target(self, node: ast.expr) -> Cell | Name:
        found = self.expr(node)
        if not isinstance(found, Cell | Name):
            raise Foreign(ast.unparse(node))
        return found

    def expr(self, node: ast.expr) -> Expr:
        match node:
            case ast.Constant(value=int(number)):
                return Num(number)
            case ast.UnaryOp(ast.USub(), ast.Constant(value=int(number))):
                return Num(-number)
            case ast.Name(name):
                return Name(name)
            case ast.BinOp(left, op, right) if SIGNS.get(type(op)) in LEVELS:
                return Op(SIGNS[type(op)], self.expr(left), self.expr(right))
            case ast.Compare(left, [op], [right]) if type(op) in SIGNS:
                return Op(SIGNS[type(op)], self.expr(left), self.expr(right))
            case ast.BoolOp(op, [first, *rest]):
                found = self.expr(first)
                for one in rest:
                    found = Op(SIGNS[type(op)], found, self.expr(one))
                return found
            case ast.IfExp(test, then, other):
                return Choice(*map(self.expr, (test, then, other)))
            case ast.Call(function, args, []):
                name = ast.unparse(function)
                if name in ("min", "max", "abs"):
                    return Call(name, tuple(map(self.expr, args)))
            case ast.Subscript(ast.Name(array), at):
                places = at.elts if isinstance(at, ast.Tuple) else [at]
                if len(places) == self.ranks[array]:
                    return Cell(array, tuple(map(self.expr, places)))
            case ast.Subscript(ast.Subscript(ast.Name(array), one), two):
                return Chained(array, (self.expr(one), self.expr(two)))
            case ast.Subscript(
                ast.Attribute(ast.Subscript(ast.Name(array), at), "shape"),
                ast.Constant(value=0),
            ):
                return Extent(array, self.expr(at))
        raise Foreign(ast.unparse(node))

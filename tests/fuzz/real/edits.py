"""Small changes of a function: operators, numbers, names, conditions, statements."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from random import Random

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_OPERATORS = (
    *_ARITHMETIC * 3,
    *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift, ast.Pow),
)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_NUMBERS = (0, 1, 2, 3, -1, 0.5, 255, True)
_FUNCTIONS = ("abs", "int", "float", "bool", "round")


def edited(function: ast.FunctionDef, random: Random) -> None:
    """Change one to three places of a function.

    Args:
        function: the tree, which becomes another. random: draws the places.
    """
    names = sorted(_bound(function))
    places = _Places(random, names, frozenset())
    places.all_of(copy.deepcopy(function))
    count = min(random.choice((1, 1, 2, 3)), places.number)
    chosen = frozenset(random.sample(range(places.number), count))
    _Places(random, names, chosen).all_of(function)
    if random.random() < 0.35:
        _rearrange(function, names, random)
    ast.fix_missing_locations(function)


def _bound(function: ast.FunctionDef) -> Iterator[str]:
    """The names of its arguments and variables."""
    yield from (one.arg for one in function.args.args)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


class _Places(ast.NodeTransformer):
    """Numbers the places that can be changed, and changes those that are chosen.

    Args:
        random: draws what stands there instead. names: of variables.
        chosen: the numbers.
    """

    def __init__(
        self, random: Random, names: list[str], chosen: frozenset[int]
    ) -> None:
        self.random = random
        self.names = names
        self.chosen = chosen
        self.number = 0

    def all_of(self, function: ast.FunctionDef) -> None:
        """Go through the statements of a function."""
        function.body = [self.visit(stmt) for stmt in function.body]

    def _is_chosen(self) -> bool:
        self.number += 1
        return self.number - 1 in self.chosen

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if self._is_chosen():
            node.op = self.random.choice(_OPERATORS)()
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if self._is_chosen():
            node.op = self.random.choice(_ARITHMETIC)()
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if self._is_chosen() and isinstance(node.ops[0], _COMPARISONS):
            node.ops[0] = self.random.choice(_COMPARISONS)()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._is_chosen():
            node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._is_chosen():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = node.value
        if type(value) not in (int, float) or not self._is_chosen():
            return node
        near = (value + 1, value - 1, -value, value + 0.5, float(value))
        return ast.Constant(self.random.choice((*near, *_NUMBERS)))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Store) or not self._is_chosen():
            return node
        draw, number = self.random.choice, ast.Constant(self.random.choice(_NUMBERS))
        test = ast.Compare(node, [draw(_COMPARISONS)()], [ast.Constant(1)])
        extreme = ast.Name(draw(("min", "max")), ast.Load())
        one: Callable[[], ast.expr] = draw(
            (
                lambda: ast.UnaryOp(draw((ast.USub, ast.Not, ast.Invert))(), node),
                lambda: ast.Call(ast.Name(draw(_FUNCTIONS), ast.Load()), [node], []),
                lambda: ast.Call(extreme, [node, number], []),
                lambda: ast.BinOp(node, draw(_OPERATORS)(), number),
                lambda: ast.BinOp(number, draw(_OPERATORS)(), node),
                lambda: ast.IfExp(test, node, number),
                lambda: ast.Name(draw(self.names), ast.Load()),
            )
        )
        return one()

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        # What is subscripted stays an array.
        node.slice = self.visit(node.slice)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        sized = isinstance(node.func, ast.Name) and node.func.id == "len"
        if not sized:
            node.args = [self.visit(one) for one in node.args]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return node


def _rearrange(function: ast.FunctionDef, names: list[str], random: Random) -> None:
    """Exchange, repeat, guard or take away a statement.

    Args:
        function: the tree. names: of its variables. random: draws.
    """
    blocks = [
        block
        for node in ast.walk(function)
        for block in (getattr(node, "body", None), getattr(node, "orelse", None))
        if isinstance(block, list) and block
    ]
    block = random.choice(blocks)
    at = random.randrange(len(block))
    stmt = block[at]
    test = ast.Compare(
        ast.Name(random.choice(names), ast.Load()),
        [random.choice(_COMPARISONS)()],
        [ast.Constant(random.choice((0, 1, 2)))],
    )
    match random.choice(("exchange", "repeat", "guard", "drop")):
        case "exchange" if len(block) > 1:
            block[at], block[at - 1] = block[at - 1], stmt
        case "repeat" if not isinstance(stmt, ast.For | ast.While):
            block.insert(at, copy.deepcopy(stmt))
        case "guard" if not isinstance(stmt, ast.Return):
            block[at] = ast.If(test, [stmt], [])
        case "drop" if len(block) > 1:
            del block[at]

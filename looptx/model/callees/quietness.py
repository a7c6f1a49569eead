"""Which expressions surely have a value, and which may be evaluated again."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from looptx.model.functions import Kind, Native, lookup
from looptx.model.trees import children, dotted

_SILENT = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
_PLACES = (ast.Add, ast.Sub, ast.Mult)
_SMALL = range(128)
_NUMBERS = ("builtins.abs", "builtins.min", "builtins.max", "builtins.bool")


def is_silent(
    node: ast.expr, full: Callable[[ast.expr], str], cells: bool = False
) -> bool:
    """Whether an expression of numbers raises nothing where it is evaluated.

    Args:
        node: the expression. full: what the name of a function means.
        cells: whether what is subscripted is known to be inside of its array.
    """
    match node:
        case ast.Constant() | ast.Name() | ast.Attribute():
            return True
        case ast.BinOp(left, op, right):
            parts = [left, right]
            plain = isinstance(op, _SILENT)
        case ast.Call(function, parts, []):
            row = lookup(full(function))
            numpys = row.module == "numpy" and row.kind is Kind.ELEMENTWISE
            known = numpys and row.native is not Native.NO
            plain = (known or row.name in _NUMBERS) and row.reads(len(parts))
        case ast.Subscript(array, place) if cells:
            plain, parts = bool(dotted(array)), [place]
        case ast.UnaryOp() | ast.BoolOp() | ast.Compare() | ast.IfExp() | ast.Tuple():
            parts = [x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)]
            plain = True
        case _:
            return False
    return plain and all(is_silent(part, full, cells) for part in parts)


def is_atomic(node: ast.expr) -> bool:
    """Whether an expression costs nothing: a number, a name, or what counts with them.

    An index stays one that the proof knows.
    """
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute():
            return bool(dotted(node))
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return is_atomic(operand)
        case ast.BinOp(left, op, right) if isinstance(op, _PLACES):
            return is_atomic(left) and is_atomic(right)
    return False


def counts(node: ast.expr) -> bool:
    """Whether an atomic expression raises nothing whatever numbers are in it.

    An integer of Python that is negative or large raises beside a narrow one of NumPy,
    and truth has no sign.
    """
    match node:
        case ast.BinOp(left, _, ast.Constant(int(value))):
            return value in _SMALL and counts(left)
        case ast.BinOp(ast.Constant(int(value)), _, right):
            return value in _SMALL and counts(right)
    return isinstance(node, ast.Constant | ast.Name | ast.Attribute)


def uses(node: ast.AST, sure: bool = True) -> Iterator[tuple[str, bool]]:
    """The names that are read, and whether that happens in any case."""
    match node:
        case ast.Name(name, ast.Load()):
            yield name, sure
            return
        case ast.IfExp(test, body, orelse):
            always, perhaps = [test], [body, orelse]
        case ast.BoolOp(_, [first, *others]):
            always, perhaps = [first], others
        case ast.Compare(left, _, [first, *others]):
            always, perhaps = [left, first], others
        case ast.If(test, body, orelse):
            yield from uses(test, sure)
            for line in (*body, *orelse):
                yield from uses(line, False)
            return
        case _:
            for part in children(node):
                yield from uses(part, sure)
            return
    for part in always:
        yield from uses(part, sure)
    for part in perhaps:
        yield from uses(part, False)

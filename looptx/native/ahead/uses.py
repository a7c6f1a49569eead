"""What a function does with its parameters, as far as that tells their types.

Loops over elements are loops over indices by then.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from looptx.model.callees.callee import Callee
from looptx.model.program import Kernel, Nest
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.source import Module
from looptx.source.names.axes import needed, said
from looptx.source.names.imports import resolve, scope_imports

_REDUCTIONS = (
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "argmax",
    "argmin",
    "any",
    "all",
    "std",
    "var",
)
"""NumPy's functions that make a number of an array, and methods."""

_OF_ARRAYS = (
    "shape",
    "size",
    "ndim",
    "dtype",
    "copy",
    "ravel",
    "T",
    "flat",
    *_REDUCTIONS,
)
"""What nothing but an array has."""

_PASSES = 3
"""How many names in a row are followed to what they stand for."""


@dataclass(frozen=True, slots=True)
class Uses:
    """How names are used.

    Attributes:
        ranks: how many subscripts the arrays have, by name.
        positions: names whose values, or elements, stand in subscripts and ranges.
    """

    ranks: dict[str, int]
    positions: frozenset[str]

    @staticmethod
    def of(function: ast.AST, others: Mapping[str, ast.AST] | None = None) -> Uses:
        """The uses in a function.

        Args:
            function: it.
            others: those of its module, by name: what they do with what it gives them
                is done by it.
        """
        ranks: dict[str, int] = {}
        used: set[str] = set()
        feeds: list[tuple[str, set[str]]] = []
        copies: list[tuple[str, str]] = []
        stands: list[tuple[str, ast.expr]] = []

        def take(found: Iterable[tuple[str, int]]) -> None:
            for name, rank in found:
                ranks[name] = max(ranks.get(name, 0), rank)

        for node in ast.walk(function):
            take(_arrays(node))
            take(_given(node, others or {}))
            match node:
                case ast.Subscript(slice=inside):
                    used |= _names(inside)
                case ast.Call(func=ast.Name(id="range"), args=bounds):
                    used |= {name for bound in bounds for name in _names(bound)}
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    stands.append((name, value))
                    copies += ((name, array) for array in _copied(value))
            feeds += _feeds(node)
        for copy, array in copies:
            take([(array, ranks.get(copy, 0))])
        for _ in range(_PASSES):
            for name, value in stands:
                if ranks.get(name):
                    found = needed(value, ranks[name])
                    # Of what is bound to a part of itself this would find ever more.
                    take(pair for pair in found if pair[0] != name)
        size = -1
        while size < len(used):
            size = len(used)
            used |= {name for to, names in feeds if to in used for name in names}
        return Uses(ranks, frozenset(used))

    def guessed(
        self, names: Iterable[str], arrays: str, numbers: str
    ) -> dict[str, Type]:
        """Types for names.

        Args:
            names: the parameters.
            arrays: the element type of arrays that hold no positions.
            numbers: the type of numbers that are no positions.
        """
        found: dict[str, Type] = {}
        for name in names:
            position = name in self.positions
            if rank := self.ranks.get(name, 0):
                found[name] = ArrayType("int64" if position else arrays, rank)
            else:
                found[name] = ScalarType("int64" if position else numbers, weak=True)
        return found


def unstated(
    module: Module,
    kernel: Kernel,
    nest: Nest,
    known: Mapping[str, Type],
    callees: Mapping[str, Callee] | None = None,
) -> tuple[Uses, set[str]]:
    """What a function does with names, and those whose types it does not say.

    Args:
        module: the file. kernel: the function. nest: of it.
        known: the types of parameters that are stated.
        callees: functions of other files, by their full names.
    """
    own = module.definition(kernel)
    uses = Uses.of(own, called(own, module.parsed.tree, callees or {}))
    others = (uses.ranks.keys() | uses.positions) & set(nest.given)
    parameters = dict(kernel.parameters)
    return uses, {*parameters, *others} - {*kernel.types, *nest.parameters, *known}


def called(
    function: ast.AST, tree: ast.Module, callees: Mapping[str, Callee]
) -> dict[str, ast.AST]:
    """The functions of the user that a function may call, by name.

    Args:
        function: it. tree: of its module.
        callees: functions of other files, by their full names.
    """
    own = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    times = Counter(one.name for one in own)
    found: dict[str, ast.AST] = {x.name: x for x in own if times[x.name] == 1}
    names = scope_imports(tree, {}) if callees else {}
    for call in ast.walk(function) if callees else ():
        if isinstance(call, ast.Call):
            callee = callees.get(resolve(call.func, names))
            if callee is not None and callee.written is not None:
                found[dotted(call.func)] = callee.written.node
    return found


def _arrays(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The arrays that an expression or statement uses, and how many axes that takes."""
    for array, axes in said(node):
        yield from needed(array, axes)
    match node:
        case ast.Attribute(value=array, attr=attr) if attr in _OF_ARRAYS:
            yield from needed(array, 1)
        case ast.Call(func=ast.Name(id="len"), args=[array]):
            yield from needed(array, 1)
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=[of, *_]):
            if attr in _REDUCTIONS:
                leaves = [*_leaves(of)]
                rows = [leaf for leaf in leaves if isinstance(leaf, ast.Subscript)]
                for leaf in rows or leaves:
                    yield from needed(leaf, 1)


def _leaves(node: ast.AST) -> Iterator[ast.expr]:
    """The names, and parts of arrays, of whose elements an expression is made."""
    match node:
        case ast.Name() | ast.Subscript():
            yield node
        case ast.Call(args=args):
            for one in args:
                yield from _leaves(one)
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            for child in ast.iter_child_nodes(node):
                yield from _leaves(child)


def _given(node: ast.AST, others: Mapping[str, ast.AST]) -> Iterator[tuple[str, int]]:
    """The arrays that a call gives to a function, and how many axes that takes.

    Args:
        node: perhaps a call. others: the functions, by name.
    """
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            name = dotted(function)
            own = others.get(name)
            if not isinstance(own, ast.FunctionDef):
                return
            less = {key: one for key, one in others.items() if key != name}
            ranks = Uses.of(own, less).ranks
            order = [one.arg for one in (*own.args.posonlyargs, *own.args.args)]
            pairs = [*zip(order, args, strict=False)]
            pairs += [(one.arg, one.value) for one in keywords if one.arg]
            for parameter, value in pairs:
                if rank := ranks.get(parameter, 0):
                    yield from needed(value, rank)


def _feeds(node: ast.AST) -> Iterator[tuple[str, set[str]]]:
    """Names with those whose values, or elements, they get."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=several)], value=ast.Name(id=name)):
            yield from ((x.id, {name}) for x in several if isinstance(x, ast.Name))
        case ast.Assign(
            targets=[ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name))],
            value=value,
        ):
            yield name, _names(value)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]
        ):
            yield name, _names(value)


def _copied(node: ast.expr) -> Iterator[str]:
    """The array whose shape the value of an expression has."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="copy")):
            yield name
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=name), *_]):
            if attr.endswith("_like") or attr == "copy":
                yield name


def _names(node: ast.expr) -> set[str]:
    """The names of integers, if the expression is one; not those in calls."""
    match node:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return {name}
        case ast.BinOp(left=left, right=right, op=op) if not isinstance(op, ast.Div):
            return _names(left) | _names(right)
        case ast.Slice(lower=lower, upper=upper):
            return {name for end in (lower, upper) if end for name in _names(end)}
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return {name for part in parts for name in _names(part)}
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pop")):
            return {name}
    return set()

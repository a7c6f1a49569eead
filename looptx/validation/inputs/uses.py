"""How a function uses its names: the evidence from which its inputs are told.

It goes beyond what the reader of nests collects (``source.integers``), as all of the
function is to run, not only its nests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from looptx.model.functions import METHODS
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, Type
from looptx.source.kinds.integers import Kinds
from looptx.source.names.arrays import SIZES, VIEWS
from looptx.source.names.assignments import unpacked
from looptx.source.names.scope import Function
from looptx.source.names.subscripts import subscripts
from looptx.validation.inputs.indices import BOUNDS
from looptx.validation.symbols.cells import Cells

_OF_NUMBERS = ("real", "imag", "conjugate")
_METHODS = METHODS.keys() & vars(Cells).keys()
_SHOWN = frozenset((*VIEWS, *SIZES, *_METHODS))

Axis: TypeAlias = tuple[str, int]
"""An array and one of its dimensions."""


def inputs(
    definition: Function, kinds: Kinds, types: Mapping[str, Type], roots: set[str]
) -> Iterator[str]:
    """The dotted names of what a function is given, in the order of their first use.

    Args:
        definition: the function.
        kinds: what its names hold.
        types: those that annotations and the like say.
        roots: the names that it is given.
    """
    found = dict.fromkeys(name for name in kinds.scope.bindings if name in roots)

    def visit(node: ast.AST) -> None:
        text = dotted(node)
        if not text or text.partition(".")[0] not in roots:
            for child in ast.iter_child_nodes(node):
                visit(child)
            return
        parts = text.split(".")
        prefixes = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        known = (p for p in prefixes if p in kinds.arrays or p in types)
        shown = (
            p
            for p, part in zip(prefixes, parts[1:], strict=False)
            if part in (*_OF_NUMBERS, *_SHOWN)
        )
        found[next(known, "") or next(shown, text)] = None

    for stmt in definition.body:
        visit(stmt)
    holders = {
        ".".join(name.split(".")[:count])
        for name in found
        for count in range(1, name.count(".") + 1)
    }
    yield from (name for name in found if name not in holders)


def defaults(definition: Function) -> dict[str, object]:
    """The literal defaults of arguments."""
    args = definition.args
    given = [*args.posonlyargs, *args.args]
    pairs = [
        *zip(reversed(given), reversed(args.defaults), strict=False),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    found: dict[str, object] = {}
    for argument, node in pairs:
        if isinstance(node, ast.Constant):
            found[argument.arg] = node.value
    return found


def is_option(value: object) -> bool:
    """Whether a default is neither a number nor missing (None is as good)."""
    return isinstance(value, (str, bytes, bool))


def spelled(definition: Function) -> Iterator[tuple[str, Axis]]:
    """The names that the function gives to extents."""
    for node in ast.walk(definition):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs: Iterable[tuple[ast.expr, ast.expr | None]] = [(target, node.value)]
            if isinstance(target, (ast.Tuple, ast.List)):
                pairs = unpacked(target, node.value)
            for element, value in pairs:
                axis_of = _extent(value) if value is not None else None
                if isinstance(element, ast.Name) and axis_of is not None:
                    yield element.id, axis_of


def _extent(node: ast.expr) -> Axis | None:
    """The extent that ``A.shape[0]`` or ``len(A)`` is."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=base, attr="shape"), slice=ast.Constant(int(axis))
        ) if dotted(base) and axis >= 0:
            return dotted(base), axis
        case ast.Call(func=ast.Name("len"), args=[argument]) if dotted(argument):
            return dotted(argument), 0
    return None


def asked(definition: Function, ranks: Mapping[str, int]) -> Iterator[Axis]:
    """The extents that the function looks at, in the order of the text."""
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Tuple(elements)], ast.Attribute(base, "shape")):
                for axis, element in enumerate(elements):
                    ignored = isinstance(element, ast.Name) and element.id == "_"
                    if dotted(base) in ranks and not ignored:
                        yield dotted(base), axis
            case ast.Subscript(ast.Attribute(base, "shape"), index):
                axes = list(range(ranks.get(dotted(base), 0)))
                if isinstance(index, ast.Constant) and isinstance(index.value, int):
                    axes = [index.value % len(axes)] if axes else []
                yield from ((dotted(base), axis) for axis in axes)
            case ast.Call(ast.Name("len"), [argument]) if dotted(argument) in ranks:
                yield dotted(argument), 0
            case ast.Attribute(base, "size"):
                yield from (
                    (dotted(base), k) for k in range(ranks.get(dotted(base), 0))
                )


def called(definition: Function) -> frozenset[str]:
    """The names of which methods of arrays are called."""
    return frozenset(
        dotted(node.func.value)
        for node in ast.walk(definition)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _METHODS
        and dotted(node.func.value)
    )


def views(definition: Function) -> dict[str, tuple[str, bool]]:
    """``{name: (array, transposed)}`` for other names of arrays."""
    found = {}
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Name(name)], ast.Attribute(base, "T")):
                found[name] = dotted(base), True
            case ast.Assign([ast.Name(name)], ast.Name(base)):
                found[name] = base, False
            case ast.Assign(
                [ast.Name(name)], ast.Call(ast.Attribute(base, "copy"), [])
            ) if dotted(base):
                found[name] = dotted(base), False
    return found


def ranks(
    definition: Function, kinds: Kinds, types: Mapping[str, Type]
) -> dict[str, int]:
    """The ranks of arrays, from subscripts, shapes, annotations and other names.

    Args:
        definition: the function.
        kinds: what its names hold.
        types: those that annotations and the like say.

    Returns:
        The rank of each array that has one.
    """
    found = {name: kinds.rank(name) for name in kinds.arrays | called(definition)}

    def at_least(name: str, rank: int) -> None:
        if name:
            found[name] = max(found.get(name, 0), rank)

    for name, kind in types.items():
        if isinstance(kind, ArrayType):
            at_least(name, kind.ndim)
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Tuple(elements)], ast.Attribute(base, "shape")):
                at_least(dotted(base), len(elements))
            case ast.Subscript(ast.Attribute(base, "shape"), ast.Constant(int(axis))):
                at_least(dotted(base), axis + 1 if axis >= 0 else -axis)
    for name, (array, transposed) in views(definition).items():
        at_least(name, 2 if transposed else found.get(name, 0))
        if array in found:
            at_least(array, found[name])
    return found


def indirect(definition: Function, kinds: Kinds) -> dict[str, frozenset[str]]:
    """The arrays whose values become subscripts of others, or bounds of loops.

    Returns:
        For each array with subscripts the arrays that these come from, by way of
        scalars, or of loops between bounds; ``BOUNDS`` for the bounds of loops.
    """
    nodes = list(ast.walk(definition))
    ranges = [n for n in nodes if isinstance(n, ast.Call) and kinds.scope.is_range(n)]
    assigned: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets, value):
                names = [one.id for one in targets if isinstance(one, ast.Name)]
            case ast.For(ast.Name(name), ast.Call() as value) if value in ranges:
                names = [name]
            case _:
                continue
        for name in names:
            if name not in kinds.arrays:
                assigned.setdefault(name, []).append(value)

    def sources(node: ast.AST, seen: set[str]) -> Iterator[str]:
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript):
                yield dotted(subscripts(part)[0])
            elif isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                for value in assigned.get(part.id, ()):
                    yield from sources(value, seen)

    found: dict[str, set[str]] = {BOUNDS: set()}
    for node in nodes:
        if isinstance(node, ast.Subscript):
            base = dotted(subscripts(node)[0])
            found.setdefault(base, set()).update(sources(node.slice, set()))
    for node in ranges:
        for argument in node.args:
            found[BOUNDS].update(sources(argument, set()))
    return {name: frozenset(held) for name, held in found.items()}

"""Array cells that a loop reduces into: copies per block, accumulators per lane.

A parallel loop gives each of a fixed number of blocks its own copy of the array, filled
with what changes nothing; the copies are taken in one after the other, so the result
does not depend on the number of threads. A vector loop over one cell keeps lanes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from looptx.emit.buffers import reserved
from looptx.emit.cexpr import Expressions
from looptx.emit.reductions import Accumulator, propagates, reducing
from looptx.emit.scope import Scope, words
from looptx.emit.types import c_element
from looptx.emit.values import Kind, Value, fail, of
from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.model.cells import only_reduced
from looptx.model.expr import IntExpr, Var
from looptx.model.program import Reduction, Statement
from looptx.model.types import ArrayType, ScalarType

COPIES = 16
"""The most copies of an array, whatever the thread count."""

LIMIT = 1 << 28
"""How many bytes the copies of a nest may take together; one copy is the array itself.
"""

_MOST_AXES = 7

_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
"""Which kinds of NumPy types hold which: each those that come before."""


@dataclass(frozen=True, slots=True)
class Copied:
    """An array with a copy per block: its names in the source and in C, and its type.

    Attributes:
        array: its name in the source (a scalar that became an array, too).
        name: its C name. copies: the C name of its copies.
        kind: the type of the array.
        one: how a cell takes that of a copy in.
    """

    array: str
    name: str
    copies: str
    kind: ArrayType
    one: Accumulator

    def fill(self, block: str) -> list[str]:
        """Set the copy of a block to what changes nothing."""
        at = ", ".join([block, *self._axes()])
        loops = [self._loop(axis) for axis in range(self.kind.ndim)]
        return _nested(loops, self.one.initial(at))

    def combine(self, block: str, first: str, last: str) -> list[str]:
        """Take the copy of a block in, for a part of the first axis."""
        at = ", ".join([block, *self._axes()])
        loops = [self._loop(axis) for axis in range(1, self.kind.ndim)]
        heads = [f"for {self._axes()[0]} in range({first}, {last}):", *loops]
        if self.one.bytes:
            # A cell that no iteration writes keeps its byte, which may be any.
            heads.append(f"if {self.copies}[{at}] != {self.one.identity}:")
        return _nested(heads, self.one.combine(at))

    def variables(self) -> dict[str, str]:
        """The variables of the loops over its cells."""
        return dict.fromkeys(self._axes(), "Py_ssize_t")

    def _axes(self) -> list[str]:
        return axes(self.kind.ndim)

    def _loop(self, axis: int) -> str:
        return f"for {self._axes()[axis]} in range({self.name}.shape[{axis}]):"


def axes(count: int) -> list[str]:
    """The loop variables over an array with copies."""
    return [f"lx_axis_{axis}" for axis in range(count)]


def _nested(heads: list[str], body: list[str]) -> list[str]:
    lines = [f"{'    ' * depth}{head}" for depth, head in enumerate(heads)]
    return lines + [f"{'    ' * len(heads)}{line}" for line in body]


def register(scope: Scope, block: Block) -> None:
    """Name the copies of every array that a parallel loop of a block reduces into."""
    for node in loops(block):
        if node.marks.parallel is None:
            continue
        inside = set(calls(node.body))
        for reduction in scope.planned.reductions.get(node.dim, ()):
            array = reduction.target.array
            if not _is_cell(scope, reduction) or array in scope.copies:
                continue
            if any(True for _ in reducing(scope, reduction, inside)):
                scope.copies[array] = scope.names(f"{array} copies")
                scope.number = scope.number or scope.names.fresh("copies")


def array_type(scope: Scope, name: str) -> ArrayType:
    """The type of an array, or of a scalar that became one."""
    if name in scope.buffers:
        return scope.buffers[name].kind
    kind = scope.array(name)
    if kind.ndim > _MOST_AXES:
        fail(f"a reduction into `{name}`, which has {kind.ndim} dimensions")
    return kind


def copies_type(scope: Scope, name: str) -> ArrayType:
    """The type of the copies of an array."""
    kind = array_type(scope, name)
    layout = "C" if kind.layout == "C" else "A"
    return ArrayType(kind.dtype, kind.ndim + 1, layout)


def allocation(scope: Scope) -> list[str]:
    """Make the copies: as many as memory allows; a single one is the array itself."""
    if not scope.copies:
        return []
    whole = " + ".join(
        f"lx_numpy.asarray({scope.names(array)}).nbytes" for array in scope.copies
    )
    lines = []
    for array, copies in scope.copies.items():
        name, kind = scope.names(array), array_type(scope, array)
        dtype = "uint8" if kind.dtype == "bool" else kind.dtype
        shape = "".join(f", {name}.shape[{axis}]" for axis in range(kind.ndim))
        lines += [
            f"if {scope.number} > 1:",
            f'    {copies} = lx_numpy.empty(({scope.number}{shape}), "{dtype}")',
            "else:",
            f"    {copies} = lx_numpy.asarray({name})[None]",
        ]
    count = f"{scope.number} = lx_copies({whole}, {COPIES}, {LIMIT})"
    return [count, *reserved(lines, "copies of an array")]


def copied(
    scope: Scope, reductions: Iterable[Reduction], inside: Collection[str]
) -> list[Copied]:
    """The arrays that the statements ``inside`` a parallel loop reduce into.

    The plan has made sure that they touch such an array in no other way.
    """
    found: dict[str, Copied] = {}
    for reduction in reductions:
        array = reduction.target.array
        if not _is_cell(scope, reduction):
            continue
        statements = list(reducing(scope, reduction, inside))
        if not statements:
            continue
        kind, copies = array_type(scope, array), scope.copies[array]
        _check_held(scope, statements, kind.dtype)
        name = scope.names(array)
        cell = f"{name}[{', '.join(axes(kind.ndim))}]"
        value = scope.kinds.get(array) or of(ScalarType(kind.dtype))
        one = _accumulator(cell, value, reduction.op, statements)
        one.partials[cell] = copies
        one.bytes = kind.dtype == "bool" and array not in scope.buffers
        found[array] = Copied(array, name, copies, kind, one)
    return list(found.values())


def fixed(
    scope: Scope,
    reductions: Iterable[Reduction],
    body: Block,
    moving: Collection[str],
) -> list[Accumulator]:
    """The cells that stay the same while a loop runs, and that nothing else touches.

    Args:
        scope: the nest.
        reductions: those the loop carries.
        body: of the loop, calls and bindings only.
        moving: the C variables that change in it.
    """
    nest = scope.planned.nest
    inside = set(calls(body))
    found: dict[str, Accumulator] = {}
    for reduction in reductions:
        if not _is_cell(scope, reduction):
            continue
        if not only_reduced(
            nest, (nest.statements[name] for name in inside), reduction
        ):
            continue
        statements = {own.name: own for own in reducing(scope, reduction, inside)}
        for call in body:
            if isinstance(call, Call) and call.statement in statements:
                cell = _target(scope, statements[call.statement], call.index)
                _check_held(scope, statements.values(), cell.kind.dtype)
                if words(cell.text) & {*moving, "lx_at"}:
                    break
                kind = Kind(cell.kind.dtype, cell.kind.members)
                every = statements.values()
                one = _accumulator(cell.text, kind, reduction.op, every)
                found.setdefault(cell.text, one)
    return list(found.values())


def _accumulator(
    text: str, kind: Kind, op: str, statements: Iterable[Statement]
) -> Accumulator:
    # NumPy's sum of two bools is their "or", their product the "and"; as bytes they
    # would not compare, since any but 0 is True.
    if kind.dtype == "bool":
        op = {"+": "|", "*": "&", "min": "&", "max": "|"}.get(op, op)
    element = c_element(kind.dtype)
    return Accumulator(
        text, text, kind, op, "", propagates(statements), {text: element}, cell=True
    )


def _check_held(scope: Scope, statements: Iterable[Statement], dtype: str) -> None:
    """See that a cell holds what is combined, up to rounding and wrapping around.

    Of a fraction an integer keeps the whole part, and of a number a bool whether it is
    0, at every step: that depends on the order, and partial results cannot tell.
    """
    most = _RANKS[np.dtype(dtype).kind]
    for statement in statements:
        index = {name: Var(name) for name in (*statement.loops, *statement.places)}
        expressions = Expressions(scope, statement, index)
        (line,) = statement.code
        while isinstance(line, ast.If):
            (line,) = line.body
        assert isinstance(line, (ast.Assign, ast.AugAssign))
        kind = expressions.value(line.value).kind.dtype
        if _RANKS[np.dtype(kind).kind] > most:
            fail(f"a reduction of {kind} into cells of {dtype}", statement.place)


def _target(scope: Scope, statement: Statement, index: Mapping[str, IntExpr]) -> Value:
    """The cell that an instance of a reduction writes."""
    (line,) = statement.code
    while isinstance(line, ast.If):
        (line,) = line.body
    match line:
        case ast.Assign([target], _) | ast.AugAssign(target=target):
            return Expressions(scope, statement, index).target(target)
    fail(f"the reduction `{ast.unparse(line)}`", statement.place)


def _is_cell(scope: Scope, reduction: Reduction) -> bool:
    array = reduction.target.array
    return array in scope.planned.nest.arrays or array in scope.buffers


def calls(block: Block) -> Iterator[str]:
    """The statements of a block."""
    for node in block:
        if isinstance(node, Call):
            yield node.statement
        elif isinstance(node, (For, If)):
            yield from calls(node.body)


def loops(block: Block) -> Iterator[For]:
    """The loops of a block."""
    for node in block:
        if isinstance(node, For):
            yield node
        if isinstance(node, (For, If)):
            yield from loops(node.body)


def bindings(block: Block) -> Iterator[str]:
    """The names that a block binds itself."""
    return (node.var for node in block if isinstance(node, Let))

"""Reductions carried by a parallel or vector loop: partial results, combined."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from looptx.emit.cstmt import StatementPrinter
from looptx.emit.operators import binary
from looptx.emit.scope import Scope, dotted
from looptx.emit.values import ATOM, RANGES, Kind, Value, cast, fail
from looptx.model.program import Reduction, Statement
from looptx.model.types import ScalarType

LANES = 8
"""How many sums a vector loop keeps side by side unless the directive says."""


@dataclass(slots=True)
class Accumulator:
    """A scalar that collects, in C.

    Attributes:
        name: its C name. scalar: its name in the source.
        kind: its type. op: of the reduction.
        tag: the C variable that marks its Python type, ``""`` for none.
        propagates: whether ``np.maximum`` takes part, where a NaN wins.
        variables: the C variables it consists of, with their types.
        cell: whether it is a cell of an array, which nothing has to declare.
        bytes: whether it is a bool of which any byte but 0 is True.
        partials: the array that holds the partial results of each of them.
    """

    name: str
    scalar: str
    kind: Kind
    op: str
    tag: str
    propagates: bool
    variables: dict[str, str]
    cell: bool = False
    bytes: bool = False
    partials: dict[str, str] = field(default_factory=dict)

    @property
    def lanes(self) -> bool:
        """Whether lanes help: what is exact in any order C vectorises by itself.

        Not so in a cell, which C would store every time.
        """
        floats = ("float32", "float64", "complex128")
        return self.cell or (self.op in ("+", "*") and self.kind.dtype in floats)

    def untagged(self) -> Accumulator:
        """The value alone: lanes run in one thread and share the mark of the type."""
        return replace(self, tag="", variables={self.name: self.kind.c}, partials={})

    def initial(self, at: str = "") -> list[str]:
        """Set to what changes nothing; ``at`` is the index of a partial result."""
        lines = [f"{self._place(self.name, at)} = {self.identity}"]
        if self.tag:
            lines.append(f"{self._place(self.tag, at)} = 0")
        return lines

    def stands(self, at: str) -> dict[str, str]:
        """What stands for the scalar while partial result ``at`` is computed."""
        found = {self.scalar: self._place(self.name, at)}
        if self.tag:
            found[f"{self.scalar} type"] = self._place(self.tag, at)
        return found

    def combine(self, at: str) -> list[str]:
        """Take partial result ``at`` in."""
        part = Value(self._place(self.name, at), ATOM, self.kind)
        own = Value(self.name, ATOM, self.kind)
        tag = self._place(self.tag, at) if self.tag else ""
        if self.op in ("min", "max"):
            sign = "<" if self.op == "min" else ">"
            test = f"{part.text} {sign} {own.text}"
            if self.propagates and self.kind.dtype.startswith("float"):
                test += f" or {part.text} != {part.text}"
            lines = [f"if {test}:", f"    {self.name} = {part.text}"]
            if tag and not self.propagates:
                return [*lines, f"    {self.tag} = {tag}"]
            # NumPy's functions give one of its types even where two are equal.
            return [*lines, f"if {tag}:", f"    {self.tag} = {tag}"] if tag else lines
        strong = Kind(self.kind.dtype, frozenset((ScalarType(self.kind.dtype),)))
        both = [Value(value.text, ATOM, strong) for value in (own, part)]
        if self.kind.dtype == "bool":
            # Any byte but 0 is True.
            text = f"({own.text} != 0) {self.op} ({part.text} != 0)"
            whole = Value(text, 0, strong)
        else:
            whole = cast(binary(self.op, *both), self.kind.dtype)
        lines = [f"{self.name} = {whole.text}"]
        if self.op == "*" and self.kind.dtype == "complex128":
            # A product with 1 turns an infinite part into NaN.
            lines = [f"if {part.text} != 1:", f"    {lines[0]}"]
        return [*lines, f"if {tag}:", f"    {self.tag} = {tag}"] if tag else lines

    def _place(self, variable: str, at: str) -> str:
        return f"{self.partials[variable]}[{at}]" if at else variable

    @property
    def identity(self) -> str:
        """What changes nothing; where any byte is a bool, none of what is written."""
        dtype = self.kind.dtype
        if self.bytes and self.op == "&":
            return "2"
        if self.op == "+":
            if dtype == "complex128":
                return "lx_complex(-0.0, -0.0)"
            return "-0.0" if dtype.startswith("float") else "0"
        if self.op in ("*", "&"):
            return "-1" if self.op == "&" and dtype != "bool" else "1"
        if self.op in ("|", "^"):
            return "0"
        if dtype.startswith("float"):
            return "lx_inf" if self.op == "min" else "-lx_inf"
        low, high = RANGES.get(dtype, (0, 1))
        if self.op == "min":
            return str(high)
        return f"{low + 1} - 1" if dtype == "int64" else str(low)


def accumulators(
    scope: Scope,
    printer: StatementPrinter,
    reductions: Iterable[Reduction],
    inside: Collection[str],
) -> list[Accumulator]:
    """The scalars that the statements ``inside`` a loop reduce into."""
    found: dict[str, Accumulator] = {}
    for reduction in reductions:
        scalar = reduction.target.array
        if scalar in scope.planned.nest.arrays or scalar in scope.buffers:
            continue
        statements = list(reducing(scope, reduction, inside))
        if not statements:
            continue
        name, kind = scope.names(scalar), scope.kinds[scalar]
        variables = {name: kind.c}
        tag = printer.tag(scalar) if scalar in printer.tagged else ""
        if tag:
            variables[tag] = "int"
        nan = propagates(statements)
        if tag and nan and not all(propagates([one]) for one in statements):
            fail(f"the Python type of `{scalar}` after the nest depends on the data")
        found[scalar] = Accumulator(
            name, scalar, kind, reduction.op, tag, nan, variables
        )
    return list(found.values())


def reducing(
    scope: Scope, reduction: Reduction, inside: Collection[str]
) -> Iterator[Statement]:
    """The statements ``inside`` a loop that carry out a reduction."""
    for statement in scope.planned.nest.statements.values():
        own = statement.reduction
        if statement.name in inside and own is not None:
            same = own.target.array == reduction.target.array
            if same and own.op == reduction.op:
                yield statement


def propagates(statements: Iterable[Statement]) -> bool:
    """Whether a NaN wins in a reduction by minimum or maximum: one of NumPy's does it.

    What the others make of a NaN depends on the order, which the user has left open.
    """
    return any(
        isinstance(node, ast.Call)
        and dotted(node.func).rpartition(".")[2] in ("minimum", "maximum")
        for statement in statements
        for line in statement.code
        for node in ast.walk(line)
    )

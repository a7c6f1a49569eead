"""An expression in the place of a read, and the statement that holds it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from looptx.model.elements import Access, Cell, Element, Inlined
from looptx.model.expr import (
    IntExpr,
    Var,
    conj,
    rewrite,
    rewrite_cond,
    substitute,
)
from looptx.model.expr.algebra import linear
from looptx.model.moves import Inline
from looptx.model.program import Nest, Reduction, Statement
from looptx.model.records import dataclass, replace
from looptx.model.storage import rounding


def expanded(nest: Nest, step: Inline) -> dict[str, Statement]:
    """The readers of a producer, under new names: they compute its values themselves.

    Args:
        nest: both stand in. step: says which iteration of the producer a read means.
    """
    expansion = _Expansion(nest, nest.statements[step.producer], step.array)
    return {
        new: expansion.of(nest.statements[old], new, step.reads[old])
        for old, new in step.moved.items()
    }


def carried(
    producer: Statement, read: Access, values: tuple[IntExpr, ...]
) -> dict[Access, Access]:
    """What a producer reads, and what is read in its place where its value is.

    Args:
        producer: the statement. read: the access that its expression stands for.
        values: which iteration of it that is.
    """
    given = zip(producer.loops, values, strict=True)
    leaves: dict[IntExpr, IntExpr] = {Var(loop): value for loop, value in given}
    return {
        one: replace(
            one,
            subscripts=tuple(
                None if x is None else rewrite(x, leaves) for x in one.subscripts
            ),
            products=tuple(x and x.changed(leaves) for x in one.products),
            digits=tuple(x and rewrite(x, leaves) for x in one.digits),
            certain=one.certain and read.certain,
            where=conj(rewrite_cond(one.where, leaves), read.where),
        )
        for one in producer.accesses
        if not one.write
    }


@dataclass(frozen=True, slots=True)
class _Expansion:
    """The value of a producer, for its readers.

    Attributes:
        nest: both stand in. producer: assigns the value. array: what it writes.
    """

    nest: Nest
    producer: Statement
    array: str

    @property
    def value(self) -> ast.expr:
        """The expression."""
        (line,) = self.producer.code
        assert isinstance(line, ast.Assign | ast.AnnAssign)
        assert line.value is not None
        return line.value

    def of(
        self, reader: Statement, name: str, reads: Mapping[Cell, tuple[IntExpr, ...]]
    ) -> Statement:
        """A reader under a new name that computes the values itself.

        Args:
            reader: the statement. name: its new one.
            reads: the iteration of the producer for each cell that is read.
        """
        memo: dict[int, object] = {}
        names: dict[str, IntExpr] = dict(reader.values)
        elements: list[Element] = []
        values: list[Inlined] = []
        held = {id(x) for one in reader.inlined for x in ast.walk(one.value)}
        uses = [(node, cell) for node, cell in self._reads(reader) if cell in reads]
        for number, (node, cell) in enumerate(uses):
            one = _Copy(self, reader, f"{name} {number}", reads[cell])
            value = one.value()
            elements += one.elements
            names |= one.values
            memo[id(node)] = value
            if id(node) not in held:
                values.append(Inlined(node, value))
        code = copy.deepcopy(reader.code, memo)
        kept = tuple(
            Inlined(x.node, copy.deepcopy(x.value, memo)) for x in reader.inlined
        )
        elements += [
            replace(x, node=copy.deepcopy(x.node, memo))
            for x in reader.elements
            if x.cell not in reads or not isinstance(x.node.ctx, ast.Load)
        ]
        accesses = [
            x
            for one in reader.accesses
            for x in (
                carried(self.producer, one, reads[one.cell]).values()
                if one.cell in reads and not one.write
                else (one,)
            )
        ]
        return replace(
            reader,
            name=name,
            accesses=tuple(dict.fromkeys(accesses)),
            code=code,
            elements=tuple(elements),
            reduction=self._reduction(reader, memo),
            places=(*reader.places, *(names.keys() - reader.values.keys())),
            values=names,
            inlined=(*kept, *values),
            raises=reader.raises or self.producer.raises,
        )

    def _reduction(
        self, reader: Statement, memo: dict[int, object]
    ) -> Reduction | None:
        """The reader as a reduction, if the value has nothing to do with the target."""
        own = reader.reduction
        if own is None or any(
            x.array == own.target.array for x in self.producer.accesses
        ):
            return None
        return replace(own, operand=copy.deepcopy(own.operand, memo))

    def _reads(self, reader: Statement) -> Iterator[tuple[ast.expr, Cell]]:
        """Where the reader uses a value."""
        found = [
            (x.node, x.cell)
            for x in reader.elements
            if x.array == self.array and isinstance(x.node.ctx, ast.Load)
        ]
        if found:
            yield from found
            return
        for line in reader.code:
            for node in ast.walk(line):
                if (
                    isinstance(node, ast.Name)
                    and node.id == self.array
                    and isinstance(node.ctx, ast.Load)
                ):
                    yield node, (self.array, ())


class _Copy:
    """One copy of the expression.

    Attributes:
        elements: those of it.
        values: what its names mean that stand for no plain sums.
    """

    def __init__(
        self,
        expansion: _Expansion,
        reader: Statement,
        prefix: str,
        values: tuple[IntExpr, ...],
    ) -> None:
        nest, producer = expansion.nest, expansion.producer
        self.expansion = expansion
        self.reader = reader
        self.vars = {x: nest.loops[x].var for x in reader.loops if x in nest.loops}
        self.given = dict(zip(producer.loops, values, strict=True))
        self.prefix = prefix
        self.names = {nest.loops[x].var: self.given[x] for x in producer.loops}
        for name, value in producer.values.items():
            self.names[name] = substitute(value, self.given)
        self.values: dict[str, IntExpr] = {}
        self.elements: list[Element] = []

    def value(self) -> ast.expr:
        """The expression, rounded as the array rounds it."""
        memo: dict[int, object] = {}
        array, value = self.expansion.array, self.expansion.value
        known = {id(x.node): x for x in self.expansion.producer.elements}
        for node in reversed([*ast.walk(value)]):
            if isinstance(node, ast.Name) and node.id in self.names:
                memo[id(node)] = self._name(node.id)
            elif id(node) in known:
                memo[id(node)] = self._element(known[id(node)], memo)
        found: ast.expr = copy.deepcopy(value, memo)
        if array in self.expansion.nest.arrays:
            found = ast.Call(ast.Name(rounding(array), ast.Load()), [found], [])
        for node in ast.walk(found):
            if isinstance(node, ast.expr):
                # None of it stands in the source at that place.
                node.lineno = node.end_lineno = 0
                node.col_offset = node.end_col_offset = 0
        return found

    def _element(self, element: Element, memo: dict[int, object]) -> ast.expr:
        """An element, whose subscripts are written anew where they are sums."""
        subscripts = tuple(
            None if x is None else substitute(x, self.given) for x in element.subscripts
        )
        old = element.node
        axes = old.slice.elts if isinstance(old.slice, ast.Tuple) else [old.slice]
        if isinstance(old.value, ast.Name) and len(axes) == len(subscripts):
            for axis, one in zip(axes, subscripts, strict=True):
                written = None if one is None else self._sum(one)
                if written is not None:
                    memo[id(axis)] = written
        new = copy.deepcopy(old, memo)
        self.elements.append(replace(element, node=new, subscripts=subscripts))
        return new

    def _name(self, name: str) -> ast.expr:
        """The value of a loop of the producer."""
        value = self.names[name]
        written = self._sum(value)
        if written is None:
            place = f"{self.prefix} {name}"
            self.values[place] = value
            written = ast.Name(place, ast.Load())
        return written

    def _sum(self, value: IntExpr) -> ast.expr | None:
        """A sum of multiples of loops and sizes as an expression of the source."""
        terms, constant = linear(value)
        found: ast.expr | None = None
        for term, factor in terms.items():
            if not isinstance(term, Var):
                return None
            name = self.vars.get(term.name)
            if name is None and term.name in self.reader.loops:
                return None
            one = ast.parse(name or term.name, mode="eval").body
            if abs(factor) != 1:
                one = ast.BinOp(ast.Constant(abs(factor)), ast.Mult(), one)
            found = _joined(found, one, negative=factor < 0)
        if constant or found is None:
            number = ast.Constant(abs(constant))
            found = _joined(found, number, negative=constant < 0)
        return found


def _joined(first: ast.expr | None, one: ast.expr, *, negative: bool) -> ast.expr:
    """A sum with one more term."""
    if first is None:
        return ast.UnaryOp(ast.USub(), one) if negative else one
    return ast.BinOp(first, ast.Sub() if negative else ast.Add(), one)

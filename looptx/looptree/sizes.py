"""Sizes that may be NumPy numbers, as Python integers.

A loop over ``range`` has Python integers, whatever its bounds are. What stands for its
variable is made of such integers, too, and so are bounds that the source does not
compute: NumPy's might wrap. ``n`` becomes ``range(n).stop`` once, and no sooner than
the generated loops need it; where the function shows what it is, too, ``n_int`` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.planned import Final, Planned
from looptx.looptree.walk import Uses, bound, nodes, reads, rename, weight
from looptx.model.expr import (
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Max,
    Min,
    Not,
    Or,
    Var,
    rewrite,
    rewrite_cond,
    variables,
)
from looptx.model.naming import free
from looptx.model.records import replace
from looptx.model.shapes import is_extent
from looptx.model.storage import Buffer

_NAMED = re.compile(r"(?:\w+\.)*(\w+)")

Names = frozenset[str]


class Indexed:
    """The loops of a nest over Python integers, as far as that matters.

    Args:
        planned: the nest.
        block: its loops, ready to print.
        uses: how often statements read loops.

    Attributes:
        block: the loops. finals: the values of variables behind them.
        made: the assignments of Python integers among the loops.
    """

    def __init__(self, planned: Planned, block: Block, uses: Uses) -> None:
        nest = planned.nest
        self._uses = uses
        self._loops = nest.loops
        self._python = nest.entry.python | bound(block)
        loops = planned.schedule.nest.loops.values()
        leaf: dict[IntExpr, IntExpr] = {Var(loop.id): Var(loop.var) for loop in loops}
        self._given = {rewrite(expr, leaf) for expr in _written(planned)}
        taken = {*planned.schedule.taken, *self._python, *reads(block)}
        self._names: dict[str, str] = {}
        self.made: set[LoopTree] = set()
        needed = Names().union(*map(self._needed, nodes(block)))
        inside = [text for text in nest.parameters if text in needed]
        for text in (*inside, *sorted(needed.difference(inside))):
            name = text if text in nest.entry.ranged else free(_label(text), taken)
            taken.add(name)
            block = self._placed(block, text, name)
            made = Let(name, _index(text))
            self.made.add(made)
            if made in block:
                self._names[text] = name
        self.block = block
        self.finals = tuple(
            Final(
                final.var,
                tuple((self._cond(c), self._value(x)) for c, x in final.cases),
            )
            for final in planned.finals
        )

    def shape(self, buffer: Buffer) -> tuple[IntExpr, ...]:
        """The extents of a buffer that is made before the loops."""
        own = buffer.allocation
        said = () if own is None or own.made else own.shape
        return tuple(x if x in said else self._extent(x) for x in buffer.extents)

    def _extent(self, expr: IntExpr) -> IntExpr:
        """An extent: ``range`` takes a ``bool``, but nothing that makes arrays does."""
        match expr:
            case Max((Var(text) as size, Const(0))) if self._foreign(size):
                return Var(f"len(range({text}))")
        leaf: dict[IntExpr, IntExpr] = {
            Var(text): _index(text) for text in self._chosen(expr)
        }
        return rewrite(expr, leaf)

    def _chosen(self, expr: IntExpr) -> Names:
        """The sizes that an expression may be, or of which something is computed."""
        match expr:
            case Var():
                return self._foreign(expr)
            case Min(parts) | Max(parts):
                return Names().union(*map(self._chosen, parts))
        return self._computed(expr)

    def _value(self, expr: IntExpr) -> IntExpr:
        return rewrite(expr, self._leaf(self._foreign(expr)))

    def _cond(self, cond: Cond) -> Cond:
        return rewrite_cond(cond, self._leaf(self._computed(cond)))

    def _leaf(self, texts: Names) -> dict[IntExpr, IntExpr]:
        names = self._names
        return {
            Var(text): Var(names[text]) if text in names else _index(text)
            for text in texts
        }

    def _foreign(self, part: IntExpr | Cond) -> Names:
        """The sizes in an expression that may be no Python integers."""
        names = variables(part) - self._python
        return frozenset(text for text in names if not is_extent(text))

    def _computed(self, part: IntExpr | Cond) -> Names:
        """Those of which something else is computed than the source computes."""
        match part:
            case Const() | Var():
                return Names()
            case Min(parts) | Max(parts) if part not in self._given:
                return Names().union(*map(self._computed, parts))
            case And(conds) | Or(conds):
                return Names().union(*map(self._computed, conds))
            case Not(cond):
                return self._computed(cond)
            case Compare(_, left, right):
                return self._computed(left) | self._computed(right)
        return Names() if part in self._given else self._foreign(part)

    def _needed(self, node: LoopTree) -> Names:
        """The sizes that must be Python integers for a node, without its body."""
        match node:
            case For():
                return self._computed(node.start) | self._computed(node.stop)
            case If(cond):
                return self._computed(cond)
            case Let(_, value):
                return self._foreign(value)
            case Call(statement, index):
                found = Names()
                for name, value in index.items():
                    if weight(self._uses, statement, name):
                        # A coordinate in a buffer is no loop: nobody sees its type.
                        own = name in self._loops
                        found |= (self._foreign if own else self._computed)(value)
                return found

    def _printed(self, node: LoopTree) -> Iterator[IntExpr | Cond]:
        """The expressions of a node that are printed, without those of its body."""
        match node:
            case For():
                yield from (node.start, node.stop)
            case If(cond):
                yield cond
            case Let(_, value):
                yield value
            case Call(statement, index):
                for loop, value in index.items():
                    if weight(self._uses, statement, loop):
                        yield value

    def _reads(self, node: LoopTree) -> Names:
        return Names().union(*map(variables, self._printed(node)))

    def _placed(self, block: Block, text: str, name: str) -> Block:
        """The block with a size under another name, from its first use on."""
        using = [
            at
            for at, node in enumerate(block)
            if any(text in self._reads(inner) for inner in nodes((node,)))
        ]
        at = using[0]
        node, behind = block[at], block[at + 1 :]
        if (
            isinstance(node, For | If)
            and text not in self._reads(node)
            and using == [at]
        ):
            body = self._placed(node.body, text, name)
            return (*block[:at], replace(node, body=body), *behind)
        used = rename(block[at:], {text: name}) if name != text else block[at:]
        return (*block[:at], Let(name, _index(text)), *used)


def _index(text: str) -> Var:
    """A Python integer that is what ``range`` takes a size for."""
    return Var(f"range({text}).stop")


def _label(text: str) -> str:
    """What the Python integer of a size is called at best."""
    named = _NAMED.fullmatch(text)
    return f"{named[1] if named else 'size'}_int"


def _written(planned: Planned) -> Iterator[IntExpr]:
    """The expressions that the source computes itself."""
    nest = planned.schedule.nest
    for loop in nest.loops.values():
        yield from (loop.start, loop.stop)
        yield from _sides(loop.guard)
    for statement in nest.statements.values():
        yield from _sides(statement.guard)
        for access in statement.accesses:
            yield from filter(None, access.subscripts)


def _sides(cond: Cond) -> Iterator[IntExpr]:
    match cond:
        case Compare(_, left, right):
            yield from (left, right)
        case And(args) | Or(args):
            for arg in args:
                yield from _sides(arg)
        case Not(arg):
            yield from _sides(arg)

"""Index-set splitting: a statement becomes several, each with some of its iterations.

The copies stand where the statement stood, so the order of the source is what it was,
and every iteration is one of one copy. A schedule may then give the copies loops of
their own. (Griebl, Feautrier, Lengauer, "Index set splitting", IJPP 2000.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from looptx.model.expr import Cond, conj, variables
from looptx.model.program import LoopNode, Nest, Node, Statement, StatementNode
from looptx.model.records import dataclass, replace
from looptx.model.shapes import owner


@dataclass(frozen=True, slots=True)
class Parts:
    """``{statement: {copy: when it runs}}``, the copies in the order of the parts."""

    copies: Mapping[str, Mapping[str, Cond]]

    def of(self, known: Mapping[str, Statement]) -> dict[str, Statement]:
        """The copies of statements, by name."""
        return {
            new: replace(known[old], name=new, guard=conj(known[old].guard, cond))
            for old, copies in self.copies.items()
            for new, cond in copies.items()
        }


def part(cuts: Iterable[Parts], statement: str) -> Cond:
    """The iterations of its loops that cuts have left to a statement."""
    found: list[Cond] = []
    for cut in reversed([*cuts]):
        for old, copies in cut.copies.items():
            if statement in copies:
                found.append(copies[statement])
                statement = old
                break
    return conj(*found)


def with_cuts(nest: Nest, cuts: Iterable[Parts]) -> Nest:
    """A nest that does the same, with the copies in the place of the statements."""
    for one in cuts:
        nest = _with_cut(nest, one)
    return nest


def _with_cut(nest: Nest, cut: Parts) -> Nest:
    known, made = nest.statements, cut.of(nest.statements)
    names = {name: tuple(cut.copies.get(name, (name,))) for name in known}

    def block(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(x for node in nodes for x in nodes_of(node))

    def nodes_of(node: Node) -> tuple[Node, ...]:
        match node:
            case StatementNode(name):
                return tuple(map(StatementNode, names[name]))
            case LoopNode(loop, body):
                return (LoopNode(loop, block(body)),)

    every = {**known, **made}
    kept = {new: every[new] for copies in names.values() for new in copies}
    used = {x for one in made.values() for x in variables(one.guard)} - {*nest.loops}
    sizes = sorted(used.difference(nest.parameters))
    return replace(
        nest,
        body=block(nest.body),
        statements=kept,
        parameters=(*nest.parameters, *sizes),
        live_in=tuple(dict.fromkeys((*nest.live_in, *map(owner, sizes)))),
    )

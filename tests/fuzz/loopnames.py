"""The loops of a nest while directives are drawn: enough to name what there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fuzz.model import For, If, Node
from fuzz.terms import ZERO, Num


@dataclass
class Dim:
    """A loop as directives made it.

    Attributes:
        alone: whether nothing but the one loop inside it stands in it.
        count: how often it runs at most, if that is known.
        marks: what it was marked with: no other mark fits, then.
    """

    name: str
    inside: list[Dim] = field(default_factory=list)
    alone: bool = False
    count: int | None = None
    step: int = 1
    label: str = ""
    marks: set[str] = field(default_factory=set)

    def walk(self) -> Iterator[Dim]:
        """The loop and those inside, in the order of the text."""
        yield self
        for inner in self.inside:
            yield from inner.walk()


@dataclass
class Nest:
    """A nest with its name; a fused one has that of its first."""

    name: str
    top: Dim

    def dims(self) -> list[Dim]:
        """All loops."""
        return list(self.top.walk())

    def chain(self) -> list[Dim]:
        """The loops that are perfectly nested, from the outermost one on."""
        found = [self.top]
        while found[-1].alone:
            found.append(found[-1].inside[0])
        return found

    def steps(self) -> list[int]:
        """The steps of these."""
        return [dim.step for dim in self.chain()]

    def paths(self) -> list[list[Dim]]:
        """The ways from the outermost loop to the innermost ones."""

        def below(dim: Dim) -> Iterator[list[Dim]]:
            if not dim.inside:
                yield [dim]
            for inner in dim.inside:
                for path in below(inner):
                    yield [dim, *path]

        return list(below(self.top))

    def called(self, dim: Dim) -> str:
        """What a directive on this nest calls a loop."""
        same = [other for other in self.dims() if other.name == dim.name]
        if len(same) == 1:
            return dim.name
        at = next(at for at, other in enumerate(same) if other is dim)
        return f"{dim.name}#{at + 1}"

    def inner_name(self, dim: Dim) -> str:
        """The name that the inner loop of a split gets."""
        name = dim.name
        known = {other.name for other in self.dims()}
        if len(set(name)) > 1:
            return f"{name}_in"
        while name in known:
            name += name[0]
        return name

    def split(self, dim: Dim, names: Sequence[str] = (), size: int = 0) -> Dim:
        """Split a loop; the inner one."""
        inner = Dim(self.inner_name(dim), dim.inside, dim.alone, size or None)
        dim.inside, dim.alone, dim.count = [inner], True, None
        if names:
            dim.name, inner.name = names
        return inner


def nest(name: str, loop: For) -> Nest:
    """The loops of a nest as they stand."""
    return Nest(loop.label or name, _dim(loop))


def _dim(loop: For) -> Dim:
    inside = [_dim(inner) for inner in _loops(loop.body)]
    alone = len(loop.body) == 1 and isinstance(loop.body[0], For)
    count = None
    if loop.start == ZERO and isinstance(loop.stop, Num):
        count = loop.stop.value
    return Dim(loop.var, inside, alone, count, loop.step, loop.label)


def _loops(nodes: Sequence[Node]) -> Iterator[For]:
    for node in nodes:
        if isinstance(node, For):
            yield node
        elif isinstance(node, If):
            yield from _loops((*node.body, *node.orelse))

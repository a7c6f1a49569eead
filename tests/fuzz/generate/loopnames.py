"""The loops of a nest while directives are drawn: enough to name what there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

from fuzz.programs.model import For, If, Node
from fuzz.programs.terms import ZERO, Num


@dataclass
class Dim:
    """A loop as directives made it.

    Attributes:
        things: what stands in it: loops, and None for each statement.
        count: how often it runs at most, if that is known.
        marks: what it was marked with: no other mark fits, then.
    """

    name: str
    things: list[Dim | None] = field(default_factory=list)
    count: int | None = None
    step: int = 1
    label: str = ""
    marks: set[str] = field(default_factory=set)

    @property
    def inside(self) -> list[Dim]:
        """The loops that stand in it."""
        return [one for one in self.things if one is not None]

    @property
    def alone(self) -> bool:
        """Whether one loop and nothing else stands in it."""
        return len(self.things) == 1 == len(self.inside)

    def around(self, thing: Dim | None) -> Dim:
        """A loop like this one around one thing alone."""
        return replace(self, things=[thing], marks=set(self.marks))

    def walk(self) -> Iterator[Dim]:
        """The loop and those inside, in the order of the text."""
        yield self
        for inner in self.inside:
            yield from inner.walk()


@dataclass
class Nest:
    """A nest with its name, inside a root; a fused one has that of its first."""

    name: str
    root: Dim

    @property
    def top(self) -> Dim:
        """Its first outermost loop."""
        return self.root.inside[0]

    def dims(self) -> list[Dim]:
        """All loops."""
        return list(self.root.walk())[1:]

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

        return [path for top in self.root.inside for path in below(top)]

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
        inner = Dim(self.inner_name(dim), dim.things, size or None)
        dim.things, dim.count = [inner], None
        if names:
            dim.name, inner.name = names
        return inner

    def distribute(self, dim: Dim) -> list[Dim]:
        """Give each thing in a loop a loop of its own; these loops."""
        around = next(x for x in self.root.walk() if any(y is dim for y in x.inside))
        at = next(at for at, one in enumerate(around.things) if one is dim)
        f = dim.inside[0] if dim.alone else dim
        if "fusing" in f.marks:
            f.things = [dim.around(one) for one in f.things]
            around.things[at] = f
            return [x for part in f.inside for x in self.distribute(part)]
        parts = [dim.around(one) for one in dim.things]
        around.things[at : at + 1] = parts
        return parts

    def cut(self, dim: Dim, count: int) -> list[Dim]:
        """Give each of so many parts of a loop a loop of its own; these loops."""
        around = next(x for x in self.root.walk() if any(y is dim for y in x.inside))
        at = next(at for at, one in enumerate(around.things) if one is dim)
        dim.count = None
        parts = [dim, *(deepcopy(dim) for _ in range(count - 1))]
        around.things[at : at + 1] = parts
        return parts


def nest(name: str, loop: For) -> Nest:
    """The loops of a nest as they stand."""
    return Nest(loop.label or name, Dim("", [_dim(loop)]))


def _dim(loop: For) -> Dim:
    things = list(_things(loop.body))
    count = None
    if loop.start == ZERO and isinstance(loop.stop, Num):
        count = loop.stop.value
    return Dim(loop.var, things, count, loop.step, loop.label)


def _things(nodes: Sequence[Node]) -> Iterator[Dim | None]:
    """What stands in a loop; an ``if`` is what stands in it."""
    for node in nodes:
        if isinstance(node, For):
            yield _dim(node)
        elif isinstance(node, If):
            yield from _things((*node.body, *node.orelse))
        else:
            yield None

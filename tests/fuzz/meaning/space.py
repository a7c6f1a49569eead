"""The loops of a function under its directives.

A function is run once at given sizes;
every loop then is a table that gives each instance inside it its position, a number. A
directive changes these tables and the tree of the loops. The new order is that of the
vectors of places in the text and positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fuzz.meaning import verbs
from fuzz.meaning.fuse import Asked, clear, fuse
from fuzz.meaning.original import Instance, Source, original
from fuzz.meaning.tree import (
    Loop,
    Node,
    Tags,
    Undefined,
    Wrong,
    around,
    build,
    tags,
    walk,
)


@dataclass(frozen=True)
class Group:
    """The statements of a nest or sub-nest, and the source loops in it, by number."""

    tags: Tags
    origin: frozenset[int]

    def is_all(self, node: Node) -> bool:
        """Whether a node is just this."""
        if isinstance(node, Loop):
            return tags([node]) == self.tags and node.origin <= self.origin
        return self.tags == {node} and not self.origin


class Space:
    """The loops of a function at given sizes, under the directives applied so far.

    Attributes:
        run: what the function does as it stands.
        body: its loops and statements.
        groups: the nests and sub-nests by name; of fused ones, the first is the whole.
        own: the same as they stand in the source. lines: the same by their number.
        nests: the statements of each nest. tops: the same, of fused ones together.
        fused: the names that are part of another nest by now.
        collapsed: the names of loops that are part of another, with their statements.
    """

    def __init__(
        self,
        source: Source,
        sizes: Mapping[str, int],
    ) -> None:
        self.source = source
        self.run = original(source.function, sizes)
        self.body = build(source, self.run, sizes)
        self.groups: dict[str, Group] = {}
        self.lines: dict[int, Tags] = {}
        self.tops: list[Tags] = []
        for loop in walk(self.body):
            (line,) = loop.origin
            name = source.named.get(line)
            if loop in self.body:
                name = name or f"n{len(self.tops)}"
                self.tops.append(tags([loop]))
            if name:
                inside = frozenset().union(*(x.origin for x in walk([loop])))
                self.groups[name] = Group(tags([loop]), inside)
                self.lines[line] = tags([loop])
        for tag, name in source.single.items():
            self.groups[name] = Group(frozenset((tag,)), frozenset())
        self.own = dict(self.groups)
        self.nests = list(self.tops)
        self.fused: set[str] = set()
        self.collapsed: set[tuple[str, Tags]] = set()
        self.count = 0

    def order(self) -> list[Instance]:
        """The instances in the order of their vectors."""
        vectors: dict[Instance, tuple[int, ...]] = {}

        def visit(nodes: Sequence[Node], outer: tuple[Loop | int, ...]) -> None:
            for place, node in enumerate(nodes):
                if isinstance(node, Loop):
                    visit(node.body, (*outer, place, node))
                    continue
                for one in self.run.instances.get(node, []):
                    vectors[one] = (
                        *(x.at[one] if isinstance(x, Loop) else x for x in outer),
                        place,
                    )

        visit(self.body, ())
        assert len(set(vectors.values())) == len(vectors) == len(self.run.order)
        return sorted(vectors, key=lambda one: vectors[one])

    # Names

    def find(self, name: str, here: Tags) -> list[Loop]:
        """The loops of the dimension of that name, as a directive for the statements
        ``here`` sees it.

        A number or the name of a nest may say fewer: these are a dimension from now on.
        """
        prefix, dot, rest = name.rpartition(".")
        base, _, number = rest.partition("#")
        pool = [loop for loop in walk(self.body) if dot or tags(loop.body) & here]
        if dot:
            if prefix not in self.groups or not self.groups[prefix].tags & here:
                raise Wrong("LX104")
            group = self.groups[prefix]
            pool = [
                loop
                for loop in pool
                if tags(loop.body) <= group.tags and loop.origin <= group.origin
            ]
        found = [loop for loop in pool if loop.name == base]
        if dot and len(found) > 1:
            found = [x for x in found if tags(x.body) <= self.own[prefix].tags]
        if number:
            found = found[int(number) - 1 : int(number)]
        dims = {loop.dim for loop in found}
        if len(dims) != 1:
            gone = any(base == part and here & own for part, own in self.collapsed)
            raise Wrong("LX105" if found else "LX106" if gone else "LX104")
        twins = [loop for loop in walk(self.body) if loop.dim in dims]
        if not (dot or number) or len(found) == len(twins) or found[0].fusing:
            return twins
        self._alone(found, twins)
        return found

    def names(self, near: Tags, fusing: bool = False) -> frozenset[str]:
        """The names that a new loop in the nests of some statements cannot have.

        A fusing dimension is no variable: only other loops count.
        """
        around = near.union(*(nest for nest in self.nests if nest & near))
        loops = (loop for loop in walk(self.body) if tags(loop.body) & around)
        known = self.source.variables if fusing else self.source.names
        return known.union(loop.name for loop in loops)

    def fresh(self, twins: verbs.Twins) -> str:
        """``ii`` or ``iii`` for ``i``, ``row_in`` for ``row``."""
        name, near = twins[0].name, verbs.inside(twins)
        taken = self.names(near, bool(twins[0].fusing))
        longer = [name + more * name[0] for more in range(1, 5)]
        if len(set(name)) > 1:
            longer = [f"{name}_in"] * (not name.endswith("_in"))
        for candidate in longer:
            if candidate not in taken:
                return candidate
        raise Undefined

    # Directives

    def apply(self, text: str, line: int) -> None:
        """Carry out a directive of the nest of that number, or of the function (0)."""
        head, _, given = text.partition(" as ")
        verb, *words = head.split()
        new = given.split()
        options = dict(word.split("=") for word in words if "=" in word)
        plain = [word for word in words if not set("=<") & set(word)]
        if verb == "fuse":
            partial = int(options.pop("partial", 0))
            plain = [word for word in plain if word != "at"]
            self.fuse(plain, Asked(partial, new, options))
            return
        count = {"split": 1, "pad": 1, "unroll": 1, "distribute": 1, "skew": 2}.get(
            verb
        )
        named = list(options) if verb == "tile" else plain[:count]
        here = self._here(named, line)
        loops = [self.find(name, here) for name in named]
        numbers = [int(word) for word in plain[len(named) :] if word != "by"]
        near = verbs.inside(loops[0])
        old = {x[0].name for x in loops if verb in ("split", "distribute")}
        for at, name in enumerate(new):
            fusing = loops[at if verb == "tile" else 0][0].fusing
            if name in self.names(near, bool(fusing)) - old:
                raise Wrong("LX109")
        match verb:
            case "split":
                if parts := int(options.get("parts", 0)):
                    numbers = [verbs.block_size(loops[0][0], parts)]
                self.split(loops[0], numbers, new)
            case "tile":
                for at, (twins, size) in enumerate(zip(loops, options, strict=True)):
                    pair = [twins[0].name, new[at]] if new else []
                    self.split(twins, [int(options[size])], pair)
            case "unroll":
                for loop in loops[0]:
                    verbs.unroll(loop, *numbers)
            case "collapse":
                parts = [twins[0].name for twins in loops]
                link = "" if max(map(len, parts)) == 1 else "_"
                name = new[0] if new else link.join(parts)
                self.collapsed |= {(part, near) for part in parts}
                verbs.collapse(*loops, name)
            case "skew":
                verbs.skew(*loops, *numbers)
            case "pad":
                for loop in loops[0]:
                    verbs.pad(loop, numbers[0])
            case "distribute":
                parts = verbs.distribute(self.body, loops[0])
                if new and len(new) != len(parts):
                    raise Wrong("LX102")
                for loop, name in zip(parts, new, strict=False):
                    loop.name = name
            case "reorder":
                verbs.reorder(self.body, [twins[0].dim for twins in loops])
            case _:
                raise AssertionError(text)
        verbs.check_fusing(self.body)

    def _here(self, names: Sequence[str], line: int) -> Tags:
        """The statements a directive is about.

        Above ``def``, its names must be those of loops of exactly one nest. Above a
        nest they may all name another one, or one that it is fused with by now.
        """
        prefixes = {name.rpartition(".")[0] for name in names}
        known = [self.groups[name].tags for name in prefixes if name in self.groups]
        if line and len(prefixes) == len(known) == 1:
            return next(top for top in self.tops if known[0] <= top)
        if line:
            return self.lines[line]
        found, code = [], "LX104"
        for group in self.tops:
            try:
                for name in names:
                    self.find(name, group)
            except Wrong as wrong:
                if wrong.code == "LX104":
                    continue
                code = wrong.code
            found.append(group)
        if len(found) == 1:
            return found[0]
        raise Wrong("LX105" if found else code)

    def split(
        self, twins: verbs.Twins, sizes: Sequence[int], new: Sequence[str]
    ) -> None:
        """Each size splits the innermost loop there is so far."""
        for number, size in enumerate(sizes):
            outer = new[number] if new else twins[0].name
            for loop in twins:
                loop.name = outer
            inner = new[number + 1] if new else self.fresh(twins)
            twins = [verbs.split(loop, size, inner) for loop in twins]
            for loop in twins:
                loop.dim = twins[0].dim

    def fuse(self, names: Sequence[str], asked: Asked) -> None:
        """One nest from several, under the name of the first."""
        if len(set(names)) < max(2, len(names)) or self.fused & set(names):
            raise Wrong("LX115")
        if not self.groups.keys() >= set(names):
            raise Wrong("LX104")
        groups = [self.groups[name] for name in names]
        whole = frozenset().union(*(group.tags for group in groups))
        nodes, tops = self._beside(groups)
        taken = self.names(whole), self.names(whole, fusing=True)
        self.count += 1
        for group in groups:
            self._own(group.tags)
        if nodes is self.body:
            clear(nodes, tops, self.source)
        outer = {tag: around(self.body, tag) for tag in whole}
        fuse(nodes, tops, asked, self.count, taken, self.source, self.run, outer)
        origin = frozenset().union(*(group.origin for group in groups))
        self.groups[names[0]] = Group(whole, origin)
        self.fused |= set(names[1:])
        together = [top for top in self.tops if top & whole]
        self.tops = [top for top in self.tops if top not in together]
        self.tops.append(frozenset().union(*together))

    def _own(self, nest: Tags) -> None:
        """The loops of a nest are those of no other one."""
        loops = [loop for loop in walk(self.body) if not loop.fusing]
        for dim in dict.fromkeys(x.dim for x in loops if tags(x.body) <= nest):
            twins = [loop for loop in loops if loop.dim is dim]
            inside = [loop for loop in twins if tags(loop.body) <= nest]
            if len(inside) < len(twins):
                self._alone(inside, twins)

    def _alone(self, some: Sequence[Loop], twins: Sequence[Loop]) -> None:
        """Some of the loops of a dimension become one, and none of them is fused."""
        alone = object()
        for loop in twins:
            around = [x for x in walk(self.body) if loop in walk(x.body)]
            loop.unfused |= {x.fusing for x in around} - {0}
            loop.dim = alone if loop in some else loop.dim

    def _beside(self, groups: Sequence[Group]) -> tuple[list[Node], list[Node]]:
        """The nodes among which nests stand side by side, and the nests."""
        for nodes in (self.body, *(loop.body for loop in walk(self.body))):
            found = [node for group in groups for node in nodes if group.is_all(node)]
            if len(found) == len(groups):
                return nodes, found
        raise Wrong("LX106")

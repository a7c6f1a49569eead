"""Names for what stands beside inner loops, and values at which it may run in these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fuzz.generate.loopnames import Dim
from fuzz.programs.dice import Dice
from fuzz.programs.model import Assign, For, If, Node
from fuzz.programs.terms import Expr, add, text


def labelled(body: Sequence[Node], dice: Dice) -> list[Node]:
    """Nests in which most statements beside inner loops, and these, have names."""
    return _Labels(dice).within(body, True)


class _Labels:
    """Gives names.

    Attributes:
        count: how many so far.
    """

    count = 0

    def __init__(self, dice: Dice) -> None:
        self.dice = dice

    def within(self, nodes: Sequence[Node], outermost: bool = False) -> list[Node]:
        """The nodes of a loop; those of the function itself get no names."""
        named = not outermost and _has_loop(nodes) and self.dice.chance(85)
        return [self.node(node, named) for node in nodes]

    def node(self, node: Node, named: bool) -> Node:
        """A node and what is inside, with a name if it stands beside loops."""
        match node:
            case Assign() if named and self.dice.chance(85):
                self.count += 1
                return replace(node, label=f"e{self.count}")
            case If():
                body = tuple(self.node(x, named) for x in node.body)
                orelse = tuple(self.node(x, named) for x in node.orelse)
                return replace(node, body=body, orelse=orelse)
            case For():
                label = node.label
                if named and not label:
                    self.count += 1
                    label = f"e{self.count}"
                body = tuple(self.within(node.body))
                found = replace(node, label=label, body=body)
                turned = named and node.step == 1 and self.dice.chance(20)
                return _turned(found) if turned else found
        return node


def _turned(loop: For) -> For:
    """A loop with the same values from the last one on."""
    return replace(loop, start=_last(loop), stop=add(loop.start, -1), step=-1)


def _has_loop(nodes: Sequence[Node]) -> bool:
    """Whether a loop is among some nodes, which a condition may be around."""
    return any(
        isinstance(x, For) or (isinstance(x, If) and _has_loop((*x.body, *x.orelse)))
        for x in nodes
    )


def value(dice: Dice, loops: Sequence[str]) -> str:
    """A value of a loop in the words of ``fuse``.

    Args:
        dice: the choices. loops: the variables of loops around what stands there.
    """
    loop = dice.pick(*loops) if loops and dice.chance(65) else ""
    size = dice.pick("n", "n", "m")
    if not loop:
        texts = (
            "0", "0", "1", "2", "3", "-1", "-2", "7", size, f"{size}-1", f"{size}-1",
            f"{size}-2", f"{size}+1", f"{size}//2", f"{size}%2", f"-{size}", "50",
        )  # fmt: skip
        return dice.pick(*texts)
    if len(loops) > 1 and dice.chance(12):
        other = dice.pick(*(x for x in loops if x != loop))
        return dice.pick(f"{loop}+{other}", f"{loop}-{other}", f"{other}*2-{loop}")
    texts = (
        loop, loop, loop, f"{loop}+1", f"{loop}-1", f"{loop}+2", f"{loop}//2",
        f"2*{loop}", f"{loop}*2+1", f"{size}-{loop}", f"{size}-1-{loop}", f"-{loop}",
        f"{loop}%2", f"{loop}%3+1", f"({loop}+1)//2", f"{loop}+{size}",
    )  # fmt: skip
    return dice.pick(*texts)


@dataclass(frozen=True)
class _Place:
    """A loop in which things with names stand side by side.

    Attributes:
        loops: the variables of the loops around these. things: they, as the text has
            them. dim: the loop.
    """

    loops: tuple[str, ...]
    things: list[Node]
    dim: Dim

    def label(self, at: int) -> str:
        """The name of a thing."""
        node = self.things[at]
        return node.label if isinstance(node, Assign | For) else ""

    def named(self) -> list[int]:
        """The numbers of those that have names."""
        return [at for at in range(len(self.things)) if self.label(at)]


def fused(dice: Dice, node: For, dim: Dim) -> str:
    """A ``fuse`` of neighbours in a nest, some of which are single statements.

    Args:
        dice: the choices.
        node: the nest. dim: its loops as directives made them, and now this one.
    """
    places = [one for one in _places(node, dim) if len(one.named()) > 1]
    if not places:
        return ""
    place = dice.pick(*places)
    known = place.named()
    first = dice.pick(*range(len(known) - 1))
    used = known[first : first + dice.pick(2, 2, 2, 3)]
    order = used if dice.chance(88) else dice.some(used, len(used))
    chains = {at: _chain(place.dim.things[at]) for at in used}
    longest = max(map(len, chains.values()))
    most = min([len(x) for x in chains.values() if x and x[-1].inside] or [longest])
    rank = min(most, dice.pick(longest, longest, 1))
    names = [place.label(at) for at in order]
    words = [f"fuse {' '.join(names)}"]
    if 0 < rank < longest:
        words.append(f"partial={rank}")
    levels = [
        next(chains[at][k] for at in order if k < len(chains[at])) for k in range(rank)
    ]
    words += _at(dice, place, chains, levels[min(map(len, chains.values())) :])
    whole = Dim("f", [], marks={"fusing"})
    for at in used:
        chain = chains[at]
        whole.things += chain[rank : rank + 1] or (
            chain[-1].things if chain else [None]
        )
    for level in reversed(levels):
        whole = Dim(level.name, [whole])
    place.dim.things[used[0]] = whole
    for at in reversed(used[1:]):
        del place.dim.things[at]
    return " ".join(words)


def _at(
    dice: Dice, place: _Place, chains: dict[int, list[Dim]], lacked: list[Dim]
) -> list[str]:
    """The words that say where things stand in the loops that they lack.

    Args:
        dice: the choices. place: the loop around the things.
        chains: the loops of each thing, by its number. lacked: those that some lack.
    """
    if not lacked or dice.chance(15):
        return []
    found = ["at"]
    least = min(chains, key=lambda at: len(chains[at]))
    deeper = next(at for at in chains if len(chains[at]) > len(chains[least]))
    loop = place.things[deeper]
    assert isinstance(loop, For)
    for _ in chains[least]:
        loop = next((x for x in loop.body if isinstance(x, For)), loop)
    before = least < deeper
    for level in lacked:
        near = loop.start if before else _last(loop)
        words = text(near).replace(" ", "")
        if dice.chance(45) or "(" in words:
            words = value(dice, place.loops)
        found.append(f"{level.name}={words}")
        loop = next((x for x in loop.body if isinstance(x, For)), loop)
    return found


def _last(loop: For) -> Expr:
    """The last value of a loop in steps of one."""
    return add(loop.stop, -1 if loop.step > 0 else 1)


def _places(node: For, dim: Dim, loops: tuple[str, ...] = ()) -> Iterator[_Place]:
    """The loops in which single statements have names."""
    loops = (*loops, node.var)
    things = list(_flat(node.body))
    if any(isinstance(x, Assign) and x.label for x in things):
        yield _Place(loops, things, dim)
    for thing, inner in zip(things, list(dim.things), strict=True):
        if isinstance(thing, For) and inner is not None:
            yield from _places(thing, inner, loops)


def _flat(nodes: Sequence[Node]) -> Iterator[Node]:
    """What stands in a loop; an ``if`` is what stands in it."""
    for node in nodes:
        if isinstance(node, If):
            yield from _flat((*node.body, *node.orelse))
        else:
            yield node


def _chain(thing: Dim | None) -> list[Dim]:
    """The loops of a thing, perfectly nested."""
    found = [thing] if thing else []
    while found and found[-1].alone:
        found.append(found[-1].inside[0])
    return found

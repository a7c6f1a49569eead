"""``fuse_around``: what feeds a nest and what it feeds moves into its loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from looptx.directives.around.contraction import is_contraction
from looptx.directives.base import V, Verb, bounded, check_clause, fits, join, make
from looptx.directives.names import group, unknown_nest
from looptx.language.grammar import Clause
from looptx.language.words import is_identifier
from looptx.model.program import Nest
from looptx.model.records import dataclass, field, replace
from looptx.model.schedule import Schedule

_RECOMPUTE = "recompute"
_EXCEPT = "except"


class Candidate(NamedTuple):
    """A nest in a loop that it may move into.

    Attributes:
        nest: the nest. loop: the loop, as a directive names it.
        bytes: of the cells that an iteration of the loop exchanges with the nest.
        recompute: how often an iteration of the nest runs there, on average.
    """

    nest: str
    loop: str
    bytes: int
    recompute: float


Cost: TypeAlias = Callable[[Candidate], float | None]
"""What a candidate costs, or None for one that is out of the question."""


@dataclass(frozen=True)
class FuseAround(Verb):
    """Move the producers and the consumers of a nest into its loops, as far as proven.

    It is ``done`` where no nest joins, so that no directive stands in its place, and
    ``again`` says how many of the same text stand before it.

    syntax: ``fuse_around NEST [recompute=R] [except NEST...]``
    rewrite: a product, ``add`` and ``relu`` -> one nest: ``relu(add(..))`` in each tile
    """

    nest: str
    recompute: int = 1
    without: tuple[str, ...] = ()
    cost: Cost | None = field(default=None, kw_only=True)
    done: bool = field(default=False, compare=False, repr=False, kw_only=True)
    again: int = field(default=0, compare=False, repr=False, kw_only=True)

    verb = "fuse_around"
    usage = "fuse_around NEST [recompute=R] [except NEST...]"

    @classmethod
    def from_clause(cls, clause: Clause) -> FuseAround:
        """Read a nest, how often an iteration may run, and the nests that stay."""
        check_clause(clause, cls, options=(_RECOMPUTE,))
        operands = list(clause.operands)
        at = operands.index(_EXCEPT) if _EXCEPT in operands else len(operands)
        fits(at == 1, cls, "takes one nest")
        fits(at != len(operands) - 1, cls, f"needs a nest behind `{_EXCEPT}`")
        for one in (operands[0], *operands[at + 1 :]):
            known = isinstance(one, str) and is_identifier(one)
            fits(known, cls, f"needs the name of a nest where `{one}` stands")
        nest, *without = (str(one) for one in operands if one != _EXCEPT)
        fits(nest not in without, cls, f"cannot leave out `{nest}` itself")
        times = bounded(clause.options.get(_RECOMPUTE, 1), "number of runs")
        place, source = clause.place, clause.source
        return cls(nest, times, tuple(without), place=place, source=source)

    @property
    def text(self) -> str:
        """``fuse_around mm recompute=2 except pack``; a cost has no text."""
        times = f"{_RECOMPUTE}={self.recompute}" if self.recompute > 1 else ""
        words = (_EXCEPT, *self.without) if self.without else ()
        return join(self.verb, self.nest, *filter(None, (times,)), *words)

    @property
    def key(self) -> str:
        """The text, and a number where that is said again."""
        return f"{self.text} #{self.again + 1}" if self.again else self.text

    @property
    def joins(self) -> tuple[str, ...]:
        """The nest."""
        return (self.nest,)

    def invites(self, nests: Sequence[Nest]) -> tuple[str, ...]:
        """Those that exchange something with the nest, or with one of these.

        What is behind a contraction has nothing to do with the nest any more.

        Raises:
            Malformed: LX104 for what shall stay, and is no nest.
        """
        known = [name for one in nests for name in (one.name, *one.asked.subnests)]
        for name in self.without:
            if name not in known:
                raise self.located(unknown_nest(name, known))
        if self.done:
            return ()
        found = [x for x in nests if self.nest in (x.name, *x.asked.subnests)]
        left = [one for one in nests if one not in found]
        queue = list(found)
        while queue:
            own = queue.pop(0)
            for other in [one for one in left if _meet(own, one)]:
                left.remove(other)
                found.append(other)
                border = any(map(is_contraction, other.statements.values()))
                if not border and other.name not in self.without:
                    queue.append(other)
        return tuple(one.name for one in found)

    def change(self, schedule: Schedule) -> Schedule:
        """Nothing: the plan puts the directives in its place that it amounts to.

        Raises:
            Malformed: LX104 and LX115 for the name of the nest.
        """
        group(schedule, self.nest)
        return schedule

    def plain(self, verb: V) -> V:
        """A directive that stands in the place of this one."""
        given = replace(verb, on=self.on, within=self.within)
        return replace(given, place=self.place, source=self.source)


def numbered(groups: Iterable[Iterable[Verb]]) -> Iterator[list[Verb]]:
    """Verbs of which each ``fuse_around`` knows how many like it stand before it."""
    seen = Counter[str]()
    for verbs in groups:
        found: list[Verb] = []
        for verb in verbs:
            if isinstance(verb, FuseAround):
                verb = replace(verb, again=seen[verb.text])
                seen[verb.text] += 1
            found.append(verb)
        yield found


def _meet(one: Nest, other: Nest) -> bool:
    """Whether one of two nests writes what the other uses."""
    uses, written = ({*x.arrays, *x.live_in, *x.scalars} for x in (one, other)), []
    for nest in (one, other):
        accesses = (a for x in nest.statements.values() for a in x.accesses)
        written.append({access.array for access in accesses if access.write})
    first, second = uses
    return bool(written[0] & second or written[1] & first)


def fuse_around(
    nest: str,
    *,
    recompute: int = 1,
    except_: Sequence[str] | str = (),
    cost: Cost | None = None,
) -> FuseAround:
    """Move into ``nest`` what it needs and what needs it, each to its best loop.

    Args:
        nest: the name of the nest.
        recompute: how often an iteration of another nest may run, on average.
        except_: the nests that stay where they are.
        cost: what a ``Candidate`` costs, None for never; the fewest bytes otherwise.
    """
    without = (except_,) if isinstance(except_, str) else tuple(except_)
    options = {_RECOMPUTE: recompute} if recompute != 1 else {}
    words = (_EXCEPT, *without) if without else ()
    return replace(make(FuseAround, nest, *words, options=options), cost=cost)

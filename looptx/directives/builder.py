"""``looptx.schedule(f).tile(i=32, j=32).parallel("i")``: directives as methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from looptx.directives.assume import assume
from looptx.directives.base import Verb
from looptx.directives.collapse import collapse
from looptx.directives.fuse import fuse
from looptx.directives.nest import nest
from looptx.directives.pad import pad
from looptx.directives.parallel import parallel
from looptx.directives.reassociate import reassociate
from looptx.directives.reorder import reorder
from looptx.directives.skew import skew
from looptx.directives.split import split
from looptx.directives.temp import temp
from looptx.directives.tile import tile
from looptx.directives.trust import trust
from looptx.directives.unroll import unroll
from looptx.directives.vectorize import vectorize


@dataclass(frozen=True)
class Builder:
    """A function and the directives for it; every method returns a longer builder.

    ``kernel()`` hands both to ``compile``, with its own keywords.
    """

    function: Callable[..., Any]
    verbs: tuple[Verb, ...] = ()
    compile: Callable[..., Any] | None = None

    def _with(self, verb: Verb) -> Builder:
        return replace(self, verbs=(*self.verbs, verb))

    def nest(self, name: str) -> Builder:
        """Name the nest."""
        return self._with(nest(name))

    def split(
        self,
        loop: str,
        *sizes: int,
        parts: int | None = None,
        as_: Sequence[str] = (),
    ) -> Builder:
        """Cut a loop into blocks."""
        return self._with(split(loop, *sizes, parts=parts, as_=as_))

    def tile(self, *, as_: Sequence[str] = (), **sizes: int) -> Builder:
        """Cut several loops into blocks."""
        return self._with(tile(as_=as_, **sizes))

    def reorder(self, *order: str) -> Builder:
        """Give loops a new order, outermost first."""
        return self._with(reorder(*order))

    def skew(
        self, loop: str, along: str, by: int = 1, *, unroll_below: int | None = None
    ) -> Builder:
        """Move one loop along with another."""
        return self._with(skew(loop, along, by, unroll_below=unroll_below))

    def pad(self, loop: str, count: int) -> Builder:
        """Put empty positions before a loop's first."""
        return self._with(pad(loop, count))

    def fuse(
        self, *nests: str, partial: int | None = None, as_: Sequence[str] = ()
    ) -> Builder:
        """Make one nest of several."""
        return self._with(fuse(*nests, partial=partial, as_=as_))

    def collapse(
        self, outer: str, inner: str, *, as_: Sequence[str] | str = ()
    ) -> Builder:
        """Make one loop of two."""
        return self._with(collapse(outer, inner, as_=as_))

    def unroll(self, loop: str, factor: int | None = None) -> Builder:
        """Copy a loop's body."""
        return self._with(unroll(loop, factor))

    def vectorize(self, loop: str, lanes: int | None = None) -> Builder:
        """Run iterations side by side."""
        return self._with(vectorize(loop, lanes))

    def parallel(
        self,
        loop: str,
        *,
        schedule: str | None = None,
        chunk: int | None = None,
        threads: int | None = None,
    ) -> Builder:
        """Share iterations among threads."""
        made = parallel(loop, schedule=schedule, chunk=chunk, threads=threads)
        return self._with(made)

    def temp(self, *arrays: str) -> Builder:
        """Keep local arrays only as far as they are live."""
        return self._with(temp(*arrays))

    def assume(self, condition: str) -> Builder:
        """State a condition over sizes."""
        return self._with(assume(condition))

    def trust(self, fact: str, *arrays: str) -> Builder:
        """Vouch for the order or for arrays."""
        return self._with(trust(fact, *arrays))

    def reassociate(self, *targets: str) -> Builder:
        """Allow reductions to be combined in another order."""
        return self._with(reassociate(*targets))

    @property
    def directives(self) -> tuple[str, ...]:
        """The text of each directive, as the decorator takes it."""
        return tuple(verb.text for verb in self.verbs)

    def kernel(self, **options: Any) -> Any:
        """The compiled kernel; the options are those of ``looptx.kernel``."""
        if self.compile is None:
            raise TypeError("this builder has no compiler; use looptx.schedule")
        return self.compile(self.function, self.verbs, **options)


def schedule(
    function: Callable[..., Any],
    compile: Callable[..., Any] | None = None,
) -> Builder:
    """Start a schedule for ``function``; ``compile`` is what ``kernel()`` calls."""
    return Builder(function, (), compile)

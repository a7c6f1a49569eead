"""The nests of a function in which nobody names them: any loop may be one.

A loop that data end, or that counts by them, is a nest of one statement. Loops inside
of a nest are nests, too: they run natively where it does not, by the types of a call or
because it does what only Python can.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable, Iterator

from looptx.errors import LooptxError, Unsupported
from looptx.model.expr import Const
from looptx.model.naming import HELD
from looptx.model.nests.pairs import MOST_PAIRS, pairs
from looptx.model.noted.slices import is_elementwise
from looptx.model.program import Loop, LoopNode, Nest
from looptx.model.records import dataclass, field, replace
from looptx.source.ast_tools import COMPREHENSION, follows, walked
from looptx.source.liveness import binds
from looptx.source.nests.returns import whole_nest
from looptx.source.nests.roots import Root
from looptx.source.nests.sizes.affine import is_beyond
from looptx.source.spelling.edits import mark


@dataclass
class Plain:
    """Reads the nests of a function.

    Args:
        read: reads the nest of a loop; raises LooptxError.
        inside: the outermost loops inside of a loop.

    Attributes:
        errors: why loops are no nests.
        unread: the same of loops that are none where others are.
    """

    read: Callable[[Root], Nest]
    inside: Callable[[ast.For | ast.While | ast.If], Iterable[Root]]
    errors: list[LooptxError] = field(default_factory=list)
    unread: list[LooptxError] = field(default_factory=list)

    def nests(self, found: Iterable[Root]) -> list[Nest]:
        """The nests of the outermost loops, with their names."""
        nests = [nest for root in found for nest in self._tree(root)]
        needed = all(one.host.tried for nest in nests for one in flat(nest))
        return [_named(nest, f"n{number}", needed) for number, nest in enumerate(nests)]

    def _tree(self, root: Root) -> list[Nest]:
        """The nest of a loop, with those inside; these alone, where it is none."""
        known = len(self.errors), len(self.unread)
        # A nest is known by its place: of several at one only the outermost can be.
        here, others = _place(root), self.inside(root.loop)
        others = [one for one in others if _place(one) > here]
        inner = [nest for one in others for nest in self._tree(one)]
        rounds = isinstance(root.loop, ast.While)
        # Loops side by side or in one another are better off as nests of their own.
        alone = any(map(_is_deep, inner))
        if rounds and alone:
            return inner
        try:
            nest = self._nest(root, alone)
        except LooptxError as error:
            if is_elementwise(root.loop) or follows(root.loop):
                # Nothing is missed where NumPy runs a statement on arrays.
                return inner
            error = _of_source_text(root.loop, error)
            quiet = rounds or bool(mark(root.loop))
            into, at = (self.unread, 1) if quiet else (self.errors, 0)
            said = {(one.code, one.place, one.message) for one in into[known[at] :]}
            if (error.code, error.place, error.message) not in said:
                into.insert(known[at], error)
            return inner
        inner += self._beneath(root, here)
        del self.errors[known[0] :], self.unread[known[1] :]
        host = replace(nest.host, inside=tuple(inner), tried=rounds)
        return [replace(nest, host=host)]

    def _beneath(self, root: Root, here: tuple[int, int]) -> Iterator[Nest]:
        """The nests in loops that a loop has inside only as it is spelled.

        Args:
            root: the loop. here: its place, which is that of those loops, too.
        """
        for one in self.inside(root.loop):
            if _place(one) > here:
                continue
            for inner in self.inside(one.loop):
                if _place(inner) > here:
                    yield from _of_source(self._tree(inner))
            yield from self._beneath(one, here)

    def _nest(self, root: Root, alone: bool) -> Nest:
        """The nest of a loop, as one statement if need be.

        Args:
            root: the loop. alone: whether what is inside is better not a part of one.

        Raises:
            LooptxError: as ``read``.
        """
        if isinstance(root.loop, ast.While):
            return _quiet(self.read(_whole(root) or root))
        try:
            nest = self.read(root)
            if pairs(nest) <= MOST_PAIRS:
                return nest
        except LooptxError:
            found = None if alone else self._read_whole(root)
            if found is None:
                raise
            return found
        # Nothing is asked of its order, which would take too long to find.
        return self._read_whole(root) or nest

    def _read_whole(self, root: Root) -> Nest | None:
        """The nest of a loop as one statement, if it can be."""
        whole = _whole(root)
        if whole is not None:
            with contextlib.suppress(LooptxError):
                return _quiet(self.read(whole))
        return None


def _of_source_text(loop: ast.stmt, error: LooptxError) -> LooptxError:
    """Why a loop is no nest, where the source has a comprehension in it.

    Args:
        loop: it. error: why what stands for it is none.
    """
    parts = (x for x in walked(loop) if isinstance(x, ast.stmt))
    made = [x for x in parts if COMPREHENSION in vars(x)]
    if not made or error.place is None:
        return error
    at = replace(error.place, line=made[0].lineno, column=made[0].col_offset + 1)
    what, hint = "a list comprehension", "write it as a loop"
    return Unsupported("LX301", what, at, hint=hint)


def _place(root: Root) -> tuple[int, int]:
    """Where the loop of a nest begins."""
    return root.loop.lineno, root.loop.col_offset


def _of_source(nests: Iterable[Nest]) -> Iterator[Nest]:
    """Those of some nests, and of the ones inside, that have variables of the source.

    Others have no values where what is spelled otherwise is not what runs.
    """
    for nest in nests:
        inside = tuple(_of_source(nest.host.inside))
        if any(name.startswith(HELD) for name in (*nest.live_in, *nest.live_out)):
            yield from inside
        else:
            yield replace(nest, host=replace(nest.host, inside=inside))


def flat(nest: Nest) -> Iterator[Nest]:
    """A nest and all inside of it, each before those inside of it."""
    yield nest
    for one in nest.host.inside:
        yield from flat(one)


def _quiet(nest: Nest) -> Nest:
    """A nest in which nothing is left to Python.

    Raises:
        Unsupported: LX504.
    """
    for one in nest.statements.values():
        if one.effects and not one.leaves:
            message = f"not compiled natively: {one.effects}"
            hint = "the loop runs as Python; move it out of it to compile it"
            raise Unsupported("LX504", message, one.place, hint=hint)
    return nest


def _whole(root: Root) -> Root | None:
    """A loop as one statement, if it can be."""
    parts = (part for part in walked(root.loop) if isinstance(part, ast.expr))
    if any(map(is_beyond, parts)):
        return None
    whole = whole_nest(root.loop, binds([root.loop]))
    return None if whole is None else replace(root, whole=whole)


def _is_deep(nest: Nest) -> bool:
    """Whether a nest has loops inside of loops, but for those of one round."""
    return any(
        isinstance(node, LoopNode) and not all(map(_is_once, outer))
        for node, outer in nest.walk()
    )


def _is_once(loop: Loop) -> bool:
    """Whether a loop has but one round, whatever the sizes."""
    return (loop.start, loop.stop) == (Const(0), Const(1))


def _named(nest: Nest, name: str, needed: bool) -> Nest:
    """A nest with its name.

    Args:
        nest: the nest. name: its name, the start of those inside.
        needed: whether there are no other nests than such as are only tried.
    """
    inner = tuple(
        _named(one, f"{name}.{number}", needed)
        for number, one in enumerate(nest.host.inside)
    )
    tried = nest.host.tried and not needed
    host = replace(nest.host, inside=inner, tried=tried)
    return replace(nest, name=name, host=host)

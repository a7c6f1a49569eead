"""A module as it is read ahead of time: as a call would read each of its functions.

A call reads its function alone: where no directive is in it, any loop may be a nest,
and what looptx writes nowhere may be spelled in ways of its own. A call knows, too, how
many axes its arrays have. So a module is read several times: with its directives, and
as if they were not there for each of the ways in which its functions use the names of
their arguments. Each function is taken from the reading that its call would make.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from looptx import source
from looptx.errors import LooptxError
from looptx.model.callees.callee import Callee
from looptx.model.lines import NEWLINE
from looptx.model.program import Kernel
from looptx.model.records import dataclass
from looptx.model.trees import walk
from looptx.native.ahead.uses import Uses, called
from looptx.native.analysis.arguments import whole_names
from looptx.source import Module
from looptx.source.names.imports import FUNCTIONS, arguments
from looptx.source.names.scope import Function
from looptx.source.text.directives import is_directive
from looptx.source.text.functions import Found, functions


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of a module.

    Attributes:
        whole: with its directives.
        bare: without them, of functions that have none, with the qualified names of
            these; "" is for what is in no function.
    """

    whole: Module
    bare: Sequence[tuple[Collection[str], Module]]

    @staticmethod
    def of(
        text: str,
        filename: str,
        outside: Collection[str],
        callees: Mapping[str, Callee] | None = None,
        *,
        lenient: bool = False,
    ) -> Readings:
        """Read a module.

        Args:
            text: the source. filename: its path.
            outside: the functions that have directives from outside of the file.
            callees: as of ``source.read``.
            lenient: whether what is wrong with its directives is left to ``whole``.

        Raises:
            LooptxError: it cannot be read, or a comment stands at a wrong place.
        """
        whole = source.survey(text, filename, None, callees)
        if not lenient:
            whole.wrong.fail()
        found = list(functions(whole.parsed.tree, "", {}, {}))
        scheduled = {*_scheduled(whole), *outside}
        plain = [one for one in found if one.qualname not in scheduled]
        bare = []
        if plain or not found:
            text = _bare(whole)
            for names, axes in _ways(plain, whole.parsed.tree, callees or {}):
                own = _only(text, whole.parsed.tree, names)
                given = own, filename, None, callees, axes
                module = source.read(*given, plain=True)
                bare.append((frozenset(names), module))
        return Readings(whole, bare)

    @property
    def modules(self) -> list[Module]:
        """All readings."""
        return [self.whole, *(module for _, module in self.bare)]

    def of_function(self, name: str) -> Module:
        """The reading that a call of a function makes.

        Args:
            name: its qualified name.
        """
        return next((x for names, x in self.bare if name in names), self.whole)

    def kernels(self) -> list[tuple[Module, Kernel]]:
        """The functions with nests, each with its reading, in source order."""
        found = [
            (module, kernel)
            for module in self.modules
            for kernel in module.kernels
            if module is self.of_function(kernel.qualname)
        ]
        return sorted(found, key=lambda pair: pair[1].first_line)


def _ways(
    found: Sequence[Found], tree: ast.Module, callees: Mapping[str, Callee]
) -> Iterator[tuple[Sequence[str], Mapping[str, int]]]:
    """Functions that use names alike, and how many axes their arguments have.

    Args:
        found: the functions. tree: of their module. callees: as of ``source.read``.
    """
    ways: list[tuple[list[str], dict[str, int], dict[str, int]]] = [([""], {}, {})]
    for one in found:
        uses = Uses.of(one.node, called(one.node, tree, callees))
        wanted = whole_names(one.node) & {x.arg for x in arguments(one.node)}
        axes = {x: uses.ranks[x] for x in wanted if uses.ranks.get(x)}
        names = {x.id for x in walk(one.node) if isinstance(x, ast.Name)} | wanted
        # What it calls is read with it: numbers that are given are no arrays there.
        numbers = {
            x.arg
            for other in _needed(tree, names)
            for x in arguments(other)
            if not Uses.of(other).ranks.get(x.arg)
        }
        used = {**dict.fromkeys(names | numbers, 0), **axes}
        fits = (
            way for way in ways if all(way[2].get(x, n) == n for x, n in used.items())
        )
        way = next(fits, None)
        if way is None:
            ways.append(way := ([], {}, {}))
        way[0].append(one.qualname)
        way[1].update(axes)
        way[2].update(used)
    yield from ((names, axes) for names, axes, _ in ways)


def _needed(tree: ast.Module, names: Collection[str]) -> list[Function]:
    """The functions of a module that have names, and those that they name in turn.

    Args:
        tree: the module. names: the names.
    """
    own = {x.name: x for x in tree.body if isinstance(x, FUNCTIONS)}
    left, found = {*names}, dict[str, Function]()
    while left := left & own.keys() - found.keys():
        found |= {name: own[name] for name in left}
        inside = (node for name in left for node in walk(own[name]))
        left = {x.id for x in inside if isinstance(x, ast.Name)}
    return [*found.values()]


def _only(text: str, tree: ast.Module, names: Collection[str]) -> str:
    """A text without the functions that others do not need, every line in its place.

    Args:
        text: of a module. tree: of it. names: the others' qualified names.
    """
    left = {x.partition(".")[0] for x in names}
    # What the module does by itself, and what its classes do, stays.
    for other in tree.body:
        if not isinstance(other, FUNCTIONS):
            left |= {x.id for x in walk(other) if isinstance(x, ast.Name)}
    needed = {x.name for x in _needed(tree, left)}
    lines = NEWLINE.split(text)
    for one in tree.body:
        if isinstance(one, FUNCTIONS) and one.name not in needed:
            first = min([one, *one.decorator_list], key=lambda x: x.lineno).lineno - 1
            end = one.end_lineno or one.lineno
            lines[first:end] = [""] * (end - first)
    return "\n".join(lines)


def _scheduled(module: Module) -> frozenset[str]:
    """The functions that have directives, or stand under some."""
    lines = {line for line, _ in _comments(module)}
    own = {one.qualname for one in module.kernels if _has_directives(module, one)}
    inside = {
        one.qualname
        for one in functions(module.parsed.tree, "", {}, {})
        if lines & {*range(one.node.lineno, (one.node.end_lineno or 0) + 1)}
    }
    return frozenset(own | inside)


def _has_directives(module: Module, kernel: Kernel) -> bool:
    """Whether a function has directives, above it or in its decorator."""
    try:
        given = source.decorator_directives(module, kernel) if kernel.decorated else ()
    except LooptxError:
        # Some that cannot be read.
        return True
    return bool(kernel.directives or given)


def _comments(module: Module) -> list[tuple[int, int]]:
    """Lines and columns of the comments that are directives."""
    comments = module.parsed.comments.values()
    return [(one.line, one.column) for one in comments if is_directive(one.text)]


def _bare(module: Module) -> str:
    """The text of a module without its directives, every line in its place."""
    lines = NEWLINE.split(module.text)
    for line, column in _comments(module):
        lines[line - 1] = lines[line - 1][:column].rstrip()
    return "\n".join(lines)

"""A module as it is read ahead of time: as a call would read each of its functions.

A call reads its function alone: where no directive is in it, any loop may be a nest,
and what looptx writes nowhere may be spelled in ways of its own. So a module that has
directives is read twice, the second time as if they were not there, and each function
is taken from the reading that its call would make.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from looptx import source
from looptx.errors import LooptxError
from looptx.model.callees.callee import Callee
from looptx.model.lines import NEWLINE
from looptx.model.program import Kernel
from looptx.model.records import dataclass
from looptx.source import Module
from looptx.source.text.directives import is_directive
from looptx.source.text.functions import functions


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of a module.

    Attributes:
        whole: with its directives.
        bare: without them; None where each function has some.
        scheduled: the qualified names of the functions that have directives.
    """

    whole: Module
    bare: Module | None
    scheduled: Collection[str]

    @staticmethod
    def of(
        text: str,
        filename: str,
        outside: Collection[str],
        callees: Mapping[str, Callee] | None = None,
    ) -> Readings:
        """Read a module.

        Args:
            text: the source. filename: its path.
            outside: the functions that have directives from outside of the file.
            callees: as of ``source.read``.

        Raises:
            LooptxError: it cannot be read, or a comment stands at a wrong place.
        """
        whole = source.read(text, filename, None, callees)
        known = {one.qualname for one in functions(whole.parsed.tree, "", {}, {})}
        scheduled = known & {*_scheduled(whole), *outside}
        bare = None
        if scheduled < known or not known:
            bare = source.read(_bare(whole), filename, None, callees, plain=True)
        return Readings(whole, bare, scheduled)

    @property
    def modules(self) -> list[Module]:
        """All readings."""
        return [self.whole, *([self.bare] if self.bare else ())]

    def of_function(self, name: str) -> Module:
        """The reading that a call of a function makes.

        Args:
            name: its qualified name.
        """
        return self.bare if self.bare and name not in self.scheduled else self.whole

    def kernels(self) -> list[tuple[Module, Kernel]]:
        """The functions with nests, each with its reading, in source order."""
        found = [
            (module, kernel)
            for module in self.modules
            for kernel in module.kernels
            if module is self.of_function(kernel.qualname)
        ]
        return sorted(found, key=lambda pair: pair[1].first_line)


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

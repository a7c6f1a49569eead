"""Planned nests put into the text of their file, one function at a time."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from looptx.model.lines import keep_ends
from looptx.parsers.deep import deeply
from looptx.parsers.unwarned import parsed
from looptx.source.ast_tools import depth
from looptx.source.decorators import check_uses, unused_imports
from looptx.source.names.locality import functions, lost
from looptx.source.text.parse import end_line

if TYPE_CHECKING:
    from looptx.looptree.planned import Planned
    from looptx.model.program import Kernel, Nest
    from looptx.source import Module
    from looptx.syntax.region import Region

    Parts: TypeAlias = Sequence[tuple[Kernel, Sequence[Planned]]]


def stamp(module: Module, nest: Nest) -> str:
    """The identity of a nest's text: the first 12 digits of its sha256."""
    lines = module.parsed.lines[nest.text.first_line - 1 : nest.text.last_line]
    text = "\n".join(lines)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def rewritten(module: Module, parts: Parts) -> str:
    """The text of a module with planned nests in the place of those they came from.

    What would schedule them again is removed: directives above the ``def``, or above
    nests that they are not about, and the decorator with its import. What was a local
    variable stays one, though no statement may be left to assign it. Lines of other
    functions are copied.

    Raises:
        LooptxError: LX119 where a function is used as a kernel; LX403 for one that
            cannot be kept as it is written; LX106 when a collapse cannot be carried
            out; LX210 where an exception in a nest would show other loops.
        RecursionError: a function is too deeply nested.
    """
    return deeply(lambda: _rewritten(module, parts), _levels(module))


def _rewritten(module: Module, parts: Parts) -> str:
    file = _File(module)
    for kernel, planned in parts:
        region = file.function(kernel)
        for each in planned:
            region.replace(each, stamp(module, each.nest))
        written = {each.place for one in planned for each in one.nest.loops.values()}
        for nest in kernel.nests:
            if nest.text.directives and nest.place not in written:
                region.undirect(nest.place)
        region.undirect(module.parsed.place(module.definition(kernel)))
    decorated = [kernel for kernel, _ in parts if kernel.decorated]
    check_uses(module, decorated)
    file.undecorate(decorated)
    text = file.text()
    new = functions(parsed(text, module.filename))
    became = dict(zip(functions(module.parsed.tree), new, strict=True))
    gone = [
        (file.function(kernel), planned[0].nest, names)
        for kernel, planned in parts
        if planned and (names := lost(it := module.definition(kernel), became[it]))
    ]
    for region, nest, names in gone:
        region.keep_local(nest, names)
    return file.text() if gone else text


def nest_lines(module: Module, kernel: Kernel, planned: Planned) -> tuple[str, ...]:
    """The lines that replace a nest.

    Args:
        module: as it was read. kernel: the function of the nest. planned: its loops.

    Returns:
        The lines, without their ends.

    Raises:
        LooptxError, RecursionError: as ``rewritten``.
    """
    digest = stamp(module, planned.nest)

    def shown() -> tuple[str, ...]:
        return _File(module).function(kernel).shown(planned, digest)

    return deeply(shown, _levels(module))


def undecorated(module: Module) -> str:
    """The text of a module without looptx's decorators; lines keep their numbers.

    Raises:
        LooptxError, RecursionError: as ``rewritten``.
    """
    return deeply(lambda: _undecorated(module), _levels(module))


def _undecorated(module: Module) -> str:
    file = _File(module, padded=True)
    file.undecorate([kernel for kernel in module.kernels if kernel.decorated])
    return file.text()


def _levels(module: Module) -> int:
    """How many levels a module's functions have at most, as libcst has them."""
    functions = map(module.definition, module.kernels)
    return max((depth(one, paired=True) for one in functions), default=0)


class _File:
    """A module in the making: the regions of it that change.

    Args:
        module: as it was read.
        padded: replace removed lines with empty ones.
    """

    def __init__(self, module: Module, *, padded: bool = False) -> None:
        self.module = module
        self.padded = padded
        self.lines = keep_ends(module.text)
        self.regions: list[Region] = []

    def region(self, first: int, last: int) -> Region:
        """The region that holds some lines, with what it changes already."""
        from looptx.syntax.region import Region

        for known in self.regions:
            if known.first <= first and last <= known.last:
                return known
        lines = self.lines[first - 1 : last]
        region = Region(lines, first, self.module.filename, padded=self.padded)
        self.regions.append(region)
        return region

    def function(self, kernel: Kernel) -> Region:
        """The region of a function, or of the one around it that has nests."""
        around = [
            other
            for other in self.module.kernels
            if other.first_line <= kernel.first_line
            and kernel.last_line <= other.last_line
        ]
        above = [d.place.line for other in around for d in other.directives]
        below = [nest.text.last_line for other in around for nest in other.nests]
        first = min(other.first_line for other in around)
        last = max(other.last_line for other in around)
        return self.region(min((first, *above)), max((last, *below)))

    def undecorate(self, kernels: Sequence[Kernel]) -> None:
        """Take away looptx's decorators, and imports that only they used."""
        for kernel in kernels:
            place = self.module.parsed.place(self.module.definition(kernel))
            self.function(kernel).undecorate(place, kernel.decorators)
        for stmt, names in unused_imports(self.module, kernels):
            region = self.region(stmt.lineno, end_line(stmt))
            region.disimport(self.module.parsed.place(stmt), _named(stmt, names))

    def text(self) -> str:
        """The text of the module with all changes."""
        result: list[str] = []
        done = 0
        for region in sorted(self.regions, key=lambda region: region.first):
            result += self.lines[done : region.first - 1]
            done = region.last
            new = region.text()
            if new:
                result.append(new)
            elif _is_blank("".join(self.lines[done : done + 1])):
                # No second gap is left beside the first.
                while result and _is_blank(result[-1]):
                    result.pop()
                while not result and self.lines[done:] and _is_blank(self.lines[done]):
                    done += 1
        return "".join((*result, *self.lines[done:]))


def _is_blank(line: str) -> bool:
    """Whether a line is empty; a form feed is there for a purpose."""
    return not line.strip(" \t\r\n")


def _named(
    stmt: ast.Import | ast.ImportFrom, names: Iterable[ast.alias]
) -> list[tuple[str, str | None, str | None]]:
    """Module, member and alias of imported names."""
    if isinstance(stmt, ast.Import):
        return [(alias.name, None, alias.asname) for alias in names]
    module = "." * stmt.level + (stmt.module or "")
    return [(module, alias.name, alias.asname) for alias in names]

"""What is validated: a function and its rewritten form."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from looptx import rewriting
from looptx.looptree.nodes import Call, For
from looptx.looptree.planned import Planned
from looptx.looptree.prepare import occurrences
from looptx.looptree.renaming import named
from looptx.looptree.walk import nodes
from looptx.model.lines import NEWLINE
from looptx.model.moves import Cache, Factor
from looptx.model.program import Kernel
from looptx.model.records import dataclass, field
from looptx.model.schedule import Schedule, source
from looptx.model.storage import allocated
from looptx.model.types import ArrayType, Type
from looptx.parsers.unwarned import parsed
from looptx.source import Module
from looptx.source.liveness import binds
from looptx.source.names.imports import arguments
from looptx.source.names.scope import Function
from looptx.source.nests.statements.exact_reductions import integer_targets
from looptx.validation.symbols.neutral import Part


@dataclass(frozen=True)
class Subject:
    """A kernel and what became of it.

    Attributes:
        module: the source. kernel: one of its functions. planned: its nests.
        after: the text of the module with the nests rewritten.
        types: what is known of the kernel's names. values: of numbers around it.
        text: what a person calls ``after``.
    """

    module: Module
    kernel: Kernel
    planned: Sequence[Planned]
    after: str
    types: Mapping[str, Type] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    text: str = "the rewritten file"

    def alone(self, planned: Planned) -> str:
        """The text of the module with one of the nests rewritten."""
        return rewriting.rewritten(self.module, [(self.kernel, [planned])])

    def independent(self) -> frozenset[str]:
        """The arrays whose accesses the user vouches for."""
        return frozenset().union(*(p.schedule.independent for p in self.planned))

    def unseen(self) -> frozenset[str]:
        """The arguments that nobody looks at afterwards, as the user says."""
        return frozenset().union(*(p.schedule.scratch for p in self.planned))

    def trusted(self) -> tuple[str, ...]:
        """What the user vouches for, each once."""
        given = (one for each in self.planned for one in each.schedule.trusted)
        return tuple(dict.fromkeys(one.trusted for one in given))

    def parallel(self) -> dict[str, frozenset[int]]:
        """The loops whose iterations threads share, with their lines in ``after``."""
        text = NEWLINE.split(self.after)
        tree = ast.walk(parsed(self.after))
        loops = [node for node in tree if isinstance(node, ast.For)]
        loops.sort(key=lambda loop: loop.lineno)
        found: dict[str, frozenset[int]] = {}
        start = 0
        for planned in self.planned:
            headers = list(_headers(planned))
            marked = {name for name, _, parallel in headers if parallel}
            if marked:
                place = self._place(planned, text, start)
                start = place.stop
            for name in marked:
                lines = (
                    loop.lineno
                    for loop in loops
                    if loop.lineno - 1 in place and ast.unparse(loop.target) == name
                )
                own = (header for header in headers if header[0] == name)
                for line, (_, loop, parallel) in zip(lines, own, strict=True):
                    if parallel:
                        found[loop] = found.get(loop, frozenset()) | {line}
        return found

    def spare(self) -> frozenset[int]:
        """The loops in ``after`` that only run where an argument is too short.

        There the source raises, and nothing is compared. Or they are those around
        statements on arrays that are written as they are.
        """
        text = NEWLINE.split(self.after)
        marks = [
            rewriting.stamp(self.module, planned.nest)
            for planned in self.planned
            if planned.schedule.scratch or planned.whole
        ]
        return frozenset(
            loop.lineno
            for node in ast.walk(parsed(self.after))
            if isinstance(node, ast.If) and node.orelse
            for lines in [text[node.lineno : node.orelse[0].lineno]]
            if any(mark in line for mark in marks for line in lines)
            for stmt in node.orelse
            for loop in ast.walk(stmt)
            if isinstance(loop, ast.For | ast.While)
        )

    def _place(self, planned: Planned, text: Sequence[str], start: int) -> range:
        """Where the planned loops stand in a text, behind a line of it."""
        lines = rewriting.nest_lines(self.module, self.kernel, planned)
        mark = rewriting.stamp(self.module, planned.nest)
        ahead = next(at for at, line in enumerate(lines) if mark in line)
        known = (at for at in range(start, len(text)) if mark in text[at])
        first = next(known, len(text)) - ahead
        other = f"{planned.nest.text.indent}else:"
        # Behind it the original loops stand, for calls that hold no assumption.
        chosen = planned.schedule.assumes and other in lines
        long = lines.index(other) if chosen else len(lines)
        return range(first, min(first + long, len(text)))

    def parts(self) -> dict[str, Part]:
        """What collects parts of reductions, by its name in ``after``."""
        found: dict[str, Part] = {}
        for planned in self.planned:
            types = self._types(planned)
            for step in planned.schedule.moves:
                if isinstance(step, Factor):
                    reduction = planned.schedule.nest.statements[step.total].reduction
                    kind = types.get(planned.schedule.cached(step.buffer))
                    assert reduction is not None
                    dtype = kind.dtype if isinstance(kind, ArrayType) else ""
                    found[step.buffer] = Part(reduction.op, dtype)
                elif isinstance(step, Cache) and step.array in found:
                    found[step.buffer] = found[step.array]
        return found

    def reassociated(self) -> frozenset[str]:
        """Whose reductions the user lets combine in any order."""
        freed: set[str] = set()
        for planned in self.planned:
            freed |= planned.schedule.reassociate
            freed |= _held(planned.schedule, planned.schedule.reassociate)
        return frozenset(freed)

    def integral(self) -> frozenset[str]:
        """Whose reductions the proof takes for exact, in integers."""
        exact: set[str] = set()
        for planned in self.planned:
            nest = source(planned.schedule.nest)
            known = integer_targets(nest, self._types(planned))
            exact |= known | _held(planned.schedule, known)
        return frozenset(exact)

    def _types(self, planned: Planned) -> dict[str, Type]:
        """The types of names, and of the arrays that are made for a nest."""
        return {**self.types, **allocated(planned.nest.allocations, self.types)}


def _headers(planned: Planned) -> Iterator[tuple[str, str, bool]]:
    """The loops of a nest: as they are written, as they are called, and whether
    threads share them.

    Other loops, those inside statements that are kept whole, may have the same names.
    """
    written = named(planned, planned.body, occurrences(planned.nest))
    for node, shown in zip(nodes(planned.body), nodes(written), strict=True):
        if isinstance(node, For) and isinstance(shown, For):
            yield shown.var, node.var, node.marks.parallel is not None
        elif isinstance(node, Call):
            for line in planned.nest.statements[node.statement].code:
                for part in ast.walk(line):
                    if isinstance(part, ast.For):
                        name = ast.unparse(part.target)
                        yield name, name, False


def around(tree: ast.Module, function: Function) -> frozenset[str]:
    """The names that have a value in a module, or in the functions around one of it."""
    found = binds(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = node is not function and function in ast.walk(node)
            given = (argument.arg for argument in arguments(node))
            found |= binds(node.body).union(given) if inside else frozenset()
    return found


def constants(tree: ast.Module) -> dict[str, object]:
    """The names of a module that are bound once, to a literal."""
    found: dict[str, object] = {}
    again: set[str] = set()
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                ast.Name(name), value=value
            ):
                again |= {name} & found.keys()
                if isinstance(value, ast.Constant):
                    found[name] = value.value
    return {name: value for name, value in found.items() if name not in again}


def _held(schedule: Schedule, arrays: frozenset[str]) -> frozenset[str]:
    """The memory that holds cells or parts of some arrays."""
    own = frozenset(schedule.scratch[x] for x in arrays & schedule.scratch.keys())
    return own.union(
        step.buffer
        for step in schedule.moves
        if isinstance(step, Cache | Factor) and schedule.cached(step.buffer) in arrays
    )

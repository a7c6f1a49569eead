"""Generated loops as Cython: C loops, ``prange``, lanes, each body where it must be.

The body of a parallel loop becomes a C function of its own: what it assigns is private
to an iteration because it is local there, and nothing is left to Cython's inference of
what a parallel section shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from looptx.emit.buffers import Held
from looptx.emit.cells import COPIES, Copied, bindings, calls, copied, fixed
from looptx.emit.cstmt import Frame, StatementPrinter
from looptx.emit.reductions import LANES, Accumulator, accumulators
from looptx.emit.registers import invariant_cells
from looptx.emit.runtime import raising
from looptx.emit.scope import Scope, words
from looptx.emit.types import c_element
from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.text import indent
from looptx.model.expr import Const, IntExpr, Var, add, substitute
from looptx.model.schedule import Parallel
from looptx.model.types import ArrayType, ScalarType

BLOCKS = 64
"""How many partial results a parallel reduction has, whatever the thread count."""

HEADER = (
    "@lx_cython.boundscheck(False)",
    "@lx_cython.wraparound(False)",
    "@lx_cython.cdivision(True)",
)


@dataclass(slots=True)
class LoopPrinter:
    """Prints the loops of one nest.

    Attributes:
        scope: the nest.
        statements: prints its statements.
        name: the stem of the names of the functions.
        outside: what the nest has from its entry: C name to declaration.
        functions: the outlined functions so far, as text.
        raising: the names of those that may raise.
    """

    scope: Scope
    statements: StatementPrinter
    name: str
    outside: Mapping[str, str]
    functions: list[str] = field(default_factory=list)
    raising: set[str] = field(default_factory=set)

    def block(self, block: Block, frame: Frame) -> list[str]:
        """The lines of a block."""
        lines: list[str] = []
        for node in block:
            lines.extend(self._node(node, frame))
        return lines

    def _node(self, node: LoopTree, frame: Frame) -> list[str]:
        match node:
            case Call(statement, index):
                found = self.scope.planned.nest.statements[statement]
                for access in found.accesses:
                    held = self.scope.buffers.get(access.array)
                    if held is not None and held.local:
                        name = self.scope.names(access.array)
                        frame.declared[name] = held.declaration
                    if held is not None and statement in held.buffer.fills:
                        return self._fill(held, node, frame)
                return self.statements.lines(found, index, frame)
            case Let(var, value):
                name = self._declare(var, frame)
                return [f"{name} = {self.scope.int_text(value)}"]
            case If(cond, body):
                return [
                    f"if {self.scope.condition(cond)}:",
                    *indent(self.block(body, frame)),
                ]
            case For():
                return self._for(node, frame)

    def _fill(self, held: Held, call: Call, frame: Frame) -> list[str]:
        """Give every cell of a buffer, or of a row of it, its initial value."""
        scope, name, roll = self.scope, held.buffer.name, held.buffer.roll
        statement = scope.planned.nest.statements[call.statement]
        axes = [scope.names(f"{name} {axis}") for axis in range(len(held.extents))]
        loops = list(zip(axes, held.extents, strict=True))
        if call.statement == roll and held.buffer.rolls is not None:
            axes[held.buffer.rolls] = scope.int_text(call.index[roll])
            del loops[held.buffer.rolls]
        frame.declared.update((axis, "Py_ssize_t") for axis, _ in loops)
        lines = [f"{scope.cell(name, axes)} = {self.statements.initial(statement)}"]
        for axis, extent in reversed(loops):
            head = f"for {axis} in range({scope.int_text(extent)}):"
            lines = [head, *indent(lines)]
        return lines

    def _declare(self, var: str, frame: Frame) -> str:
        name = self.scope.names(var)
        frame.declared[name] = "Py_ssize_t"
        return name

    def _for(self, node: For, frame: Frame) -> list[str]:
        if node.marks.parallel is not None:
            return self._parallel(node, node.marks.parallel, frame)
        if node.marks.vectorize is not None and node.step == 1:
            flat = all(isinstance(child, (Call, Let)) for child in node.body)
            lines = self._lanes(node, frame) if flat else []
            if lines:
                return lines
        name = self._declare(node.var, frame)
        head = f"for {name} in range({self._range(node)}):"
        plain = [head, *indent(self.block(node.body, frame))]
        return self._in_registers(node, plain, frame) or plain

    def _in_registers(self, node: For, plain: list[str], frame: Frame) -> list[str]:
        """The loop with its invariant cells in variables; nothing when it has none."""
        scope = self.scope
        cells = invariant_cells(scope, node)
        used = words("\n".join(plain))
        if not cells or used & self.raising or raising(used):
            return []
        kept = {text: scope.names.fresh(text.partition("[")[0]) for text in cells}
        scope.stands.update(kept)
        body = self.block(node.body, frame)
        for text in kept:
            del scope.stands[text]
        arrays = {text.partition("[")[0] for text in kept}
        if arrays & words("\n".join(body)):
            return []
        frame.declared.update({kept[text]: kind for text, kind in cells.items()})
        start, stop = scope.int_text(node.start), scope.int_text(node.stop)
        return [
            # Where the loop does not run the cells need not even exist.
            f"if {start} {'<' if node.step > 0 else '>'} {stop}:",
            *indent([f"{variable} = {text}" for text, variable in kept.items()]),
            *indent([plain[0], *indent(body)]),
            *indent([f"{text} = {variable}" for text, variable in kept.items()]),
        ]

    def _range(self, node: For) -> str:
        start, stop = self.scope.int_text(node.start), self.scope.int_text(node.stop)
        if node.step != 1:
            return f"{start}, {stop}, {node.step}"
        return stop if node.start == Const(0) else f"{start}, {stop}"

    def _parallel(self, node: For, options: Parallel, frame: Frame) -> list[str]:
        reductions = self.scope.planned.reductions.get(node.dim, ())
        inside = set(calls(node.body))
        arrays = copied(self.scope, reductions, inside)
        scalars = accumulators(self.scope, self.statements, reductions, inside)
        kept = bool(arrays or scalars)
        schedule = options.schedule or ("static" if options.chunk or kept else "")
        settings = [f"num_threads=lx_threads(threads, {options.threads})"]
        if schedule:
            settings.append(f"schedule={schedule!r}".replace("'", '"'))
        if options.chunk and not kept:
            settings.append(f"chunksize={options.chunk}")
        if kept:
            return self._parallel_reduction(node, scalars, arrays, settings, frame)
        inner = Frame()
        name = self.scope.names(node.var)
        own = self.numbered(self.block(node.body, inner), inner)
        call = self._outline(own, inner, frame, {name: "Py_ssize_t"})
        self._declare(node.var, frame)
        lines, node = self._plain_bounds(node, frame)
        bounds = ", ".join([self._range(node), *settings])
        return [*lines, f"for {name} in lx_prange({bounds}):", f"    {call}"]

    def _plain_bounds(self, node: For, frame: Frame) -> tuple[list[str], For]:
        """Bounds that are calls in variables of their own: prange takes no ``min``."""
        lines: list[str] = []
        found: dict[str, IntExpr] = {}
        for end, bound in (("start", node.start), ("stop", node.stop)):
            text = self.scope.int_text(bound)
            if "(" in text or " if " in text:
                variable = self.scope.names.fresh(f"{self.scope.names(node.var)}_{end}")
                frame.declared[variable] = "Py_ssize_t"
                lines.append(f"{variable} = {text}")
                bound = Var(variable)
            found[end] = bound
        return lines, replace(node, start=found["start"], stop=found["stop"])

    def _parallel_reduction(
        self,
        node: For,
        kept: list[Accumulator],
        arrays: list[Copied],
        settings: list[str],
        frame: Frame,
    ) -> list[str]:
        """Partial results of a fixed number of blocks, combined in their order."""
        scope, before, blocks = self.scope, list[str](), str(BLOCKS)
        number = scope.names.fresh("part")
        frame.declared[number] = "Py_ssize_t"
        start, stop = scope.int_text(node.start), scope.int_text(node.stop)
        if arrays:
            blocks = scope.names.fresh("blocks")
            frame.declared[blocks] = "Py_ssize_t"
            limits = f"{start}, {stop}, {node.step}, {scope.number}"
            before.append(f"{blocks} = lx_blocks({limits})")
        bounds = f"{start}, {stop}, {node.step}, {blocks}"
        inner = Frame()
        own = [line for one in kept for line in one.initial()]
        for one in kept:
            inner.declared.update(one.variables)
        filling: list[str] = []
        for array in arrays:
            inner.declared.update(array.variables())
            filling += array.fill(number)
            scope.own[array.array] = array.copies, number
        if arrays:
            own += [f"if {scope.number} > 1:", *indent(filling)]
        loop = self._declare(node.var, inner)
        ends = [f"lx_cut({bounds}, {number})", f"lx_cut({bounds}, {number} + 1)"]
        step = [] if node.step == 1 else [str(node.step)]
        own.append(f"for {loop} in range({', '.join([*ends, *step])}):")
        own += indent(self.block(node.body, inner))
        for array in arrays:
            del scope.own[array.array]
        own = self.numbered(own, inner)
        given = {number: "Py_ssize_t"}
        for one in kept:
            for variable, kind in one.variables.items():
                partial = self.scope.names.fresh(f"{variable}_part")
                frame.declared[partial] = f"{kind}[{BLOCKS}]"
                one.partials[variable] = partial
                given[partial] = f"{kind}*"
                own.append(f"{partial}[{number}] = {variable}")
        call = self._outline(own, inner, frame, given)
        shared = f"for {number} in lx_prange({', '.join([blocks, *settings])}):"
        lines = [*before, shared, f"    {call}"]
        if kept:
            lines.append(f"for {number} in range({blocks}):")
        for one in kept:
            frame.declared.update(one.variables)
            lines += indent(one.combine(number))
        return lines + self._combined(arrays, blocks, settings, frame)

    def _combined(
        self, arrays: list[Copied], blocks: str, settings: list[str], frame: Frame
    ) -> list[str]:
        """Take the copies of arrays in, several parts of the arrays at a time."""
        scope, lines = self.scope, list[str]()
        for array in arrays:
            part, block = scope.names.fresh("part"), scope.names.fresh("block")
            frame.declared[part] = "Py_ssize_t"
            inner = Frame({block: "Py_ssize_t", **array.variables()})
            ends = (
                f"lx_cut(0, {array.name}.shape[0], 1, {COPIES}, {part}{more})"
                for more in ("", " + 1")
            )
            own = [f"for {block} in range({blocks}):"]
            own += indent(array.combine(block, *ends))
            call = self._outline(own, inner, frame, {part: "Py_ssize_t"})
            head = f"for {part} in lx_prange({', '.join([str(COPIES), *settings])}):"
            lines += indent([head, f"    {call}"])
        return [f"if {scope.number} > 1:", *lines] if lines else []

    def numbered(self, lines: list[str], frame: Frame) -> list[str]:
        """The lines of a C function, with the number of its thread if they need it."""
        thread = self.scope.thread
        if thread not in words("\n".join(lines)):
            return lines
        frame.declared[thread] = "int"
        return [f"{thread} = lx_thread()", *lines]

    def _outline(
        self, lines: list[str], inner: Frame, frame: Frame, own: Mapping[str, str]
    ) -> str:
        """Put lines into a function of their own; returns the call."""
        used = words("\n".join(lines))
        known = {**self.outside, **frame.declared, **own}
        local = {n: c for n, c in inner.declared.items() if n not in own}
        given = {n: c for n, c in known.items() if n in used and n not in local}
        title = f"lx_{self.name}_body{len(self.functions)}"
        raises = bool(used & self.raising) or raising(used)
        if raises:
            self.raising.add(title)
        result = "int" if raises else "void"
        ending = "except -1 nogil" if raises else "noexcept nogil"
        # A body with loops of its own is worth a call; C then optimises it alone.
        nested = any(line.lstrip().startswith("for ") for line in lines)
        head = "lx_work" if nested else f"inline {result}"
        arguments = ", ".join(declaration(kind, name) for name, kind in given.items())
        text = [f"cdef {head} {title}({arguments}) {ending}:"]
        self.functions.append(
            "\n".join([*HEADER, *text, *indent(declare(local) + lines)])
        )
        return f"{title}({', '.join(given)})"

    def _lanes(self, node: For, frame: Frame) -> list[str]:
        """A loop-carried sum as several sums side by side, then the rest in order.

        Nothing when there is no sum that gains by it.
        """
        width = node.marks.vectorize or LANES
        names = self.scope.names
        reductions = self.scope.planned.reductions.get(node.dim, ())
        within = set(calls(node.body))
        found = accumulators(self.scope, self.statements, reductions, within)
        kept = [one.untagged() for one in found if one.lanes]
        moving = {names(var) for var in (node.var, *bindings(node.body))}
        kept += fixed(self.scope, reductions, node.body, moving)
        if not kept:
            return []
        base, lane, end = (
            names.fresh(node.var + "_0"),
            names.fresh("lane"),
            names.fresh("end"),
        )
        frame.declared.update(dict.fromkeys((base, lane, end), "Py_ssize_t"))
        start, stop = self.scope.int_text(node.start), self.scope.int_text(node.stop)
        lines = [f"{end} = lx_whole({start}, {stop}, {width})"]
        stands: dict[str, str] = {}
        filling: list[str] = []
        adding: list[str] = []
        for one in kept:
            if not one.cell:
                frame.declared.update(one.variables)
            for variable, kind in one.variables.items():
                array = names.fresh(f"{variable.partition('[')[0]}_lanes")
                frame.declared[array] = f"{kind}[{width}]"
                one.partials[variable] = array
            stands.update(one.stands(lane))
            filling += one.initial(lane)
            adding += one.combine(lane)
        value = add(Var(base), Var(lane))
        body = tuple(_moved(child, node.var, value) for child in node.body)
        self.scope.stands.update(stands)
        inside = self.block(body, frame)
        for key in stands:
            del self.scope.stands[key]
        rest = replace(node, start=Var(end), marks=replace(node.marks, vectorize=None))
        return [
            *lines,
            f"for {lane} in range({width}):",
            *indent(filling),
            f"for {base} in range({start}, {end}, {width}):",
            f"    for {lane} in range({width}):",
            *indent(indent(inside)),
            # Without a whole group the cell need not even exist.
            f"if {start} < {end}:",
            f"    for {lane} in range({width}):",
            *indent(indent(adding)),
            *self._for(rest, frame),
        ]


def _moved(node: LoopTree, var: str, value: IntExpr) -> LoopTree:
    """A call or binding with a loop variable replaced."""
    if isinstance(node, Call):
        index = {loop: substitute(v, {var: value}) for loop, v in node.index.items()}
        return Call(node.statement, index)
    assert isinstance(node, Let)
    return Let(node.var, substitute(node.value, {var: value}))


def declaration(kind: str, name: str) -> str:
    """A variable of a C type, as a parameter or after ``cdef``: ``double* part``."""
    return f"{kind} {name}"


def declare(variables: Mapping[str, str]) -> list[str]:
    """``cdef`` lines, by C type; arrays (``double[8]``) on lines of their own."""
    by_type: dict[str, list[str]] = {}
    for name, kind in variables.items():
        by_type.setdefault(kind, []).append(name)
    lines = []
    for kind, names in by_type.items():
        width = 1 if kind[-2:-1].isdigit() and kind.endswith("]") else 8
        for first in range(0, len(names), width):
            lines.append(f"cdef {kind} {', '.join(names[first : first + width])}")
    return lines


def view(kind: ArrayType, *, written: bool) -> str:
    """The memoryview type of an array."""
    axes = str(replace(kind, dtype="")).strip("[]") if kind.ndim > 1 else "::1"
    if kind.ndim == 1 and kind.layout == "A":
        axes = ":"
    return f"{'' if written else 'const '}{c_element(kind.dtype)}[{axes}]"


def returned(kind: ScalarType, text: str, numpy: str = "lx_numpy") -> str:
    """A C value as the Python number of a type."""
    if kind.weak:
        if kind.dtype == "bool":
            return f"bool({text})"
        return text
    name = "bool_" if kind.dtype == "bool" else kind.dtype
    return f"{numpy}.{name}({text})"

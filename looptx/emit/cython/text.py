"""The typed tree as Cython: expressions, statements and functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from looptx.emit.cython.helpers import in_c
from looptx.emit.cython.pointers import restricted
from looptx.emit.cython.section import Section
from looptx.emit.intrinsics import c_function
from looptx.emit.target import ATOM, Target, Written
from looptx.looptree import text as indices
from looptx.looptree.text import indent
from looptx.lower.kinds import Number
from looptx.lower.limits import WORD
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    Function,
    Given,
    If,
    Intrinsic,
    Measure,
    ParallelFor,
    Pointer,
    Team,
    View,
    While,
)
from looptx.lower.types import c_element, c_vector
from looptx.model.expr import Cond, IntExpr
from looptx.model.records import dataclass, field, replace

HEADER = (
    "@lx_cython.boundscheck(False)",
    "@lx_cython.wraparound(False)",
    "@lx_cython.cdivision(True)",
)

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_ORDER = (
    ("choice",),
    ("or",),
    ("and",),
    ("not",),
    _COMPARISONS,
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/"),
    ("unary",),
)
"""The operators, the loosest first."""

_BINDS = {op: binds for binds, ops in enumerate(_ORDER) for op in ops}
_INDICES = {
    indices.CHOICE: _BINDS["choice"],
    indices.OR: _BINDS["or"],
    indices.AND: _BINDS["and"],
    indices.NOT: _BINDS["not"],
    indices.COMPARE: _BINDS["=="],
    indices.SUM: _BINDS["+"],
    indices.PRODUCT: _BINDS["*"],
    indices.UNARY: _BINDS["unary"],
    indices.ATOM: ATOM,
}
"""How tightly a text of ``looptree.text`` binds."""


@dataclass(frozen=True, slots=True)
class _Indices(indices.Dialect):
    """Integers in Cython; Python's division by helpers, for C rounds towards zero."""

    cython: Cython = field(kw_only=True)

    def integer(self, value: int) -> str:
        return _integer(value)

    def quotient(self, op: str, left: IntExpr, right: IntExpr) -> Written:
        word = "floordiv" if op == "//" else "mod"
        parts = ", ".join(indices.with_binding(one, self)[0] for one in (left, right))
        return f"{self.cython.calling(Intrinsic(word))}({parts})", indices.ATOM


def _integer(number: int) -> str:
    """Without the suffix Cython makes a Python object of a large integer."""
    if number < -WORD:
        return f"(-{WORD}LL - 1)"
    return f"{number}LL" if abs(number) >= 1 << 31 else str(number)


def _truths(parts: Sequence[Expr]) -> tuple[Expr, ...]:
    """Parts with truths for numbers: of one and a condition Cython makes an object."""
    return tuple(
        part if part.op != "number" else replace(part, number=bool(part.number))
        for part in parts
    )


class Cython(Target):
    """Cython: ``prange``, exceptions by the value -1.

    Attributes:
        better: the targets of versions to take instead on processors that can, the
            best first.
        calls: the intrinsics, and the functions and types of C, in what is written.
        versions: declarations in C of the functions for some processors only.
    """

    binds: ClassVar[Mapping[str, int]] = _BINDS
    chained: ClassVar[frozenset[str]] = frozenset(_COMPARISONS)
    spelled: ClassVar[Mapping[str, str]] = {"not": "not "}
    better: ClassVar[tuple[type[Cython], ...]] = ()

    def __init__(self) -> None:
        self.calls: set[str | Intrinsic] = set()
        self.versions: set[str] = set()
        self.arrays = False

    def calling(self, function: str | Intrinsic) -> str:
        """The name of a function or a type of C, noted as one that is used."""
        self.calls.add(function)
        return function if isinstance(function, str) else c_function(function)

    def section(self, text: str) -> Section:
        """What has been written, with all that it calls."""
        calls, versions = frozenset(self.calls), frozenset(self.versions)
        return Section(text, calls, versions, arrays=self.arrays)

    def call(self, expr: Expr) -> str:
        """As Python writes it."""
        one = expr.intrinsic
        if one is not None:
            if one.lanes > 1:
                one = replace(one, machine=self.machine)
            self.calling(one)
        return super().call(replace(expr, intrinsic=one))

    def _operation(self, expr: Expr) -> Written:
        """As Python writes it."""
        if expr.op in ("and", "or"):
            expr = replace(expr, parts=_truths(expr.parts))
        if expr.op == "!=" and all(part.op in _COMPARISONS for part in expr.parts):
            given = ", ".join(map(self.expression, expr.parts))
            return f"{self.calling('lx_differ')}({given})", ATOM
        return super()._operation(expr)

    def number(self, number: Number) -> Written:
        """A number; large integers have a suffix."""
        if isinstance(number, bool):
            return str(number), ATOM
        if isinstance(number, int):
            plain = number >= 0 or number < -WORD
            return _integer(number), ATOM if plain else self.binds["unary"]
        assert isinstance(number, float)
        if math.isnan(number):
            return self.calling("lx_nan"), ATOM
        infinite = math.isinf(number)
        text = self.calling("lx_inf") if infinite else repr(abs(number))
        if math.copysign(1.0, number) > 0:
            return text, ATOM
        return f"-{text}", self.binds["unary"]

    def index(self, part: IntExpr | Cond) -> Written:
        """As Python writes it, but for divisions."""
        text, binds = indices.with_binding(part, _Indices(cython=self))
        return text, _INDICES[binds]

    def cast(self, c_type: str) -> str:
        """``<double>``."""
        return f"<{c_type}>"

    def beside(self, cell: Expr, first: str) -> str:
        """The cells of a vector, by a pointer to it."""
        kind = self.calling(c_vector(cell.kind.dtype, cell.lanes))
        return f"(<{kind}*>&{first})[0]"

    def choice(self, expr: Expr) -> str:
        """As Python writes it."""
        parts = _truths(expr.parts) if expr.kind.dtype == "bool" else expr.parts
        cond, value, other = (self.at(part, self.binds["or"]) for part in parts)
        return f"{value} if {cond} else {other}"

    def assign(self, node: Assign) -> str:
        """As Python writes it."""
        target, value = self.expression(node.target), self.expression(node.value)
        return f"{target} {node.op}= {value}"

    def branch(self, node: If) -> list[str]:
        """``if``, ``elif`` and ``else``."""
        body = indent(self.statements(node.body))
        lines = [f"if {self.expression(node.cond)}:", *body]
        match node.orelse:
            case ():
                return lines
            case (If() as inner,):
                first, *rest = self.branch(inner)
                return [*lines, f"el{first}", *rest]
        return [*lines, "else:", *indent(self.statements(node.orelse))]

    def loop(self, node: For) -> list[str]:
        """A loop over a ``range``, which Cython makes one of C."""
        head = f"for {node.var} in range({self._range(node)}):"
        return [head, *self._inside(node)]

    def conditional_loop(self, node: While) -> list[str]:
        """``while``."""
        return [f"while {self.expression(node.cond)}:", *self._inside(node)]

    def _inside(self, node: For | While) -> list[str]:
        """What stands below the head of a loop."""
        body = indent(self.statements(node.body))
        if not node.orelse:
            return body
        return [*body, "else:", *indent(self.statements(node.orelse))]

    def jump(self, word: str) -> str:
        """As Python writes it."""
        return word

    def parallel_loop(self, node: ParallelFor) -> list[str]:
        """A loop over a ``prange``."""
        settings = [f"num_threads={self.expression(node.threads)}"]
        settings.append(f'schedule="{node.schedule}"')
        if node.chunk:
            settings.append(f"chunksize={node.chunk}")
        bounds = ", ".join([self._range(node), *settings])
        call = self.expression(node.call)
        loop = self.calling("lx_prange")
        return [f"for {node.var} in {loop}({bounds}):", f"    {call}"]

    def run(self, call: Expr) -> str:
        """A call."""
        return self.expression(call)

    def team(self, node: Team) -> list[str]:
        """A parallel section."""
        threads = f"num_threads={self.expression(node.threads)}"
        section = self.calling("lx_parallel")
        return [f"with {section}({threads}):", f"    {self.expression(node.call)}"]

    def _range(self, node: For | ParallelFor) -> str:
        start, stop = self.expression(node.start), self.expression(node.stop)
        if node.step is not None:
            return f"{start}, {stop}, {self.expression(node.step)}"
        return stop if start == "0" else f"{start}, {stop}"

    def functions(self, lowered: Sequence[Function]) -> list[str]:
        """The functions of a nest; its entry calls the last."""
        return [self.function(one) for one in lowered]

    def function(self, one: Function) -> str:
        """A C function without the GIL, inlined into the entry only if it is small."""
        result = "int" if one.raises else "void"
        if not one.inline:
            result = self.calling("lx_work")
        types = [self.c_type(kind) for kind in one.arguments.values()]
        name = one.name
        if self.machine:
            declared = f"{result} {name}({', '.join(types)});"
            self.versions.add(f"static LX_{self.machine} {in_c(declared)}")
            name += f' "{name}"'
        result = f"inline {result}" if one.inline else result
        given = map(" ".join, zip(types, one.arguments, strict=True))
        ending = "except -1 nogil" if one.raises else "noexcept nogil"
        lines = [
            *(f"# looptx: {line}" for line in one.comments),
            *HEADER,
            f"cdef {result} {name}({', '.join(given)}) {ending}:",
            *indent(self.declare(one.variables) + self.statements(one.body)),
        ]
        return "\n".join(lines)

    def declare(self, variables: Mapping[str, str | View]) -> list[str]:
        """``cdef`` lines, by C type; arrays and pointers on lines of their own."""
        by_type: dict[str, list[str]] = {}
        for name, kind in variables.items():
            by_type.setdefault(self.c_type(kind), []).append(name)
        lines = []
        for c_type, names in by_type.items():
            array = c_type[-2:-1].isdigit() and c_type.endswith("]")
            self.arrays = self.arrays or array
            width = 1 if array or c_type.endswith("*") else 8
            for first in range(0, len(names), width):
                lines.append(f"cdef {c_type} {', '.join(names[first : first + width])}")
        return lines

    def c_type(self, kind: Given) -> str:
        """C's, or that of an array as the entry sees it."""
        match kind:
            case str():
                return self.calling(kind) if kind.startswith("lx_") else kind
            case Measure():
                return "Py_ssize_t"
            case Pointer(view, alone):
                if alone:
                    element = c_element(view.kind.dtype)
                    return self.calling(restricted(element, view.written))
                return pointed(view)
        return self.calling("lx_array")


def pointed(view: View) -> str:
    """The C type of a pointer to an array's cells."""
    return f"{'' if view.written else 'const '}{c_element(view.kind.dtype)}*"

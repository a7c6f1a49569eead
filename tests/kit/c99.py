"""A second target: the functions of a nest as C99, called by the entries in Cython.

It shows that the typed tree says all there is to say: what a target prints of it is
compared with CPython by the same judges. Statement expressions, which let a call that
raised leave its function, are the one thing in it that is GNU's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from looptx.emit.cython.text import HEADER, Cython
from looptx.emit.target import ATOM, Target, Written
from looptx.looptree.text import indent
from looptx.lower.kinds import INT, Number, of
from looptx.lower.limits import WORD
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    Function,
    Given,
    If,
    Measure,
    ParallelFor,
    Pointer,
    Team,
    While,
    either,
    infix,
    intrinsic,
    number,
    variable,
)
from looptx.lower.types import c_element, c_vector
from looptx.model.expr import (
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Start,
    Var,
)

_ORDER = (
    ("choice",),
    ("or",),
    ("and",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/"),
    ("unary", "not"),
)
_UNFIT = "-4294967297LL"
"""What no int32 is."""

HEAD = """
#ifndef LX_C99
#define LX_C99
static int lx_raised(void) {
    PyGILState_STATE gil = PyGILState_Ensure();
    int raised = PyErr_Occurred() != NULL;
    PyGILState_Release(gil);
    return raised;
}
typedef struct {
    PyGILState_STATE gil;
    PyThreadState *saved;
} lx_inside;
static lx_inside lx_enter(void) {
    PyGILState_STATE gil = PyGILState_Ensure();
    return (lx_inside){ gil, PyEval_SaveThread() };
}
static void lx_leave(lx_inside in, int failed, PyObject **kept) {
    PyEval_RestoreThread(in.saved);
    if (failed && kept[0]) PyErr_Clear();
    else if (failed) PyErr_Fetch(&kept[0], &kept[1], &kept[2]);
    PyGILState_Release(in.gil);
}
static int lx_failed(PyObject **kept) {
    if (!kept[0]) return 0;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyErr_Restore(kept[0], kept[1], kept[2]);
    PyGILState_Release(gil);
    return 1;
}
#endif
"""
"""Exceptions on their way, and those of threads without Python."""


class C99(Target):
    """C99 with OpenMP."""

    binds: ClassVar[Mapping[str, int]] = {
        op: binds for binds, ops in enumerate(_ORDER) for op in ops
    }
    spelled: ClassVar[Mapping[str, str]] = {"not": "!", "and": "&&", "or": "||"}

    def __init__(self, raising: frozenset[str], cython: Cython) -> None:
        self.raising = raising
        self.cython = cython
        self.wholes: list[str] = []
        self.count = 0

    def number(self, value: Number) -> Written:
        """A number."""
        if isinstance(value, int):
            if value < -WORD:
                return f"(-{WORD}LL - 1)", ATOM
            text = str(abs(int(value))) + ("LL" if abs(value) >= 1 << 31 else "")
        else:
            assert isinstance(value, float)
            text = repr(abs(value))
            text = "HUGE_VAL" if math.isinf(value) else text
            text = "NAN" if math.isnan(value) else text
        negative = math.copysign(1.0, value) < 0 and not math.isnan(value)
        return (f"-{text}", self.binds["unary"]) if negative else (text, ATOM)

    def index(self, part: IntExpr | Cond) -> Written:
        """An expression over sizes, of C's operators."""
        return self._written(plain(part))

    def cast(self, c_type: str) -> str:
        """``(double)``."""
        return f"({self.c_type(c_type)})"

    def beside(self, cell: Expr, first: str) -> str:
        """The cells of a vector, by a pointer to it."""
        kind = self.cython.calling(c_vector(cell.kind.dtype, cell.lanes))
        return f"*({kind} *)&{first}"

    def choice(self, expr: Expr) -> str:
        """``cond ? value : other``."""
        cond, value, other = (self.at(part, self.binds["or"]) for part in expr.parts)
        return f"{cond} ? {value} : {other}"

    def call(self, expr: Expr) -> str:
        """A call, which leaves the function if it raises."""
        if expr.intrinsic is not None:
            self.cython.calling(expr.intrinsic)
        text = super().call(expr)
        if not expr.raises and expr.name not in self.raising:
            return text
        wrong = " || ".join(f"r == {one}" for one in ("-1", "INT64_MIN", _UNFIT))
        leave = f"if (({wrong}) && lx_raised()) return -1;"
        return f"({{ __auto_type r = {text}; {leave} r; }})"

    def assign(self, node: Assign) -> str:
        """``target = value;``."""
        target, value = self.expression(node.target), self.expression(node.value)
        return f"{target} {node.op}= {value};"

    def branch(self, node: If) -> list[str]:
        """``if`` and ``else``."""
        lines = [f"if ({self.expression(node.cond)}) {{"]
        lines += indent(self.statements(node.body) or [";"])
        if node.orelse:
            lines += ["} else {", *indent(self.statements(node.orelse))]
        return [*lines, "}"]

    def loop(self, node: For) -> list[str]:
        """A loop; like ``range``, it reads its bounds once and keeps its own count."""
        step = node.step.number if node.step is not None else 1
        assert isinstance(step, int)
        start, stop = self.expression(node.start), self.expression(node.stop)
        sign = "<" if step > 0 else ">"
        head = f"for (Py_ssize_t lx_at_ = {start}, lx_end_ = {stop};"
        count = f"lx_at_ {sign} lx_end_; lx_at_ += {step}"
        return self._looped(f"{head} {count})", node, f"{node.var} = lx_at_;")

    def conditional_loop(self, node: While) -> list[str]:
        """``while``."""
        return self._looped(f"while ({self.expression(node.cond)})", node)

    def _looped(self, head: str, node: For | While, first: str = "") -> list[str]:
        """A loop; where it has an ``else``, a variable says whether that runs."""
        self.count += 1
        whole = f"lx_whole_{self.count}" if node.orelse else ""
        self.wholes.append(whole)
        body = indent([*([first] if first else []), *self.statements(node.body)])
        self.wholes.pop()
        lines = [f"{head} {{", *body, "}"]
        if not whole:
            return lines
        other = indent(self.statements(node.orelse))
        lines = [f"int {whole} = 1;", *lines, f"if ({whole}) {{", *other, "}"]
        return ["{", *indent(lines), "}"]

    def jump(self, word: str) -> str:
        """``break;`` or ``continue;``."""
        whole = self.wholes[-1]
        return f"{whole} = 0; break;" if word == "break" and whole else f"{word};"

    def parallel_loop(self, node: ParallelFor) -> list[str]:
        """A loop of OpenMP; after an exception the other iterations do nothing."""
        step = node.step.number if node.step is not None else 1
        assert isinstance(step, int)
        start, stop = self.expression(node.start), self.expression(node.stop)
        chunk = f", {node.chunk}" if node.chunk else ""
        schedule = f" schedule({node.schedule}{chunk})"
        text, before, behind = Target.call(self, node.call), [], ""
        if node.call.name in self.raising:
            before, behind = ["PyObject *kept[3] = { NULL };"], "lx_failed(kept)"
            text = (
                "if (!kept[0]) { lx_inside in = lx_enter();"
                f" int failed = {text}; lx_leave(in, failed, kept); }}"
            )
        sign = "<" if step > 0 else ">"
        loop = f"{node.var} = {start}; {node.var} {sign} lx_end_; {node.var} += {step}"
        threads = f"num_threads({self.expression(node.threads)})"
        lines = [
            *before,
            f"Py_ssize_t lx_end_ = {stop};",
            f"#pragma omp parallel for {threads}{schedule} lastprivate({node.var})",
            f"for ({loop}) {{ {text}; }}",
        ]
        leave = [f"if ({behind}) return -1;"] if behind else []
        return ["{", *indent([*lines, *leave]), "}"]

    def run(self, call: Expr) -> str:
        """A call."""
        return f"{self.expression(call)};"

    def team(self, node: Team) -> list[str]:
        """A parallel region of OpenMP."""
        threads = self.expression(node.threads)
        call = f"{{ {self.expression(node.call)}; }}"
        return [f"#pragma omp parallel num_threads({threads})", call]

    def function(self, one: Function) -> str:
        """A function that returns -1 where it raised."""
        given = ", ".join(f"{self.c_type(k)} {n}" for n, k in one.arguments.items())
        variables = [_declared(self.c_type(k), n) for n, k in one.variables.items()]
        lines = [*variables, *self.statements(one.body), "return 0;"]
        head = f"static int {one.name}({given or 'void'}) {{"
        return "\n".join([head, *indent(lines), "}"])

    def c_type(self, kind: Given) -> str:
        """The type of a variable."""
        if isinstance(kind, Pointer):
            const = "" if kind.view.written else "const "
            pointer = f"{const}{c_element(kind.view.kind.dtype)} *"
            kind = f"{pointer}{'restrict' if kind.alone else ''}"
        if isinstance(kind, Measure):
            return "Py_ssize_t"
        assert isinstance(kind, str)
        if kind.startswith("lx_"):
            return self.cython.calling(kind)
        return kind.replace("bint", "int").replace("complex", "_Complex")


def plain(part: IntExpr | Cond) -> Expr:
    """An expression over sizes and loops by the operators of C."""
    match part:
        case Const(value):
            return number(value)
        case Var(name):
            return variable(name)
        case Add(terms):
            return _folded("+", terms)
        case Mul(factors):
            return _folded("*", factors)
        case FloorDiv(left, right) | Mod(left, right):
            word = "floordiv" if isinstance(part, FloorDiv) else "mod"
            return intrinsic(word, of(INT), plain(left), plain(right))
        case Min(args) | Max(args):
            first, *others = map(plain, args)
            for other in others:
                sign = "<" if isinstance(part, Min) else ">"
                cond = infix(sign, other, first)
                first = Expr("choice", of(INT), (cond, other, first))
            return first
        case Select(cond, then, orelse):
            return Expr("choice", of(INT), (plain(cond), plain(then), plain(orelse)))
        case Compare(op, left, right):
            return infix(op, plain(left), plain(right))
        case And(args):
            return Expr("and", of(INT), tuple(map(plain, args))) if args else number(1)
        case Or(args):
            return either(*map(plain, args)) if args else number(0)
        case Not(arg):
            return Expr("not", of(INT), (plain(arg),))
        case Start():
            raise AssertionError("starts are resolved")


def _folded(op: str, parts: Sequence[IntExpr]) -> Expr:
    first, *others = map(plain, parts)
    for other in others:
        first = infix(op, first, other)
    return first


def _declared(c_type: str, name: str) -> str:
    """``double x[8]``, where the tree has ``double[8]``."""
    base, bracket, rest = c_type.partition("[")
    return f"{base} {name}{bracket}{rest};"


class InC99(Cython):
    """Cython whose functions are C99."""

    vector: ClassVar[int] = 64

    def functions(self, lowered: Sequence[Function]) -> list[str]:
        """The functions as C, and under the name of the last one what calls it."""
        *others, worker = lowered
        raising = frozenset(one.name for one in lowered if one.raises)
        native = f"{worker.name}_c"
        texts = HEAD.strip().split("\n")
        for one in (*others, replace(worker, name=native)):
            texts += C99(raising, self).function(one).split("\n")
        declared = ", ".join(
            f"{self.c_type(k)} {n}" for n, k in worker.arguments.items()
        )
        passed = ", ".join(worker.arguments)
        ending = "except -1 nogil" if worker.raises else "noexcept nogil"
        lines = ["cdef extern from *:", '    """', *indent(texts), '    """']
        lines += [f"    int {native}({declared}) {ending}", "", "", *HEADER]
        work = self.calling("lx_work")
        lines += [f"cdef {work} {worker.name}({declared}) {ending}:"]
        return ["\n".join([*lines, f"    return {native}({passed})"])]

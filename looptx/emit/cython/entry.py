"""The entry of a nest: Python values in, checks, the call, Python values out.

A check that fails returns its reason, a text for the user: that costs the calls that
pass nothing.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from looptx.emit.cython import reports
from looptx.emit.cython.layouts import Layouts
from looptx.emit.cython.memory import allocate, copies
from looptx.emit.cython.text import HEADER, Cython, returned
from looptx.looptree.planned import Final
from looptx.looptree.text import indent
from looptx.lower import entry
from looptx.lower.checks import Early
from looptx.lower.intervals.overflow import TOO_LARGE, Overflow
from looptx.lower.kinds import Kind, fail
from looptx.lower.nest import Lowered, c_arguments
from looptx.lower.tree import Expr, Intrinsic, View
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.literals import cast, literal
from looptx.lower.values.operators import choice
from looptx.model.dtypes import DTYPES, INTEGERS
from looptx.model.expr import TRUE
from looptx.model.program import Statement
from looptx.model.types import ArrayType

_MOST_AXES = 8
"""What Cython's memoryviews have at most."""

_ERRORS = "(ArithmeticError, ValueError, NotImplementedError)"


class Entry:
    """Writes the entry function of one nest.

    Args:
        lowered: the nest.
        cython: what writes it.
        other: the entry of the loops that check as they go.
    """

    def __init__(self, lowered: Lowered, cython: Cython, other: str = "") -> None:
        scope = self.scope = lowered.scope
        self.lowered = lowered
        self.cython = cython
        self.other = other
        self.nest = scope.planned.nest
        self.tagged = lowered.tagged
        self.results = lowered.results
        self.objects = {
            name: scope.names.fresh(f"{scope.names(name)}_")
            for name in self.nest.live_in
        }
        self.arrays = {
            name: kind
            for name in self.nest.live_in
            if isinstance(kind := scope.types[name], ArrayType)
        }
        self.layouts = Layouts(scope, self.arrays, cython)

    def text(self, name: str) -> str:
        """The function ``name`` that calls the nest after its checks."""
        given = ", ".join([*self.objects.values(), "int threads"])
        variables = c_arguments(self.scope)
        del variables["threads"]
        for buffer in self._temporaries():
            del variables[buffer]
        lines = self.cython.declare({**variables, **self.results})
        held = self._temporaries().items()
        lines += [f"cdef {self.cython.c_type(kind)} {n}" for n, kind in held]
        lines += self._types()
        lines += [f"if {self.cython.calling(reports.NAME)}():", _leave(reports.REASON)]
        lines += self._convert()
        lines += self._overflow()
        lines += self._checks()
        lines += [*allocate(self.scope, self.cython), *copies(self.scope, self.cython)]
        lines += [*self._run(), *self._return()]
        return "\n".join([HEADER[0], f"def {name}({given}):", *indent(lines)])

    def _text(self, expr: Expr) -> str:
        return self.cython.expression(expr)

    def _overflow(self) -> list[str]:
        computed, tests = Overflow(self.scope).tests()
        lines = [f"cdef double {n} = {self._text(e)}" for n, e in computed.items()]
        for test in tests:
            lines += [f"if {self._text(test)}:", f"    return {TOO_LARGE!r}"]
        return lines

    def _run(self) -> list[str]:
        worker = self.lowered.functions[-1]
        pointers = {*self.results}
        given = (f"&{n}" if n in pointers else n for n in worker.arguments)
        run = ["with nogil:", f"    {worker.name}({', '.join(given)})"]
        if not self.lowered.gives_up:
            return run
        leave = "return 'a float has no int that fits in 53 bits'"
        return ["try:", *indent(run), "except NotImplementedError:", f"    {leave}"]

    def _temporaries(self) -> dict[str, str | View]:
        arguments = c_arguments(self.scope)
        held = self.scope.buffers.items()
        names = (self.scope.names(name) for name, one in held if not one.local)
        return {name: arguments[name] for name in names}

    def _types(self) -> list[str]:
        """NotImplemented unless every argument has exactly its type."""
        tests = []
        for name, variable in self.objects.items():
            kind = self.scope.types[name]
            short = "bool_" if kind.dtype == "bool" else kind.dtype
            if not isinstance(kind, ArrayType):
                python = DTYPES[kind.dtype].python
                number = python if kind.weak else f"lx_numpy.{short}"
                tests.append(f"type({variable}) is not {number}")
                continue
            if not kind.ndim:
                fail(f"the 0-dimensional array `{name}`")
            if kind.ndim > _MOST_AXES:
                fail(f"the {kind.ndim}-dimensional array `{name}`")
            tests.append(f"type({variable}) is not lx_numpy.ndarray")
            # Cython's own check takes bool for uint8, and crashes on some structures.
            tests.append(f"{variable}.dtype.type is not lx_numpy.{short}")
        lines = []
        for test in tests:
            lines += [f"if {test}:", "    return NotImplemented"]
        return lines

    def _convert(self) -> list[str]:
        """The values in C."""
        names, lines = self.scope.names, []
        if self.arrays:
            lines.append("try:")
            for name, kind in self.arrays.items():
                stored = DTYPES[kind.dtype].stored
                seen = f'.view("{stored}")' if stored else ""
                lines.append(f"    {names(name)} = {self.objects[name]}{seen}")
            lines.append("except (TypeError, ValueError, BufferError):")
            lines.append("    return NotImplemented")
        unfit = "{} has no value that fits in 64 bits"
        values = [
            (names(name), self._number(name), _leave(unfit.format(name)))
            for name in self.objects
            if name not in self.arrays
        ]
        for text, variable in self.scope.computed.items():
            leave = _leave(unfit.format(text))
            values.append((variable, self._computed(text), leave))
        for variable, value, leave in values:
            lines += ["try:", f"    {variable} = {value}", f"except {_ERRORS}:", leave]
        return lines

    def _early(self) -> list[str]:
        """The values of operations that may raise, where Python may come to them."""
        lines = []
        for early in self.scope.checks.early.values():
            value = self._text(self._value(early))
            leave = self._decline(f"{early.text} raises an exception", early.sure)
            lines += [
                "try:",
                f"    {early.name} = {value}",
                f"except {_ERRORS}:",
                leave,
            ]
        return lines

    def _value(self, early: Early) -> Expr:
        if early.when == TRUE:
            return early.value
        runs = self.scope.condition(early.when)
        return choice(runs, early.value, cast(literal(0), early.value.kind.dtype))

    def _decline(self, reason: str, sure: bool) -> str:
        """The line that leaves a nest which may raise.

        Where it surely does, Python's own loops say so best.
        """
        if sure or not self.other:
            return _leave(reason)
        return (
            f"    return {self.other}({', '.join([*self.objects.values(), 'threads'])})"
        )

    def _number(self, name: str) -> str:
        """A number in C; as Cython converts complex ones, signs and infinities go."""
        variable = self.objects[name]
        kind = self.scope.kinds.get(name) or self.scope.types[name]
        if kind.dtype == "complex128":
            make = self.cython.calling(Intrinsic("complex"))
            return f"{make}({variable}.real, {variable}.imag)"
        return variable

    def _computed(self, text: str) -> str:
        """An integer parameter that is an expression, or not one of Python's."""
        if text in self.objects:
            return self.objects[text]
        first = next(iter(self.nest.statements.values()))
        alone: Statement = replace(first, name="", loops=(), accesses=())
        node = ast.parse(text, mode="eval").body
        value = Expressions(self.scope, alone, {}).value(node)
        if value.kind.dtype not in INTEGERS:
            fail(
                f"`{text}` is used as an integer but is {value.kind.dtype}",
                self.nest.place,
            )
        return self._text(value)

    def _checks(self) -> list[str]:
        scope = self.scope
        lines = [line for one in entry.magnitudes(scope) for line in self._check(one)]
        lines += self._unchanged()
        for one in (*entry.bounds(scope), *entry.conditions(scope)):
            lines += self._check(one)
        for test, reason in self.layouts.tests():
            lines += [f"if {test}:", _leave(reason)]
        # One pass over integer arrays that are known to be aligned by now.
        for name, variable in scope.checks.reaches.items():
            kind = self.cython.calling("lx_reach")
            lines.append(f"cdef {kind} {variable} = {self.layouts.reach(name)}")
        lines += self._early()
        for one in entry.operations(scope):
            lines += self._check(one)
        return self.layouts.spans() + lines

    def _check(self, one: entry.Check) -> list[str]:
        lines = [f"if {self._text(one.wrong)}:"]
        for cause in one.causes:
            lines += indent(self._check(cause))
        return [*lines, self._decline(one.reason, one.sure)]

    def _unchanged(self) -> list[str]:
        """Values that C would round are left to Python."""
        lines = []
        for name in self.nest.live_in:
            held = self.scope.kinds.get(name)
            dtype = self.scope.types[name].dtype
            if held is None or held.dtype in (dtype, "complex128"):
                continue
            value, variable = self.objects[name], self.scope.names(name)
            lines.append(f"if {value} != {variable} and {value} == {value}:")
            lines.append(_leave(f"{name} is no value of {held.dtype}"))
        return lines

    def _return(self) -> list[str]:
        finals = {final.var: final for final in self.scope.planned.finals}
        lines, parts = [], []
        for name in self.nest.live_out:
            kind = self.scope.kinds.get(name)
            if name in finals:
                lines += self._final(finals[name])
                parts.append(self._object(name))
            elif kind is None:
                fail(f"`{name}` is used after the nest", self.nest.place)
            elif name in self.tagged:
                lines += self._chosen(name)
                parts.append(self._object(name))
            else:
                parts.append(self._plain(name, kind))
        return [*lines, f"return ({''.join(f'{part}, ' for part in parts)})"]

    def _object(self, name: str) -> str:
        return self.scope.names(f"{name} result")

    def _start(self, name: str) -> list[str]:
        value = self.objects.get(name, "None")
        return [f"cdef object {self._object(name)} = {value}"]

    def _final(self, final: Final) -> list[str]:
        lines = self._start(final.var)
        word = "if"
        for cond, value in final.cases:
            lines.append(f"{word} {self._text(self.scope.condition(cond))}:")
            last = self._text(self.scope.integer(value))
            lines.append(f"    {self._object(final.var)} = {last}")
            word = "elif"
        return lines

    def _chosen(self, name: str) -> list[str]:
        lines = self._start(name)
        c_name = self.scope.names(f"{name} out")
        tag = self.scope.names(f"{name} type out")
        for number, kind in enumerate(self.tagged[name], 1):
            value = c_name
            if kind.dtype == "int64" and self.scope.kinds[name].dtype != "int64":
                value = f"<Py_ssize_t>{value}"
            lines.append(f"if {tag} == {number}:")
            lines.append(f"    {self._object(name)} = {returned(kind, value)}")
        return lines

    def _plain(self, name: str, kind: Kind) -> str:
        return returned(next(iter(kind.members)), self.scope.names(f"{name} out"))


def _leave(reason: str) -> str:
    """The line that hands the nest back to Python."""
    return f"    return {reason!a}"
